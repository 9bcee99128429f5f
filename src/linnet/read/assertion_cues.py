"""The words of `assertion_cues.tsv` and `denials.tsv`, and where a text has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import product
from typing import NamedTuple

from linnet.read.rules import rows

__all__ = ["ATTRIBUTES", "Cue", "Role", "Token", "find_cues", "find_ends", "headings", "tokens_of"]

ATTRIBUTES = ("negated", "uncertain", "historical", "other person", "hypothetical")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’]t\b)?|['’]s\b|[^\w\s]|_")
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
    HEADING = "heading"


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


class _Node:
    __slots__ = ("entries", "following")

    def __init__(self) -> None:
        self.following: dict[str, _Node] = {}
        self.entries: list[_Entry] = []


def tokens_of(text: str, start: int, end: int) -> list[Token]:
    """Those of a part of a text."""
    return [
        Token(match.group().lower().replace("’", "'"), match.start(), match.end())
        for match in _TOKEN.finditer(text, start, end)
    ]


def find_cues(tokens: Sequence[Token]) -> list[Cue]:
    """Cues that are no ends, left to right and the longest first; they do not overlap."""
    cues, place = [], 0
    while place < len(tokens):
        longest = max(_matches(_lists().cues, tokens, place), key=lambda cue: cue.end, default=None)
        if longest is None:
            place += 1
        else:
            cues += [cue for cue in _matches(_lists().cues, tokens, place) if cue.end == longest.end]
            place = longest.end
    return cues


def find_ends(tokens: Sequence[Token]) -> list[Cue]:
    """Ends, by their beginning; they may overlap each other and cues."""
    return [cue for place in range(len(tokens)) for cue in _matches(_lists().ends, tokens, place)]


def headings() -> dict[str, str]:
    """Heading in lower case → attribute of its section."""
    return _lists().headings


def _matches(root: _Node, tokens: Sequence[Token], place: int) -> Iterator[Cue]:
    nodes, at = [root], place
    while nodes:
        for node in nodes:
            for entry in node.entries:
                if not entry.closes or at == len(tokens) or tokens[at].text in _CLOSING:
                    yield Cue(place, at, entry.role, entry.attribute)
        if at == len(tokens):
            return
        forms = _forms(tokens[at].text)
        nodes = [node.following[form] for node in nodes for form in forms if form in node.following]
        at += 1


def _forms(token: str) -> tuple[str, ...]:
    if not token[0].isdigit():
        return (token,)
    return (token, _NUMBER, _ANY_YEAR) if _YEAR.fullmatch(token) else (token, _NUMBER)


class _Lists(NamedTuple):
    cues: _Node
    ends: _Node
    headings: dict[str, str]


@cache
def _lists() -> _Lists:
    lists = _Lists(_Node(), _Node(), {})
    for row in (*rows("denials"), *rows("assertion_cues")):
        cue, role, attribute = row["cue"], row["role"], row["attribute"]
        if role == Role.HEADING:
            lists.headings[cue] = attribute
        elif role:
            entry = _Entry(Role(role), attribute, cue.endswith("$"))
            for sequence in _sequences(cue.removesuffix("$").split()):
                _add(lists.ends if role == Role.END else lists.cues, sequence, entry)
    return lists


def _sequences(words: Sequence[str]) -> Iterator[list[str]]:
    alternatives = [[_tokens_of_word(alternative) for alternative in word.split("|")] for word in words]
    for chosen in product(*alternatives):
        yield [token for part in chosen for token in part]


def _tokens_of_word(word: str) -> list[str]:
    if word in (_NUMBER, _ANY_YEAR):
        return [word]
    return [token.text for token in tokens_of(word.replace("_", " "), 0, len(word))]


def _add(root: _Node, sequence: Sequence[str], entry: _Entry) -> None:
    node = root
    for token in sequence:
        node = node.following.setdefault(token, _Node())
    if entry not in node.entries:
        node.entries.append(entry)
