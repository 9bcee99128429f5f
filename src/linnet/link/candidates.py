"""Candidates created on access: most of the 64 of a mention are never looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, overload

import numpy as np

from linnet.link.terminology_group import TerminologyGroup
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Candidate

__all__ = ["Candidates", "shown_score"]


class Candidates(Sequence[Candidate]):
    """One row of `Hits` as candidates, best first; equal to the tuple of them, and pickled as one."""

    __slots__ = ("_count", "_group", "_hits", "_row")

    def __init__(self, group: TerminologyGroup, hits: Hits, row: int, count: int) -> None:
        """count: number of candidates in the row"""
        self._group, self._hits, self._row, self._count = group, hits, row, count

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
        hits, row = self._hits, self._row
        at = np.asarray(places, np.int64)
        return tuple(
            Candidate(id, name, shown_score(score), _origin(origin))
            for id, name, score, origin in zip(
                self._group.ids(hits.concepts[row, at]),
                self._group.name_texts(hits.names[row, at]),
                hits.scores[row, at].tolist(),
                hits.origins[row, at].tolist(),
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
