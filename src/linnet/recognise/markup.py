"""Strings that were copied out of a page: HTML entities and tags as the characters they stand for.

>>> without_markup("gout&#44; <b>acute</b>")
'gout, acute'
"""

from __future__ import annotations

import html
import re

__all__ = ["without_markup"]

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_BREAK = re.compile(r"<(?:br|/?p|/?div|/?li|/?[uo]l|/?t[rdh]|hr)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|body|code|em|font|h[1-6]|html|i|mark|q|s|small|span|strong|sub|sup|table|tbody|u)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


def without_markup(text: str) -> str:
    """The text that a page shows: entities resolved, tags left out, those that begin a line as line breaks. Other text, "p<0.05",
    stays as it is."""
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    return text
