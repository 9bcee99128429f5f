"""HTML entities and tags in text that was copied out of a page, as the characters they stand for."""

from __future__ import annotations

import html
import re

__all__ = ["MARKUP", "shown"]

_ENTITY = r"&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
# "a <b and c> d" compares.
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?>"""
_BREAK = rf"""<(?:br|hr
    |/?(?:blockquote|body|caption|d[dlt]|div|h[1-6]|html|li|[uo]l|p|pre|section|table|tbody|tfoot|thead|title|t[rdh])
    ){_ATTRIBUTES}"""
_TAG = rf"""</?(?:a|abbr|b|big|bold|cite|code|del|em|font|i|ins|italic|mark|q|s|small|span|strong|sub|sup|u){_ATTRIBUTES}"""
# What a page does not show. None holds the beginning of another, so that a text of beginnings alone is read once.
_HIDDEN = rf"""<!--(?:(?!<!--).)*?-->
    |<script{_ATTRIBUTES}(?:(?!<script).)*?</script\s*>
    |<style{_ATTRIBUTES}(?:(?!<style).)*?</style\s*>"""
# "diabetes<sup>1,2</sup>" shows the word and numbers of notes; "CD4<sup>+</sup>" and "m<sup>2</sup>" are names and units.
_NOTE = rf"""(?-i:(?<=[a-z][a-z)][a-z.,;:)]))<sup{_ATTRIBUTES}
    (?:[\d\s,;–\[\]*†‡§¶-]|&\#9[13];|(?<=>)[a-h](?=<)|</?(?:a|span){_ATTRIBUTES})*</sup\s*>"""
MARKUP = rf"(?:(?P<line>{_BREAK})|(?P<left_out>{_HIDDEN}|{_NOTE}|{_TAG})|(?P<entity>{_ENTITY}))"
"""What a page shows as something else, for `re.IGNORECASE | re.DOTALL | re.VERBOSE`. Other text, "p<0.05", is none."""


def shown(match: re.Match[str]) -> str:
    """What a page shows: entities resolved, tags left out, those that begin a line as line breaks, without scripts, comments and
    numbers of notes."""
    if match["line"]:
        return "\n"
    return html.unescape(match["entity"]) if match["entity"] else ""
