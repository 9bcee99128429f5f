"""The results of retrieval and reranking: arrays of store rows and scores, one row per query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Any

import numpy as np

from linnet.arrays import Flags, Floats, Rows

__all__ = ["Hits", "Origin"]


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
    SYNONYM = 512  # a lay, brand or foreign name of linnet's own lists
    REPAIRED = 1024  # the mention was decoded twice, and read as it was written first

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

    def copy(self) -> Hits:
        """Arrays of its own."""
        return Hits(self.concepts.copy(), self.names.copy(), self.scores.copy(), self.origins.copy())

    def put(self, queries: Any, hits: Hits) -> None:
        """Write the hits of these queries (an index array or slice). Candidates beyond the width of `hits` stay."""
        k = hits.k
        self.concepts[queries, :k], self.names[queries, :k] = hits.concepts, hits.names
        self.scores[queries, :k], self.origins[queries, :k] = hits.scores, hits.origins

    def top(self, k: int) -> Hits:
        """The first k candidates of each query."""
        return Hits(self.concepts[:, :k], self.names[:, :k], self.scores[:, :k], self.origins[:, :k])

    def take(self, queries: Any) -> Hits:
        """The hits of these queries (an index array or slice)."""
        return Hits(self.concepts[queries], self.names[queries], self.scores[queries], self.origins[queries])
