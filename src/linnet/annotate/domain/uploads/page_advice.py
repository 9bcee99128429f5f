"""Translates the advice of readers from the command line to the upload page."""

from __future__ import annotations

import re

from linnet.annotate.domain.uploads.encodings import SAVE_AS_UTF8

__all__ = ["for_page"]

_ADVICE = (
    (re.compile(r"not valid UTF-8 .*The rest is UTF-8\. .*$", re.DOTALL),
     "a character here is not valid UTF-8, though the rest is. Correct it, then upload the document again."),
    (re.compile(r"not valid UTF-8 .*iconv .*$", re.DOTALL),
     f"a character here is not valid UTF-8; the file seems to be in an older encoding, such as Windows-1252. {SAVE_AS_UTF8}"),
    (re.compile(r"Correct the row, or leave it out with --on-error skip\."), "Correct it, then upload the document again."),
    (re.compile(r"To link it as running text anyway: --input-format text"), "If it is plain text anyway, choose that format."),
    (re.compile(r"To link each line as a name: --mentions\. To read each line as a text: --lines\."),
     "If each line is a document, choose “Each line of a plain text is a document”."),
    (re.compile(r"name the column to link: --column NAME"), "name it under “Column of the text”"),
    (re.compile(r"[^.]*: jq -c .*? > NEW\.jsonl\.?"), " Write one JSON object a line, its text under “text”."),
    (re.compile(r"Leave out the options that name columns\."), "Leave “Column of the text” empty."),
    (re.compile(r"If it is: --column .*$", re.DOTALL),
     "If it is, name it under “Column of the text”. If there is no header, choose the format Plain text, “Each line is a document”."),
    (re.compile(r"Name another --input-format\."), "Name its format."),
    (re.compile(r"Name it: --column NAME"), "Name it under “Column of the text”."),
)  # fmt: skip


def for_page(message: str) -> str:
    """A reader's message with advice for the upload page."""
    for pattern, replacement in _ADVICE:
        message = pattern.sub(replacement, message)
    return message
