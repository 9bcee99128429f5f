"""Matches as flat lists of (query, name row, score), any number for each query, brought into the shape of `Hits`."""

from __future__ import annotations

import numpy as np

from linnet.arrays import Floats, Ints, Mask, Rows
from linnet.errors import DamagedError
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology

__all__ = ["concatenated_ranges", "rank_matches"]

# A sort key is: 27 bits of score (to 1e-5, up to 1,342), 1 for a name that is not the preferred one, the bits that name rows
# need, and before all of them the query in what is left of 64 bits: at most 2,048 queries, fewer beyond 33 million names.
# One sort of such keys is many times faster than sorting by several columns.
_LEVEL_BITS, _NAME_BITS, _QUERY_BITS = 27, 25, 11
_STEPS = 1e5
_ROUNDING = 0.1  # by which the lowest score, of a vector that is the opposite, may be below 0: 8-bit vectors are coarse


def concatenated_ranges(starts: Ints, counts: Ints) -> Ints:
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

    queries, names, scores  (M,) match m says that name row names[m] answers query queries[m]; scores are not negative
    allowed                 (concepts,) others are left out

    Raises DamagedError where a row or a score is none: an index was altered.
    """
    sound = not len(names) or (names.min() >= 0 and names.max() < len(terminology.names))
    if not (sound and (not len(scores) or scores.min() > -_ROUNDING)):
        raise DamagedError(
            f"An index of {terminology.path} has {'scores' if sound else 'names'} that are none: it was altered. "
            f"Run: linnet index {terminology.path}"
        )
    concepts = terminology.name_concepts[names]
    if allowed is not None:
        kept = allowed[concepts]
        queries, names, scores, concepts = queries[kept], names[kept], scores[kept], concepts[kept]
    levels = np.clip(np.rint(scores.astype(np.float64) * _STEPS), 0, 2**_LEVEL_BITS - 1).astype(np.int64)
    hits = Hits.empty(count, k)
    name_bits = max(_NAME_BITS, (len(terminology.names) - 1).bit_length())
    together = 1 << (_QUERY_BITS + _NAME_BITS - name_bits)
    for start in range(0, count, together):
        here = slice(None) if count <= together else (queries >= start) & (queries < start + together)
        _rank(queries[here] - start, names[here], levels[here], name_bits, terminology, hits, start)
    hits.origins[hits.concepts >= 0] = origin
    return hits


def _rank(
    queries: Ints,
    names: Rows,
    levels: Ints,
    name_bits: int,
    terminology: Terminology,
    hits: Hits,
    start: int,
) -> None:
    """Rank the matches of as many queries as keys have room for into `hits` from row `start` on."""
    worse = (2**_LEVEL_BITS - 1 - levels) << 1 | ~terminology.preferred[names]
    key = (queries << _LEVEL_BITS + 1 | worse).astype(np.uint64) << np.uint64(name_bits) | names.astype(
        np.uint64
    )
    key.sort()
    names = (key & np.uint64(2**name_bits - 1)).astype(np.int32)
    concepts = terminology.name_concepts[names]
    rest = (key >> np.uint64(name_bits + 1)).astype(np.int64)
    queries, levels = rest >> _LEVEL_BITS, 2**_LEVEL_BITS - 1 - (rest & 2**_LEVEL_BITS - 1)
    first = first_of_concept(queries, concepts)
    queries, concepts, names, levels = queries[first], concepts[first], names[first], levels[first]
    place = np.arange(len(queries)) - np.searchsorted(queries, queries)
    best = place < hits.k
    at = (start + queries[best], place[best])
    hits.concepts[at], hits.names[at] = concepts[best], names[best]
    hits.scores[at] = levels[best] / _STEPS


def first_of_concept(queries: Ints, concepts: Rows) -> Ints:
    """Positions, ascending, at which a concept stands for the first time among its query's entries."""
    if not len(queries):
        return np.zeros(0, np.int64)
    bits = len(queries).bit_length()
    key = (queries * (int(concepts.max()) + 1) + concepts) << bits | np.arange(len(queries))
    key.sort()
    new = np.ones(len(key), dtype=bool)
    np.not_equal(key[1:] >> bits, key[:-1] >> bits, out=new[1:])
    first = key[new] & (1 << bits) - 1
    first.sort()
    return np.asarray(first)
