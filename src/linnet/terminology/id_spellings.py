"""Lookup of ids in other spellings than the terminology's own.

A store built from an unknown source, or by an earlier version, may hold `D003920`, `hgnc:5` or `CVCL_0023`. Its ids are
kept; `MESH:D003920`, `HGNC:5` and `CVCL:0023` find them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Protocol

from linnet.words.curies import bare, curie, curie_of_shape, spelling_key

__all__ = ["Spellings", "nearest"]

# Ids sampled to find all beginnings. Stores have some dozens of vocabularies.
_SAMPLES = 2000
_LETTERS = re.compile(r"[^\W\d_]*")
_NEIGHBOURS = 20


class _SortedIds(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> str: ...


class Spellings:
    """Beginnings of the ids of a terminology, before their local part, by vocabulary. Built from sorted ids."""

    def __init__(self, *sorted_ids: _SortedIds) -> None:
        self._beginnings: dict[str, dict[str, None]] = {}  # key of the prefix → `hgnc:`, `CVCL_` …
        self._bare = False
        for ids in sorted_ids:
            for id in _samples(ids):
                self._learn(id)

    def of(self, id: str) -> Iterator[str]:
        """Other spellings of an id that the terminology may use, the likeliest first."""
        seen = {id}
        for text in dict.fromkeys((curie_of_shape(id), curie_of_shape(id.strip().upper()))):
            for spelling in self._as_written(text):
                if spelling not in seen:
                    seen.add(spelling)
                    yield spelling

    def beginnings(self) -> list[str]:
        """All beginnings of ids, before their local part."""
        return [beginning for written in self._beginnings.values() for beginning in written]

    def _learn(self, id: str) -> None:
        text = curie(id)
        prefix, colon, local = text.partition(":")
        if not colon or id == local:
            self._bare = True
        elif id.endswith(local):
            self._beginnings.setdefault(spelling_key(prefix), {})[id[: len(id) - len(local)]] = None

    def _as_written(self, text: str) -> Iterator[str]:
        yield text
        prefix, colon, local = text.partition(":")
        if not colon:
            return
        for beginning in self._beginnings.get(spelling_key(prefix), ()):
            yield from dict.fromkeys(beginning + form for form in (local, local.upper(), local.lower()))
        if self._bare and curie_of_shape(local) == text:
            yield local


def nearest(id: str, sorted_ids: _SortedIds, spellings: Spellings) -> str:
    """The existing id most similar to an unknown one, "" if none is similar."""
    around: dict[str, None] = {}
    whole = [beginning + id for beginning in spellings.beginnings()] if ":" not in id else []
    for spelling in (*spellings.of(id), id, *whole):
        position = bisect_left(sorted_ids, spelling)
        low, high = max(0, position - _NEIGHBOURS), min(len(sorted_ids), position + _NEIGHBOURS)
        around.update(dict.fromkeys(sorted_ids[row] for row in range(low, high)))
    # If the id has no prefix, compare without prefixes.
    plain = {(other if ":" in id else bare(other)): other for other in reversed(around)}
    matches = get_close_matches(curie_of_shape(id) if ":" in id else id.upper(), plain, n=1)
    return plain[matches[0]] if matches else ""


def _samples(ids: _SortedIds) -> Iterable[str]:
    """Ids with different beginnings: each sample begins unlike the last."""
    row = 0
    for _ in range(_SAMPLES):
        if row >= len(ids):
            return
        id = ids[row]
        yield id
        row = max(row + 1, bisect_left(ids, _past(id), row))


def _past(id: str) -> str:
    """A text that sorts after all ids with the same beginning as this one."""
    text = curie(id)
    local = bare(text)
    beginning = id[: len(id) - len(local)] if text != local and id.endswith(local) else ""
    if not beginning:
        beginning = id[: id.index(":") + 1] if ":" in id else ""
    if beginning:
        return beginning[:-1] + chr(ord(beginning[-1]) + 1)
    letters = _LETTERS.match(id)
    return (letters[0] if letters else "") + ":"  # sorts after all digits
