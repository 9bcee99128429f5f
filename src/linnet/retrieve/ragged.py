"""Matches as flat lists of (query, name row, score), any number for each query, brought into the shape of `Hits`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linnet.retrieve.hits import Hits, Origin, rank
from linnet.terminology import Terminology

__all__ = ["rank_matches", "spread"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Rows = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Cells (queries x matches) ranked at a time: a query with very many matches must not widen all the others.
_CELLS = 1 << 20


def spread(starts: Ints, counts: Ints) -> Ints:
    """Positions of many ranges, one after the other: `starts[i], starts[i] + 1, …`, `counts[i]` of them, for each i."""
    before = np.cumsum(counts) - counts
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts - before, counts))


def rank_matches(
    queries: Ints,
    names: Rows,
    scores: Floats,
    *,
    count: int,
    terminology: Terminology,
    k: int,
    origin: Origin,
    allowed: Mask | None,
) -> Hits:
    """Matches in any order → the k best concepts of each of `count` queries, ranked as `hits.rank` does.

    queries, names, scores  (M,) match m says that name row names[m] answers query queries[m]
    """
    order = np.argsort(queries, kind="stable")
    names, scores = names[order], scores[order]
    sizes = np.bincount(queries, minlength=count)
    starts = np.cumsum(sizes) - sizes
    hits = Hits.empty(count, k)
    for part in _parts(sizes):
        width = int(sizes[part].max())
        inside = np.arange(width) < sizes[part, None]
        at = np.where(inside, starts[part, None] + np.arange(width), 0)
        best = rank(
            np.where(inside, names[at], -1),
            scores[at],
            name_concepts=terminology.name_concepts,
            preferred=terminology.preferred,
            k=k,
            origins=origin,
            allowed=allowed,
        )
        hits.concepts[part], hits.names[part] = best.concepts, best.names
        hits.scores[part], hits.origins[part] = best.scores, best.origins
    return hits


def _parts(sizes: Ints) -> Iterator[Ints]:
    """The queries that have matches, in groups of at most `_CELLS` cells, queries of like size together."""
    order = np.argsort(sizes, kind="stable")
    order = order[np.searchsorted(sizes[order], 1) :]
    while len(order):
        # From the widest down: the group's first query sets its width.
        width = int(sizes[order[-1]])
        group = max(1, _CELLS // width)
        yield order[-group:]
        order = order[:-group]
