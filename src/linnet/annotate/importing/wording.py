"""What readers advise for the command line, said for people who upload."""

from __future__ import annotations

import re

__all__ = ["for_page"]

_ADVICE = (
    (re.compile(r"Convert the file, e\.g\. iconv .*$", re.DOTALL),
     "Save it with the encoding UTF-8 (in Excel: “CSV UTF-8”), and upload it again."),
    (re.compile(r"Correct the row, or leave it out with --on-error skip\."), "Correct it, and upload the document again."),
    (re.compile(r"Name another --input-format\."), "Name its format."),
    (re.compile(r"Name it: --column NAME"), "Name it under “Column of the text”."),
)  # fmt: skip


def for_page(message: str) -> str:
    """A reader's message, without what only the command line has."""
    for said, meant in _ADVICE:
        message = said.sub(meant, message)
    return message
