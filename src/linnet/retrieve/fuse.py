"""Several rankings of the same queries combined into one.

    function      orders by                                         scores that come out
    cascade       the first ranking, then the next for what is left  as they came, never rising along the list
    fuse_ranks    Σ 1 / (c + place)                                  that sum
    fuse_scores   weighted sum or maximum of normalised scores       that number

A concept that several rankings found has the origins of all. Its name is that of the ranking that placed it highest, the
earlier one on a tie; in a cascade, of the earliest. Equal scores are ordered by that best place, then ranking, then row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linnet.arrays import Doubles, Ints
from linnet.errors import RequestError, UnknownNameError
from linnet.retrieve.hits import Hits

__all__ = ["COMBINATIONS", "NORMALISATIONS", "cascade", "fuse_ranks", "fuse_scores"]

NORMALISATIONS = ("minmax", "zscore", "none")
COMBINATIONS = ("sum", "max")


def cascade(rankings: Sequence[Hits], *, k: int) -> Hits:
    """The candidates of the first ranking, then those of the next that are not there yet, and so on, to k.

    Scores of rankings that measure different things cannot order the list: one that would rise is lowered to that of
    the candidate before it.
    """
    pool = _pool(rankings, by_ranking=True)
    order = np.lexsort((pool.place, pool.ranking, pool.query))
    hits = _listed(pool, order, pool.score, k)
    np.minimum.accumulate(hits.scores, axis=1, out=hits.scores)
    return hits


def fuse_ranks(rankings: Sequence[Hits], *, c: int = 60, k: int | None = None) -> Hits:
    """Reciprocal rank fusion: the score of a concept is Σ 1 / (c + its place), places from 1, over the rankings.

    k  candidates per query, the widest ranking's when left out

    Source: Cormack, Clarke and Büttcher 2009. Needs no scores that can be compared.
    """
    pool = _pool(rankings)
    total = np.zeros(len(pool.query))
    np.add.at(total, pool.of, 1.0 / (c + 1 + pool.places))
    return _best(pool, total, rankings, k)


def fuse_scores(
    rankings: Sequence[Hits],
    *,
    weights: Sequence[float] | None = None,
    normalise: str = "minmax",
    combine: str = "sum",
    k: int | None = None,
) -> Hits:
    """Scores brought to one scale within each query and ranking, then added or the largest taken.

    weights    factor of each ranking, 1 when left out
    normalise  "minmax" to 0…1, "zscore" to mean 0 and deviation 1, "none"
    k          candidates per query, the widest ranking's when left out

    A concept that a ranking does not have gets that ranking's lowest score of the query (nothing where it has none).
    Where all scores of a query are equal, they become 1 ("minmax") or 0 ("zscore").
    Raises UnknownNameError for an unknown option, RequestError for a wrong number of weights.
    """
    for kind, value, known in (
        ("normalisation", normalise, NORMALISATIONS),
        ("combination", combine, COMBINATIONS),
    ):
        if value not in known:
            raise UnknownNameError(kind, value, known)
    weights = [1.0] * len(rankings) if weights is None else list(weights)
    if len(weights) != len(rankings):
        raise RequestError(f"Got {len(weights)} weights for {len(rankings)} rankings; give one for each.")
    pool = _pool(rankings)
    start = 0.0 if combine == "sum" else -np.inf
    total = np.full(len(pool.query), start)
    for number, (hits, weight) in enumerate(zip(rankings, weights, strict=True)):
        scores, lowest = _normalised(hits, normalise)
        mine = lowest[pool.query]
        entries = pool.rankings == number
        mine[pool.of[entries]] = scores[hits.concepts >= 0]
        total = total + weight * mine if combine == "sum" else np.maximum(total, weight * mine)
    return _best(pool, np.round(total, 7), rankings, k)


class _Pool(NamedTuple):
    """The different concepts of each query, P in all, and the M entries they come from.

    (P,)  query, concept, name, score, origins, place (from 0), ranking: those of its best entry; origins of all
    (M,)  of: position among the P; places, rankings of each entry; entries ranking by ranking, query by query
    """

    query: Ints
    concept: Ints
    name: Ints
    score: Doubles
    origins: Ints
    place: Ints
    ranking: Ints
    of: Ints
    places: Ints
    rankings: Ints
    queries: int


def _pool(rankings: Sequence[Hits], *, by_ranking: bool = False) -> _Pool:
    """`by_ranking`: a concept's best entry is that of the earliest ranking, wherever it stands there."""
    if not rankings:
        raise RequestError("No ranking to combine. Name at least one retriever.")
    counts = [int((hits.concepts >= 0).sum()) for hits in rankings]
    number = np.repeat(np.arange(len(rankings)), counts)
    query, place = (
        np.concatenate(part) for part in zip(*(np.nonzero(h.concepts >= 0) for h in rankings), strict=True)
    )
    concept, name, score, origins = (
        np.concatenate([getattr(hits, part)[hits.concepts >= 0] for hits in rankings])
        for part in ("concepts", "names", "scores", "origins")
    )
    key = query.astype(np.int64) * (int(concept.max(initial=0)) + 1) + concept
    # The best entry of each concept is the first once they are sorted by place, then ranking (or the reverse).
    order = np.lexsort((place, number) if by_ranking else (number, place))
    _, first, inverse = np.unique(key[order], return_index=True, return_inverse=True)
    best = order[first]
    of = np.empty(len(key), np.int64)
    of[order] = inverse
    together = np.zeros(len(best), np.int64)
    np.bitwise_or.at(together, of, origins.astype(np.int64))
    return _Pool(
        query[best],
        concept[best],
        name[best],
        score[best].astype(np.float64),
        together,
        place[best],
        number[best],
        of,
        place,
        number,
        len(rankings[0]),
    )


