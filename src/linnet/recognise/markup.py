"""Text that was copied out of a page: HTML entities and tags as the characters they stand for.

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

from linnet.types import Document

__all__ = ["recognise_shown", "without_markup"]

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
# "a <b and c> d" compares.
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?>"""
_BREAK = re.compile(rf"<(?:br|/?p|/?div|/?li|/?[uo]l|/?t[rdh]|hr){_ATTRIBUTES}", re.IGNORECASE)
_TAG = re.compile(
    rf"</?(?:a|abbr|b|big|body|code|em|font|h[1-6]|html|i|mark|q|s|small|span|strong|sub|sup|table|tbody|u){_ATTRIBUTES}",
    re.IGNORECASE,
)
_ANY = re.compile(f"(?P<line>{_BREAK.pattern})|{_TAG.pattern}", re.IGNORECASE)


def without_markup(text: str) -> str:
    """The text that a page shows: entities resolved, tags left out, those that begin a line as line breaks. Other text, "p<0.05",
    stays as it is."""
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    return text


class _Recogniser(Protocol):
    def recognise(self, documents: Sequence[Document]) -> list[Document]: ...


def recognise_shown(recogniser: _Recogniser, documents: Sequence[Document]) -> list[Document]:
    """The documents as `Recogniser.recognise` returns them, but read as a page shows them: without tags. Offsets count the tags, and
    a mention may hold some: "breast <b>cancer"."""
    pages = {
        place: _Page(document.text)
        for place, document in enumerate(documents)
        if "<" in document.text and _ANY.search(document.text)
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
    """A text without its tags, those that begin a line as line breaks."""

    def __init__(self, text: str) -> None:
        parts: list[str] = []
        self._begins: list[int] = []  # of the parts, in the text without tags
        self._places: list[int] = []  # in the text with tags
        length = end = 0
        for match in _ANY.finditer(text):
            for place, part in (
                (end, text[end : match.start()]),
                (match.start(), "\n" if match["line"] else ""),
            ):
                if part:
                    parts.append(part)
                    self._begins.append(length)
                    self._places.append(place)
                    length += len(part)
            end = match.end()
        self.text = "".join([*parts, text[end:]])
        self._begins.append(length)
        self._places.append(end)

    def restored(self, document: Document, found: Document) -> Document:
        """The document with the mentions found in its text without tags."""
        mentions = []
        for mention in found.mentions:
            start, end = self._place(mention.start), self._place(mention.end - 1) + 1
            text = document.text[start:end]
            mentions.append(replace(mention, document=document, start=start, end=end, text=text))
        return document.with_mentions(mentions)

    def _place(self, offset: int) -> int:
        part = bisect_right(self._begins, offset) - 1
        return self._places[part] + offset - self._begins[part]
