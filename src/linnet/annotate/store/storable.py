"""Characters that a database cannot store: NUL (PostgreSQL), and half of a surrogate pair, which UTF-8 cannot encode.

>>> unstorable("a\\x00b"), unstorable("\\ud83d"), unstorable("heart")
('the character NUL', 'half a surrogate pair', '')
"""

from __future__ import annotations

import re

__all__ = ["unstorable"]

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def unstorable(text: str) -> str:
    """The first such character of the text, in words; "" if it has none."""
    if text.isascii() and "\x00" not in text:
        return ""
    match = _UNSTORABLE.search(text)
    if match is None:
        return ""
    return "the character NUL" if match[0] == "\x00" else "half a surrogate pair"
