"""Candidates created on access: most of the 64 of a mention are never looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, overload

import numpy as np

from linnet.arrays import Ints
from linnet.link.terminology_group import TerminologyGroup
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Candidate, Link

__all__ = ["Candidates", "read_candidates", "shown_score"]


class Candidates(Sequence[Candidate]):
    """One row of `Hits` as candidates, best first; equal to the tuple of them, and pickled as one."""

    __slots__ = ("_count", "_group", "_hits", "_read", "_row")

    def __init__(self, group: TerminologyGroup, hits: Hits, row: int, count: int) -> None:
        """count: number of candidates in the row"""
        self._group, self._hits, self._row, self._count = group, hits, row, count
        self._read: tuple[Candidate, ...] | None = None  # see `read_candidates`

    def first(self, count: int) -> Candidates:
        """The best ones."""
        return Candidates(self._group, self._hits, self._row, min(count, self._count))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Candidate: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Candidate, ...]: ...
    def __getitem__(self, at: int | slice) -> Candidate | tuple[Candidate, ...]:
        places = range(self._count)[at]
        if isinstance(places, range):
            return self._at(places)
        return self._at([places])[0]

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._at(range(self._count)))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Candidates | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)

    def _at(self, places: Sequence[int]) -> tuple[Candidate, ...]:
        if self._read is not None:
            return tuple(self._read[place] for place in places)
        at = np.asarray(places, np.int64)
        return tuple(_candidates(self._group, self._hits, np.full(len(at), self._row), at))


def read_candidates(links: Iterable[Link]) -> None:
    """Read the candidates of all links, and of their parts, at once: a tenth of the time of one link after the other.

    They stay in memory, which links otherwise leave to those who look at their candidates.
    """
    together: dict[int, list[Candidates]] = {}
    for link in links:
        for candidates in (each.candidates for each in (link, *link.parts)):
            if isinstance(candidates, Candidates):
                together.setdefault(id(candidates._hits), []).append(candidates)
    for same in together.values():
        rows = np.repeat([each._row for each in same], [each._count for each in same])
        places = np.concatenate([np.arange(each._count) for each in same])
        read = _candidates(same[0]._group, same[0]._hits, rows, places)
        for each in same:
            each._read = tuple(islice(read, each._count))


def _candidates(group: TerminologyGroup, hits: Hits, rows: Ints, places: Ints) -> Iterator[Candidate]:
    """The (M,) candidates at these rows and places."""
    return (
        Candidate(id, name, shown_score(score), _origin(origin))
        for id, name, score, origin in zip(
            group.ids(hits.concepts[rows, places]),
            group.name_texts(hits.names[rows, places]),
            hits.scores[rows, places].tolist(),
            hits.origins[rows, places].tolist(),
            strict=True,
        )
    )


def shown_score(score: float) -> float:
    """The score rounded to five decimals, as retrieval ranks."""
    return round(score, 5)


@cache
def _origin(flags: int) -> str:
    """How a candidate was found, for people. Of an exact match, other retrievers that found it too are left out."""
    origin = Origin(flags)
    if Origin.EXACT in origin:
        origin &= ~(Origin.CHAR | Origin.WORD | Origin.BM25 | Origin.DENSE)
    return str(origin)
