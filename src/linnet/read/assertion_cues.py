"""The words of `assertion_cues.tsv` and `denials.tsv`, and where a text has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import product
from typing import NamedTuple

from linnet.read.rules import rows

__all__ = ["ATTRIBUTES", "Cue", "Role", "Token", "find_cues", "find_ends", "tokens_of"]

ATTRIBUTES = ("negated", "uncertain", "historical", "other person", "hypothetical")
_TOKEN = re.compile(r"(?:[.…·_] ?){3,}|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’]t\b)?|['’]s\b|[^\w\s]|_")
_QUOTED = re.compile(r"^[ \t]*>[> \t]*", re.M)
_CLOSING = frozenset(",.;:)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER, _ANY_YEAR = "#", "####"


class Role(StrEnum):
    """What a cue does, see the head of the list."""

    BEFORE = "before"
    NEAR = "near"
    AFTER = "after"
    BOTH = "both"
    NOT = "not"
    END = "end"


class Token(NamedTuple):
    """A word, number or sign, in lower case with straight apostrophes, and its offsets."""

    text: str
    start: int
    end: int


class Cue(NamedTuple):
    """Tokens from `start` to before `end`. attribute: "" for all, of ends; and for `Role.NOT`."""

    start: int
    end: int
    role: Role
    attribute: str


class _Entry(NamedTuple):
    role: Role
    attribute: str
    closes: bool  # counts only before a sign that closes, or at the end


_Entries = dict[tuple[str, ...], list[_Entry]]
"""The tokens of each entry, and of each beginning of one, which may be no entry itself."""


def tokens_of(text: str, start: int, end: int) -> list[Token]:
    """Those of a part of a text, without the signs before quoted lines."""
    quoted = {position for match in _QUOTED.finditer(text, start, end) for position in range(*match.span())}
    return [
        Token(_plain(match.group()), match.start(), match.start() + len(match.group().rstrip()))
        for match in _TOKEN.finditer(text, start, end)
        if match.start() not in quoted
    ]


def _plain(token: str) -> str:
    """In lower case with straight apostrophes; a row of dots as one sign."""
    return "…" if len(token) > 2 and token[0] in ".…·_" else token.lower().replace("’", "'")


def find_cues(tokens: Sequence[Token]) -> list[Cue]:
    """Cues that are no ends, left to right and the longest first; they do not overlap."""
    cues, place = [], 0
    while place < len(tokens):
        matches = list(_matches(_entries(ends=False), tokens, place))
        longest = max((cue.end for cue in matches), default=place + 1)
        cues += [cue for cue in matches if cue.end == longest]
        place = longest
    return cues


def find_ends(tokens: Sequence[Token]) -> list[Cue]:
    """Ends, by their beginning; they may overlap each other and cues."""
    return [cue for position in range(len(tokens)) for cue in _matches(_entries(ends=True), tokens, position)]


def _matches(entries: _Entries, tokens: Sequence[Token], start: int) -> Iterator[Cue]:
    """Those that begin with a token, the shortest first."""
    phrases: list[tuple[str, ...]] = [()]
    for end in range(start + 1, len(tokens) + 1):
        forms = _forms(tokens[end - 1].text)
        phrases = [longer for phrase in phrases for form in forms if (longer := (*phrase, form)) in entries]
        if not phrases:
            return
        closes = end == len(tokens) or tokens[end].text in _CLOSING
        for entry in (entry for phrase in phrases for entry in entries[phrase]):
            if closes or not entry.closes:
                yield Cue(start, end, entry.role, entry.attribute)


def _forms(token: str) -> tuple[str, ...]:
    if not token[0].isdigit():
        return (token,)
    return (token, _NUMBER, _ANY_YEAR) if _YEAR.fullmatch(token) else (token, _NUMBER)


@cache
def _entries(*, ends: bool) -> _Entries:
    entries: _Entries = {}
    for row in (*rows("denials"), *rows("assertion_cues")):
        cue, role = row["cue"], row["role"]
        if role and (role == Role.END) == ends:
            entry = _Entry(Role(role), row["attribute"], cue.endswith("$"))
            for phrase in _phrases(cue.removesuffix("$")):
                for length in range(1, len(phrase)):
                    entries.setdefault(phrase[:length], [])
                if entry not in entries.setdefault(phrase, []):
                    entries[phrase].append(entry)
    return entries


def _phrases(cue: str) -> Iterator[tuple[str, ...]]:
    """The tokens of each phrase that a cue stands for: "has|had_not seen"."""
    for words in product(*(word.split("|") for word in cue.split())):
        yield tuple(token for word in words for token in _tokens_of_word(word))


def _tokens_of_word(word: str) -> list[str]:
    if word in (_NUMBER, _ANY_YEAR):
        return [word]
    return [token.text for token in tokens_of(word.replace("_", " "), 0, len(word))]
