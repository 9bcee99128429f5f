"""What readers advise for the command line, said for people who upload."""

from __future__ import annotations

import re

from linnet.annotate.importing.encodings import SAVE_AS_UTF8

__all__ = ["for_page"]

_ADVICE = (
    (re.compile(r"not valid UTF-8 .*Convert the file, e\.g\. iconv .*$", re.DOTALL),
     f"a letter here is not encoded as UTF-8; it seems to be an older encoding, such as Windows-1252. {SAVE_AS_UTF8}"),
    (re.compile(r"Correct the row, or leave it out with --on-error skip\."), "Correct it, and upload the document again."),
    (re.compile(r"Name another --input-format\."), "Name its format."),
    (re.compile(r"Name it: --column NAME"), "Name it under “Column of the text”."),
)  # fmt: skip


def for_page(message: str) -> str:
    """A reader's message, without what only the command line has."""
    for said, meant in _ADVICE:
        message = said.sub(meant, message)
    return message
