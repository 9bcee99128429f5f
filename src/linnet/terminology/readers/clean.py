"""Cleaning of names: HTML entities, white space, control characters.

>>> clean("Grave&apos;s  disease ")
"Grave's disease"
>>> clean("AT&T; A&B")
'AT&T; A&B'
"""

from __future__ import annotations

import html
import re

__all__ = ["clean"]

# Only with the closing semicolon: HTML also accepts "&reg" and "&para", but these occur inside chemical names.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")


def clean(text: str) -> str:
    """`text` with entities such as `&apos;` resolved, white space collapsed and control characters dropped."""
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    text = " ".join(text.split())
    if not text.isprintable():
        text = " ".join("".join(char for char in text if char.isprintable()).split())
    return text
