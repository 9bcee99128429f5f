"""Refusal of terminologies that use one id for different concepts: a link to that id would not say which one it means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from linnet.advice import Step
from linnet.arrays import Ints
from linnet.errors import RequestError
from linnet.terminology.store import Terminology
from linnet.words.text import simplify

__all__ = ["check_same_ids", "share_a_name"]

# Ids with a prefix that are looked up, evenly spaced: 40 ms a pair.
_COMPARED = 400
# Ids with a prefix mean the same concept even where a release renamed it; MEDIC 2012 and MeSH 2024 differ in 0.2 % of them, and
# mentions as names in 22 %. A wrong prefix makes nearly all of them differ.
_LEAST, _SHARE = 3, 0.5


def check_same_ids(terminologies: Sequence[Terminology]) -> None:
    """Raise RequestError if an id means different concepts in two terminologies: their names have none in common.

    Ids without a prefix: one such id is enough, and all are compared. Ids with one: most of those that both have.
    """
    for first, second in combinations(terminologies, 2):
        if first.digest == second.digest:
            continue
        plain = _different(first, second, _shared_plain(first, second))
        if plain:
            raise RequestError(
                f"{_described(first, second, plain)} Build one of them with a prefix of its own.",
                Step.BUILD_WITH_PREFIX(terminology=second.path, prefix="NAME"),
                Step.MERGE_TERMINOLOGIES(first=first.path, second=second.path),
            )
        shared = list(_shared(first, second))
        different = _different(first, second, shared)
        if len(different) >= _LEAST and len(different) > _SHARE * len(shared):
            raise RequestError(
                f"{_described(first, second, different)} One of them seems to be built with the prefix of another vocabulary; "
                "build it again with the right one.",
                Step.MERGE_TERMINOLOGIES(first=first.path, second=second.path),
            )


def share_a_name(first: Iterable[str], second: Iterable[str]) -> bool:
    """Whether two concepts' names have one in common, in the simplified form of `linnet.words.text.simplify`."""
    return not {*map(simplify, first)}.isdisjoint(map(simplify, second))


def _described(first: Terminology, second: Terminology, different: Sequence[tuple[int, int]]) -> str:
    row, other = different[0]
    return (
        f"{first.path} and {second.path} have different concepts under equal ids ({len(different):,} found), e.g. {first.ids[row]}: "
        f"'{first.name(row)}' and '{second.name(other)}'. A link to such an id would not say which concept it means."
    )


def _different(
    first: Terminology, second: Terminology, shared: Iterable[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The pairs of rows whose concepts share no name."""
    return [
        (row, other)
        for row, other in shared
        if first.name(row) != second.name(other)
        and not share_a_name(
            first.names.take(first.name_rows(row)), second.names.take(second.name_rows(other))
        )
    ]


def _shared_plain(first: Terminology, second: Terminology) -> list[tuple[int, int]]:
    """The rows of all ids without a prefix that both have, by id."""
    rows = _plain(first)
    others = _plain(second) if len(rows) else rows
    if not len(others):
        return []
    places = dict(zip(second.ids.take(others), others.tolist(), strict=True))
    ids = zip(first.ids.take(rows), rows.tolist(), strict=True)
    return [(row, places[id]) for id, row in ids if id in places]


def _plain(terminology: Terminology) -> Ints:
    """The rows of ids without a colon."""
    ids = terminology.ids
    colons = np.frombuffer(ids.data, np.uint8)[: int(ids.offsets[-1])] == ord(":")
    return np.flatnonzero(np.add.reduceat(colons, ids.offsets[:-1], dtype=np.int32) == 0)


def _shared(first: Terminology, second: Terminology) -> Iterator[tuple[int, int]]:
    """The rows of ids that both have, of at most `_COMPARED` ids of the smaller one."""
    small, large = sorted((first, second), key=len)
    rows = np.unique(np.linspace(0, len(small) - 1, min(len(small), _COMPARED)).astype(np.int64)).tolist()
    for id, row in zip(small.ids.take(rows), rows, strict=True):
        other = large.row(id)
        if other >= 0:
            yield (row, other) if small is first else (other, row)
