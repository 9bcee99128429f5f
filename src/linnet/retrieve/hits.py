"""The results of retrieval and reranking: arrays of store rows and scores, one row per query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Any

import numpy as np

from linnet.arrays import Flags, Floats, Mask, Rows

__all__ = ["Hits", "Origin", "rank"]


class Origin(IntFlag):
    """How a candidate was found; several flags if several ways found it."""

    EXACT = 1
    CHAR = 2
    WORD = 4
    BM25 = 8
    DENSE = 16
    ABBREVIATION = 32
    SPELLING = 64
    OVERRIDE = 128
    RERANKED = 256

    def __str__(self) -> str:
        return "+".join(flag.name.lower() for flag in type(self) if flag in self and flag.name)


@dataclass(frozen=True, slots=True)
class Hits:
    """Ranked concepts of N queries, best first, each concept once per query.

    concepts  (N, k) rows of the store, −1 for none (at the end only)
    names     (N, k) name row through which the concept was found, −1 for none
    scores    (N, k) higher is better, −inf for none
    origins   (N, k) `Origin` flags, 0 for none
    """

    concepts: Rows
    names: Rows
    scores: Floats
    origins: Flags

    def __len__(self) -> int:
        return len(self.concepts)

    @property
    def k(self) -> int:
        """Candidates per query."""
        return int(self.concepts.shape[1])

    @classmethod
    def empty(cls, queries: int, k: int) -> Hits:
        """No candidate for any query."""
        shape = (queries, k)
        return cls(
            np.full(shape, -1, np.int32),
            np.full(shape, -1, np.int32),
            np.full(shape, -np.inf, np.float32),
            np.zeros(shape, np.uint16),
        )

    @classmethod
    def stack(cls, parts: Sequence[Hits]) -> Hits:
        """The queries of several hits with the same k, one after the other."""
        columns = zip(
            *((hits.concepts, hits.names, hits.scores, hits.origins) for hits in parts), strict=True
        )
        return cls(*(np.concatenate(column) for column in columns))

    def top(self, k: int) -> Hits:
        """The first k candidates of each query."""
        return Hits(self.concepts[:, :k], self.names[:, :k], self.scores[:, :k], self.origins[:, :k])

    def take(self, queries: Any) -> Hits:
        """The hits of these queries (an index array or slice)."""
        return Hits(self.concepts[queries], self.names[queries], self.scores[queries], self.origins[queries])


def rank(
    names: Rows,
    scores: Floats,
    *,
    name_concepts: Rows,
    preferred: Mask,
    k: int,
    origins: Flags | Origin,
    allowed: Mask | None = None,
) -> Hits:
    """Scored names → the k best distinct concepts, each through its best name.

    names          (N, M) name rows in any order, −1 for none     scores   (N, M)
    name_concepts  (names,) the store's                           preferred (names,) the store's
    allowed        (concepts,) which concepts may be returned

    Scores are rounded to 1e-5 first, so that a batch's arithmetic cannot decide a tie. Ties go to the
    concept whose preferred name matched, then to the lower row (the lower id).
    """
    queries, width = names.shape
    if width == 0:
        return Hits.empty(queries, k)
    nothing = names < 0
    concepts = np.where(nothing, -1, name_concepts[names])
    if allowed is not None:
        nothing = nothing | ~allowed[concepts]
    rounded = np.where(nothing, -np.inf, np.round(scores, 5)).astype(np.float32)
    flags = np.broadcast_to(np.asarray(origins, dtype=np.uint16), names.shape)
    order = np.lexsort((names, ~preferred[names], -rounded), axis=1)
    concepts = np.take_along_axis(np.where(nothing, -1, concepts), order, 1)
    rounded = np.take_along_axis(rounded, order, 1)
    first = _first_of_concept(concepts)
    place = np.cumsum(first, axis=1) - 1
    keep = first & (place < k)
    hits = Hits.empty(queries, k)
    at = (np.nonzero(keep)[0], place[keep])
    hits.concepts[at] = concepts[keep]
    hits.names[at] = np.take_along_axis(names, order, 1)[keep]
    hits.scores[at] = rounded[keep]
    hits.origins[at] = np.take_along_axis(flags, order, 1)[keep]
    return hits


def _first_of_concept(concepts: Rows) -> Mask:
    """(N, M) true for the first occurrence of a concept in its row; never for −1."""
    order = np.argsort(concepts, axis=1, kind="stable")
    ranked = np.take_along_axis(concepts, order, 1)
    new = np.ones(concepts.shape, dtype=bool)
    new[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    first = np.zeros(concepts.shape, dtype=bool)
    np.put_along_axis(first, order, new, 1)
    return first & (concepts >= 0)
