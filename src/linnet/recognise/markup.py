"""Text that was copied out of a page: HTML entities and tags as the characters they stand for; what was decoded twice as meant.

>>> without_markup("gout&#44; <b>acute</b>")
'gout, acute'
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from linnet.surface import DECODED_TWICE, decoded
from linnet.types import Document

__all__ = ["recognise_shown", "without_markup"]

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
_ANY = re.compile(
    rf"(?P<line>{_BREAK})|(?P<left_out>{_HIDDEN}|{_NOTE}|{_TAG})|(?P<entity>{_ENTITY})|(?-i:(?P<twice>{DECODED_TWICE}))",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def without_markup(text: str) -> str:
    """The text that a page shows: entities resolved, tags left out, those that begin a line as line breaks, without scripts, comments
    and numbers of notes. Other text, "p<0.05", stays as it is."""
    is_shown = "<" not in text and "&" not in text and decoded(text) == text
    return text if is_shown else _ANY.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    if match["line"]:
        return "\n"
    if match["twice"]:
        return decoded(match["twice"])
    return html.unescape(match["entity"]) if match["entity"] else ""


class _Recogniser(Protocol):
    def recognise(self, documents: Sequence[Document]) -> list[Document]: ...


def recognise_shown(recogniser: _Recogniser, documents: Sequence[Document]) -> list[Document]:
    """The documents as `Recogniser.recognise` returns them, but read as a page shows them: without tags, entities as their
    characters. Offsets are those of the documents, and a mention may hold tags and entities: "breast <b>cancer", "Crohn&#39;s disease".
    """
    pages = {
        place: _Page(document.text)
        for place, document in enumerate(documents)
        if without_markup(document.text) != document.text
    }
    if not pages:
        return recogniser.recognise(documents)
    shown = [
        replace(document, text=pages[place].text, mentions=()) if place in pages else document
        for place, document in enumerate(documents)
    ]
    return [
        pages[place].restored(document, found) if place in pages else found
        for place, (document, found) in enumerate(zip(documents, recogniser.recognise(shown), strict=True))
    ]


class _Page:
    """A text as a page shows it, see `without_markup`."""

    def __init__(self, text: str) -> None:
        parts: list[str] = []
        self._begins: list[int] = []  # of the parts, in the text as shown
        self._places: list[tuple[int, int]] = []  # start and end of the parts in the text with markup
        length = end = 0
        for match in _ANY.finditer(text):
            for start, stop, part in (
                (end, match.start(), text[end : match.start()]),
                (*match.span(), _shown(match)),
            ):
                if part:
                    parts.append(part)
                    self._begins.append(length)
                    self._places.append((start, stop))
                    length += len(part)
            end = match.end()
        self.text = "".join([*parts, text[end:]])
        self._begins += [length, len(self.text)]
        self._places.append((end, len(text)))

    def restored(self, document: Document, found: Document) -> Document:
        """The document with the mentions found in the text as shown."""
        mentions = []
        for mention in found.mentions:
            start, end = self._place(mention.start)[0], self._place(mention.end - 1)[1]
            text = document.text[start:end]
            mentions.append(replace(mention, document=document, start=start, end=end, text=text))
        return document.with_mentions(mentions)

    def _place(self, offset: int) -> tuple[int, int]:
        """Start and end, in the text with markup, of the character shown at an offset: of the whole entity where it is one."""
        part = bisect_right(self._begins, offset) - 1
        start, end = self._places[part]
        if end - start != self._begins[part + 1] - self._begins[part]:
            return start, end
        place = start + offset - self._begins[part]
        return place, place + 1
