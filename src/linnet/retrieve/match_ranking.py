"""Rank flat lists of matches (query, name row, score) into `Hits`."""

from __future__ import annotations

import numpy as np

from linnet.advice import Step
from linnet.arrays import Floats, Ints, Mask, Rows
from linnet.errors import DamagedError
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.ragged import run_starts
from linnet.terminology import Terminology

__all__ = ["rank_matches"]

# A 64-bit sort key holds, from the high end: the query, 27 bits of score (steps of 1e-5, up to 1,342), 1 bit that is set for
# a name that is not preferred, and the name row. That leaves room for 2,048 queries, fewer beyond 33 million names. One sort
# of such keys is many times faster than a sort by several columns.
_SCORE_BITS, _NAME_BITS, _QUERY_BITS = 27, 25, 11
_STEPS = 1e5
# The lowest score belongs to an opposite vector; coarse 8-bit vectors may push it this far below 0.
_ROUNDING = 0.1


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
    """Matches in any order → the k best concepts of each of `count` queries, each through its best name.

    queries, names, scores  (M,) match m: name row names[m] answers query queries[m]; scores are not negative
    allowed                 (concepts,) leave out the others

    Scores are rounded to 1e-5 first, so that a batch's arithmetic cannot decide a tie. Ties go to the concept whose
    preferred name matched, then to the lower name row.
    Raises DamagedError if a name row or score is out of range: the index is damaged.
    """
    names_valid = not len(names) or (names.min() >= 0 and names.max() < len(terminology.names))
    if not (names_valid and (not len(scores) or scores.min() > -_ROUNDING)):
        raise DamagedError(
            f"An index of {terminology.path} is damaged: {'scores' if names_valid else 'name rows'} out of range.",
            Step.BUILD_INDEX(terminology=terminology.path),
        )
    concepts = terminology.name_concepts[names]
    if allowed is not None:
        kept = allowed[concepts]
        queries, names, scores, concepts = queries[kept], names[kept], scores[kept], concepts[kept]
    levels = np.clip(np.rint(scores.astype(np.float64) * _STEPS), 0, 2**_SCORE_BITS - 1).astype(np.int64)
    hits = Hits.empty(count, k)
    name_bits = max(_NAME_BITS, (len(terminology.names) - 1).bit_length())
    batch = 1 << (_QUERY_BITS + _NAME_BITS - name_bits)
    for start in range(0, count, batch):
        here = slice(None) if count <= batch else (queries >= start) & (queries < start + batch)
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
    """Write the best matches to `hits`, from row `start` on. `queries` must fit into the sort keys."""
    worse = (2**_SCORE_BITS - 1 - levels) << 1 | ~terminology.preferred[names]
    key = (queries << _SCORE_BITS + 1 | worse).astype(np.uint64) << np.uint64(name_bits)
    key |= names.astype(np.uint64)
    key.sort()
    names = (key & np.uint64(2**name_bits - 1)).astype(np.int32)
    concepts = terminology.name_concepts[names]
    rest = (key >> np.uint64(name_bits + 1)).astype(np.int64)
    queries, levels = rest >> _SCORE_BITS, 2**_SCORE_BITS - 1 - (rest & 2**_SCORE_BITS - 1)
    first = _first_of_concept(queries, concepts)
    queries, concepts, names, levels = queries[first], concepts[first], names[first], levels[first]
    position = np.arange(len(queries)) - np.searchsorted(queries, queries)
    best = position < hits.k
    at = (start + queries[best], position[best])
    hits.concepts[at], hits.names[at] = concepts[best], names[best]
    hits.scores[at] = levels[best] / _STEPS


def _first_of_concept(queries: Ints, concepts: Rows) -> Ints:
    """Ascending positions of the first entry of each concept of each query."""
    if not len(queries):
        return np.zeros(0, np.int64)
    bits = len(queries).bit_length()
    key = (queries * (int(concepts.max()) + 1) + concepts) << bits | np.arange(len(queries))
    key.sort()
    return np.sort(key[run_starts(key >> bits)] & (1 << bits) - 1)