def _best(pool: _Pool, scores: Doubles, rankings: Sequence[Hits], k: int | None) -> Hits:
    """The k best of each query by `scores` (P,)."""
    order = np.lexsort((pool.concept, pool.ranking, pool.place, -scores, pool.query))
    return _listed(pool, order, scores, max(hits.k for hits in rankings) if k is None else k)


def _listed(pool: _Pool, order: Ints, scores: Doubles, k: int) -> Hits:
    """The first k of each query, in this order (by query first)."""
    query = pool.query[order]
    column = np.arange(len(order)) - np.searchsorted(query, query)
    order, query, column = order[column < k], query[column < k], column[column < k]
    hits = Hits.empty(pool.queries, k)
    hits.concepts[query, column] = pool.concept[order]
    hits.names[query, column] = pool.name[order]
    hits.scores[query, column] = scores[order]
    hits.origins[query, column] = pool.origins[order]
    return hits


def _normalised(hits: Hits, how: str) -> tuple[Doubles, Doubles]:
    """(N, k) scores on the common scale, and (N,) the lowest of each query, 0 where it has none."""
    there = hits.concepts >= 0
    some = there.any(axis=1)
    scores = np.where(there, hits.scores, 0.0).astype(np.float64)
    if how == "minmax":
        low = np.where(there, scores, np.inf).min(axis=1, initial=np.inf)
        high = np.where(there, scores, -np.inf).max(axis=1, initial=-np.inf)
        low, high = np.where(some, low, 0.0)[:, None], np.where(some, high, 0.0)[:, None]
        scores = np.where(high > low, (scores - low) / np.where(high > low, high - low, 1.0), 1.0)
    elif how == "zscore":
        count = np.maximum(there.sum(axis=1), 1)[:, None]
        mean = scores.sum(axis=1, keepdims=True) / count
        spread = np.sqrt((np.where(there, scores - mean, 0.0) ** 2).sum(axis=1, keepdims=True) / count)
        scores = np.where(spread > 0, (scores - mean) / np.where(spread > 0, spread, 1.0), 0.0)
    lowest = np.where(there, scores, np.inf).min(axis=1, initial=np.inf)
    return scores, np.where(some, lowest, 0.0)
