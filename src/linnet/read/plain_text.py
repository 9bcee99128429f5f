"""Texts and names as they are read: the one normalisation, before anything is recognised or looked up. Links keep what was given.

>>> plain_text("Crohn&#39;s <b>disease</b>, Sj\u00c3\u00b6gren\u2019s\u00a0syndrome")
"Crohn's disease, Sj\u00f6gren's syndrome"
>>> plain_name(" 1.  \u201casthma\u201d "), without_marks(plain_name(" 1.  \u201casthma\u201d "))
('1. "asthma"', 'asthma')
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Protocol

from linnet.read.markup import MARKUP, shown
from linnet.read.rules import rows
from linnet.types import Document
from linnet.words.mojibake import DECODED_TWICE, repaired
from linnet.words.text import SAME

__all__ = ["Page", "plain_name", "plain_text", "recognise_shown", "without_marks"]

_OTHER = re.compile(
    rf"""{MARKUP}
    |(?P<twice>(?-i:{DECODED_TWICE.pattern}))
    |(?P<blank>[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000])
    |(?P<invisible>[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff])
    |(?P<form>[^\W\d_][\u0300-\u036f]+|[\ufb00-\ufb06\uff01-\uff5e])
    |(?P<same>[{"".join(chr(c) for c, to in SAME.items() if to)}])
    |(?P<broken>(?<=[^\W\d_]{{2}})-[^\S\n]*\n[^\S\n]*(?:>[^\S\n]*)*(?=[^\W_]))
    |(?P<quote>^[^\S\n]*>(?:[^\S\n]*>)*[^\S\n]?)
    """,
    re.IGNORECASE | re.DOTALL | re.MULTILINE | re.VERBOSE,
)
# What is rewritten in a text of plain characters: markup, words broken at the end of a line, quoted lines.
_HINT = re.compile(r"[<&]|[a-z]-[^\S\n]*\n|^[^\S\n]*>", re.IGNORECASE | re.MULTILINE)
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")
_BLANK = re.compile(r"\s")
# A number or bullet before a name. "c. difficile", "(3)He" and "- fever" are none.
_NUMBER = re.compile(
    r"^(?:\(?\d{1,2}[.)]|\#\s?\d{1,2}[.):]?|[\u2022\u25e6\u25aa\u25cf\u25cb\u2023\u2219\u00b7])\s+(?=\S)"
)
_AROUND = {"[": "]", "(": ")", "{": "}", "\u00ab": "\u00bb", '"': '"', "'": "'", "`": "`"}
# In "the so-called 'brittle bone disease' of children"; no apostrophe, and no prime.
_QUOTED = re.compile(r"(?<![^\s(\[{/-])'(?=[^\W\d_])[^'\n]{1,80}(?<=\w)'(?!\w)")
# "a" and "b"
_QUOTED_APART = re.compile(r"""(?<=[\w).])(["'`])(?=[\s,;/]).*(?<=[\s,;/])\1(?=\w)""", re.DOTALL)


def plain_text(text: str) -> str:
    """The text as a page shows it, without invisible characters, with one kind of blank, dash and quote and with composed accents.
    What was decoded twice is repaired."""
    return text if _is_plain(text) else _OTHER.sub(_plain, text)


def plain_name(text: str, *, lines: bool = False) -> str:
    """A mention's text as `plain_text`, without blanks around it, and one blank where there are several.

    lines  keep line ends; those of a cell separate things, and so do tabs
    """
    plain = plain_text(text)
    if not lines:
        return " ".join(plain.split())
    return "\n".join(
        filter(None, (" ".join(line.split()) for line in plain.replace("\t", "\n").splitlines()))
    )


def without_marks(name: str) -> str:
    """The name without quotes or brackets around it, a stop or comma behind it, and the number or bullet of a list before it."""
    while True:
        inner = name[1:-1] if _is_enclosed(name) else name
        inner = _NUMBER.sub("", inner.rstrip(" \n.,;").lstrip(), count=1)
        if inner == name or not any(map(str.isalnum, inner)):
            return name
        name = inner


def _is_enclosed(name: str) -> bool:
    """Whether a bracket or quote at the beginning is closed at the end, and not before."""
    closing = _AROUND.get(name[:1])
    if closing is None or name[-1] != closing:
        return False
    if closing == name[0]:
        return not _QUOTED_APART.search(name[1:-1])
    depth = 0
    for position, character in enumerate(name):
        depth += (character == name[0]) - (character == closing)
        if not depth:
            return position == len(name) - 1
    return False


def _is_plain(text: str) -> bool:
    return text.isascii() and not _HINT.search(text)


def _plain(match: re.Match[str]) -> str:
    given = match.group()
    if match["same"] is not None:
        return given.translate(SAME)
    if match["broken"] is not None:
        return "" if _is_one_word(match) else "-"
    if match["quote"] is not None:
        return "" if _is_quoted(match) else given
    if match["blank"] is not None:
        return " "
    if match["form"] is not None:
        return unicodedata.normalize("NFKC", given)
    if match["invisible"] is not None:
        return ""
    text = repaired(given) if match["twice"] is not None else shown(match)
    return text if text == given or text.isascii() else plain_text(text)


def _is_one_word(match: re.Match[str]) -> bool:
    """Whether the hyphen at the end of a line only breaks a word: it goes on in small letters, or is all in capitals."""
    text, end = match.string, match.end()
    part = _LAST_WORD.search(text, max(0, match.start() - 40), match.start())
    return (
        part is not None
        and part[0].isupper() == text[end].isupper()
        and not text[end].isdigit()
        and part[0].casefold() not in _compounding()
    )


def _is_quoted(match: re.Match[str]) -> bool:
    """Whether a line that begins with ">" is quoted, as one beside it is. One alone may be an item of a list."""
    text, start = match.string, match.start()
    before = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
    after = text[text.find("\n", start) + 1 :][:40] if "\n" in text[start:] else ""
    return before.lstrip().startswith(">") or after.lstrip(" \t").startswith(">")


@cache
def _compounding() -> frozenset[str]:
    """First parts of compounds, which keep their hyphen (`experiments/hyphens.py`)."""
    return frozenset(row["part"] for row in rows("hyphens"))


class _Recogniser(Protocol):
    def recognise(self, documents: Sequence[Document]) -> list[Document]: ...


def recognise_shown(recogniser: _Recogniser, documents: Sequence[Document]) -> list[Document]:
    """The documents as `Recogniser.recognise` returns them, but read as `plain_text`. Offsets are those of the documents, and a
    mention may hold tags, entities and invisible characters: "breast <b>cancer", "Crohn&#39;s disease".
    """
    pages = [Page(document) for document in documents]
    found = recogniser.recognise([_unquoted(page.document) for page in pages])
    return [page.restored(document) for page, document in zip(pages, found, strict=True)]


def _unquoted(document: Document) -> Document:
    """The document with blanks for single quotes around words: the recogniser has hardly seen such quotes."""
    text = _QUOTED.sub(lambda match: f" {match[0][1:-1]} ", document.text)
    return document if text == document.text else replace(document, text=text, mentions=())


def _with_line_ends(text: str, joints: Sequence[int]) -> str:
    """The text with a line end behind each word that was broken, so that its lines are about as long as they were."""
    for joint in joints:
        blank = _BLANK.search(text, joint)
        if blank and blank[0] == " ":
            text = f"{text[: blank.start()]}\n{text[blank.end() :]}"
    return text


class Page:
    """A document whose text is as `plain_text`, and where each of its characters stands in the text as given.

    document  the given one where its text is read as it is, else a copy without mentions
    """

    def __init__(self, document: Document) -> None:
        self._given, text = document, document.text
        # Of each character of the plain text, in the text as given: of the whole entity where it is one.
        self._starts, self._ends = array("q"), array("q")
        self._joints: list[int] = []  # of words that were broken, in the plain text
        plain = text if _is_plain(text) else _with_line_ends("".join(self._parts(text)), self._joints)
        self.document = document if plain == text else replace(document, text=plain, mentions=())

    def _parts(self, text: str) -> Iterator[str]:
        """The parts of the plain text; keeps the places of their characters."""
        end = 0
        for match in _OTHER.finditer(text):
            yield self._placed(end, match.start(), text[end : match.start()])
            if match["broken"] is not None:
                self._joints.append(len(self._starts))
            yield self._placed(*match.span(), _plain(match))
            end = match.end()
        yield self._placed(end, len(text), text[end:])

    def _placed(self, start: int, end: int, part: str) -> str:
        is_as_long = len(part) == end - start
        self._starts.extend(range(start, end) if is_as_long else [start] * len(part))
        self._ends.extend(range(start + 1, end + 1) if is_as_long else [end] * len(part))
        return part

    def restored(self, found: Document) -> Document:
        """The given document with the mentions found in the plain one."""
        if found.text == self._given.text:
            return found
        mentions = []
        for mention in found.mentions:
            start, end = mention.start, mention.end
            if self.document is not self._given:
                start, end = self._starts[start], self._ends[end - 1]
            text = self._given.text[start:end]
            mentions.append(replace(mention, document=self._given, start=start, end=end, text=text))
        return self._given.with_mentions(mentions)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Start and end in the plain text of a span of the text as given."""
        if self.document is self._given:
            return start, end
        begin = bisect_right(self._ends, start)
        return begin, max(begin, bisect_right(self._ends, end))
