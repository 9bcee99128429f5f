"""Control characters that make a file of text look like a binary one, which the readers refuse: written as spaces.

>>> spaced("gout\\0 and\\x01asthma")
'gout  and asthma'
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from linnet.formats.head import CONTROL_CODES
from linnet.types import Document

__all__ = ["CONTROL", "spaced", "spaced_document", "spaced_text"]

CONTROL = "texts with control characters (now spaces)"
"""The name of this loss."""
_SPACES = dict.fromkeys(CONTROL_CODES, " ")


def spaced(text: str) -> str:
    """The text with a space for each such character, so that offsets still fit."""
    return text if text.isprintable() else text.translate(_SPACES)


def spaced_text(text: str, lost: Counter[str]) -> str:
    """As `spaced`; `lost` counts the text if it had any."""
    clean = spaced(text)
    lost[CONTROL] += clean != text
    return clean


def spaced_document(document: Document, lost: Counter[str]) -> Document:
    """The document with such a text, for writers that split it into tokens. Types, concepts and `extra` stay."""
    text = spaced_text(document.text, lost)
    if text == document.text:
        return document
    home = replace(document, text=text, mentions=())
    mentions = [replace(m, document=home, text=spaced(m.text)) for m in document.mentions]
    return home.with_mentions(mentions)
