"""The ways to divide a string into things, as a tree: "R knee OA; h/o breast and ovarian cancer".

"R knee OA" | "breast cancer" | "ovarian cancer",  "R knee OA" | "h/o breast and ovarian cancer" …
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from linnet.read.denials import is_negated
from linnet.read.divide.kinds import Kind
from linnet.read.divide.lists import comma_items, joined_items, separate_items
from linnet.read.divide.series import is_enumeration
from linnet.read.divide.shared_words import possible_splits
from linnet.read.placeholders import placeholder
from linnet.read.qualifiers import is_only_qualifiers
from linnet.read.rules import rows
from linnet.read.shorthand import expansions, write_out_joined
from linnet.words.text import key

__all__ = ["Division", "Kind", "Node", "joining_words", "tree"]

_MOST_TEXTS = 400  # of a string that are divided
_SPLITS = 5  # of a coordination
_DEEPEST = 2
_CACHED = 20_000
_AMPERSAND = re.compile(r"\s+&\s+")
_JOINT = re.compile(r", | and ")
# A denial ends where things are separated so ("no fever, gout"), and goes on over other joints: "no fever or gout".
_ENDS_DENIAL = (Kind.SEPARATE, Kind.DASHED, Kind.COMMAS)


class Node(NamedTuple):
    """A text that may name a thing, and the ways to divide it.

    silent  the rule by which it names nothing that could be linked ("stable", "see notes", "no fever"), or ""
    """

    text: str
    silent: str
    divisions: tuple[Division, ...]

    def nodes(self) -> Iterator[Node]:
        """All nodes of the tree, this one first; some more than once."""
        yield self
        for division in self.divisions:
            for item in division.items:
                yield from item.nodes()


class Division(NamedTuple):
    """A way to divide a text into items, in text order."""

    kind: Kind
    items: tuple[Node, ...]


@lru_cache(maxsize=_CACHED)
def tree(text: str, *, composites: bool, shorthand: bool) -> Node:
    """The text, and the ways to divide it, its items, and theirs. Read as one thing, its lines are those of one name.

    shorthand  with short forms written out that hold a joint: "N/V"
    """
    if shorthand:
        text = write_out_joined(text)
    count = 0

    @cache
    def node(part: str, depth: int) -> Node:
        nonlocal count
        count += 1
        ways = [*_divisions(part, depth)] if composites and count < _MOST_TEXTS else []
        if shorthand and composites and depth <= _DEEPEST:
            ways += _ingredients(part)
        divisions = tuple(
            Division(kind, tuple(node(item, depth + 1) for item in items)) for kind, items in ways
        )
        several = any(division.kind in _ENDS_DENIAL for division in divisions)
        return Node(part, _silence(part, several=several), divisions)

    whole = node(text, 0)
    return whole._replace(text=" ".join(text.split()))


@cache
def joining_words() -> frozenset[str]:
    """The stems of the words between things, of which no thing is named: "with", "due", "complicated"."""
    entries = (row["entry"] for table in ("joints", "coordination") for row in rows(table))
    words = {word for entry in entries for word in re.findall(r"[a-z]+", entry)}
    return frozenset(words | set(map(key, words)) | {"both", "either", "neither"})


def _silence(text: str, *, several: bool) -> str:
    if kind := placeholder(text):
        return f"placeholder: {kind}"
    if "\n" not in text and is_negated(text):
        return "negated, and more" if several else "negated"
    return "only qualifiers" if is_only_qualifiers(text) else ""


def _divisions(text: str, depth: int) -> Iterator[tuple[Kind, Sequence[str]]]:
    if depth == 0 and (separate := separate_items(text)):
        yield separate
        if separate[0] is not Kind.LIST:
            return
    if depth < _DEEPEST:
        yield from _lists(text)
    if depth <= _DEEPEST:
        yield from joined_items(text)


def _ingredients(text: str) -> Iterator[tuple[Kind, Sequence[str]]]:
    """The things that a brand, lay or foreign name stands for, if there are several: "Sinemet"."""
    for long in (one.text for one in expansions(text) if one.whole and one.is_synonym):
        if len(items := _JOINT.split(long)) > 1:
            yield Kind.LIST, items


def _lists(text: str) -> Iterator[tuple[Kind, Sequence[str]]]:
    if items := comma_items(text):
        yield Kind.COMMAS, items
    splits = possible_splits(_AMPERSAND.sub(" and ", text))
    if splits and is_enumeration(text) and (series := possible_splits(text)[:1]):
        yield Kind.SERIES, series[0]
    for parts in splits[:_SPLITS]:
        if not all(part in text for part in parts):
            yield Kind.SHARE, parts
        elif parts != items:
            yield Kind.SIGNS if _is_joined_by_signs(text, parts) else Kind.LIST, parts


def _is_joined_by_signs(text: str, parts: Sequence[str]) -> bool:
    for part in parts:
        text = text.replace(part, "", 1)
    return bool(text.strip()) and not set(text) - set("/+& ")
