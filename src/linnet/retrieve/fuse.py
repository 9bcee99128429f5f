"""Combine several rankings of the same queries into one.

    function      order                                               scores
    cascade       the first ranking, then what each next one adds     as they came, but never rising along the list
    fuse_scores   weighted sum of the scores                          that sum

A concept found by several rankings gets the origins of all. `fuse_scores` takes its name from the ranking that placed it
highest (the earlier one on a tie), `cascade` from the earliest. Ties go to the better place, then the earlier ranking, then
the lower row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linnet.arrays import Doubles, Ints
from linnet.errors import RequestError
from linnet.retrieve.hits import Hits

__all__ = ["cascade", "fuse_scores"]


def cascade(rankings: Sequence[Hits], *, k: int) -> Hits:
    """The candidates of the first ranking, then the new ones of the next, and so on, up to k.

    Rankings may measure different things, so a score that would rise is lowered to that of the candidate before it.
    """
    pool = _pool(rankings, by_ranking=True)
    order = np.lexsort((pool.place, pool.ranking, pool.query))
    hits = _first_k(pool, order, pool.score, k)
    np.minimum.accumulate(hits.scores, axis=1, out=hits.scores)
    return hits


def fuse_scores(rankings: Sequence[Hits], *, weights: Sequence[float], k: int) -> Hits:
    """The k best concepts by the weighted sum of their scores.

    A ranking that lacks a concept counts its lowest score for the query instead, 0 if it has no candidate.
    Raises RequestError if there is not one weight for each ranking.
    """
    if len(weights) != len(rankings):
        raise RequestError(f"Got {len(weights)} weights for {len(rankings)} rankings; give one for each.")
    pool = _pool(rankings)
    total = np.zeros(len(pool.query))
    for number, (hits, weight) in enumerate(zip(rankings, weights, strict=True)):
        present = hits.concepts >= 0
        lowest = np.where(present, hits.scores, np.inf).min(axis=1, initial=np.inf)
        scores = np.where(present.any(axis=1), lowest, 0.0).astype(np.float64)[pool.query]
        scores[pool.concept_of[pool.rankings == number]] = hits.scores[present]
        total = total + weight * scores
    total = np.round(total, 7)
    order = np.lexsort((pool.concept, pool.ranking, pool.place, -total, pool.query))
    return _first_k(pool, order, total, k)


class _Pool(NamedTuple):
    """The P distinct concepts of all queries, and the M entries they come from.

    (P,)  query, concept, name, score, place (from 0) and ranking of a concept's best entry; origins of all its entries
    (M,)  concept_of: each entry's position among the P; rankings: its ranking. Ranking by ranking, query by query
    """

    query: Ints
    concept: Ints
    name: Ints
    score: Doubles
    origins: Ints
    place: Ints
    ranking: Ints
    concept_of: Ints
    rankings: Ints
    queries: int


def _pool(rankings: Sequence[Hits], *, by_ranking: bool = False) -> _Pool:
    """`by_ranking`: a concept's best entry is that of the earliest ranking, whatever its place there."""
    if not rankings:
        raise RequestError("No ranking to combine. Name at least one retriever.")
    present = [hits.concepts >= 0 for hits in rankings]
    number = np.repeat(np.arange(len(rankings)), [int(mask.sum()) for mask in present])
    query, place = (np.concatenate(indexes) for indexes in zip(*map(np.nonzero, present), strict=True))
    concept, name, score, origins = (
        np.concatenate([getattr(hits, field)[mask] for hits, mask in zip(rankings, present, strict=True)])
        for field in ("concepts", "names", "scores", "origins")
    )
    key = query.astype(np.int64) * (int(concept.max(initial=0)) + 1) + concept
    # Sorted by place, then ranking (or the reverse), the first entry of a concept is its best.
    order = np.lexsort((place, number) if by_ranking else (number, place))
    _, first, inverse = np.unique(key[order], return_index=True, return_inverse=True)
    best = order[first]
    concept_of = np.empty(len(key), np.int64)
    concept_of[order] = inverse
    all_origins = np.zeros(len(best), np.int64)
    np.bitwise_or.at(all_origins, concept_of, origins.astype(np.int64))
    return _Pool(
        query[best],
        concept[best],
        name[best],
        score[best].astype(np.float64),
        all_origins,
        place[best],
        number[best],
        concept_of,
        number,
        len(rankings[0]),
    )


def _first_k(pool: _Pool, order: Ints, scores: Doubles, k: int) -> Hits:
    """The first k concepts of each query in `order`, which goes query by query."""
    query = pool.query[order]
    column = np.arange(len(order)) - np.searchsorted(query, query)
    order, query, column = order[column < k], query[column < k], column[column < k]
    hits = Hits.empty(pool.queries, k)
    hits.concepts[query, column] = pool.concept[order]
    hits.names[query, column] = pool.name[order]
    hits.scores[query, column] = scores[order]
    hits.origins[query, column] = pool.origins[order]
    return hits
