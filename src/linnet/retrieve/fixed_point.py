"""Vectors as 16-bit fixed-point numbers, searched exactly: a pair of vectors always gets the same score, to the last bit.

A vector of length at most 1 is stored as its components times 2¹⁵ − 1, rounded. The dot product of two such vectors, and
every partial sum of it, is a whole number below 2³¹. 32-bit integers hold it exactly, so neither the batch, the number of
threads nor the BLAS library can change it. 32-bit floating-point matrix products, with errors of about 10⁻⁷, only find the
forms that *may* be among the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linnet.arrays import Fixed, Floats, Ints
from linnet.arrays import Rows as StoreRows
from linnet.system.blas import single_threaded_blas

__all__ = ["ONE", "SLACK", "FixedPointVectors", "Neighbours", "RowNumbers", "to_fixed_point"]

RowNumbers = Ints | StoreRows

# The stored value of a component of 1.
ONE = 2.0**15 - 1
# Keep candidates up to this much below the cut: more than the error of 32-bit products plus the 1e-5 of rounded scores.
SLACK = np.float32(4e-5)
# Forms whose best score represents them all in the search for the cut.
_GROUP = 32
# Forms between updates of the cut, queries processed at a time, and forms multiplied at a time: their scores (1 MB) are
# reduced to those of groups while still in the cache.
_FORMS, _TEXTS, _TILE = 1 << 14, 256, 1 << 10
# Keep the 32-bit form of up to this many numbers (128 MB).
_KEEP = 1 << 25
# Numbers multiplied at a time by exact scoring: few enough to stay in the cache (1 MB).
_CELLS = 1 << 17


class Neighbours(NamedTuple):
    """Candidates of many queries.

    queries, forms  (M,) candidate m is form forms[m] for query queries[m]; unordered
    cuts            (N,) no omitted form scores above this, −inf if none is omitted
    scores          (M,) see `FixedPointVectors.scores`; None if not computed yet
    """

    queries: Ints
    forms: Ints
    cuts: Floats
    scores: Floats | None = None


def to_fixed_point(vectors: Floats) -> Fixed:
    """(N, D) rows of length at most 1 as whole numbers."""
    return np.asarray(np.rint(vectors * np.float32(ONE)), dtype=np.int16)


class FixedPointVectors:
    """(F, D) vectors to search. Neighbouring rows should be names of one concept.

    A small 32-bit form is kept once made, which makes single queries several times as fast.
    """

    def __init__(self, vectors: Fixed) -> None:
        self.vectors = vectors
        self._kept: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self.vectors)

    def scores(self, queries: Fixed, pairs: Neighbours) -> Floats:
        """(M,) dot product of each candidate and its query, exact before the final rounding to float32."""
        scores = np.empty(len(pairs.queries), np.float32)
        step = max(1, _CELLS // max(1, queries.shape[1]))
        for start in range(0, len(scores), step):
            part = slice(start, start + step)
            left = queries[pairs.queries[part]].astype(np.int32)
            right = self.fixed(pairs.forms[part]).astype(np.int32)
            scores[part] = np.einsum("ij,ij->i", left, right) / ONE**2
        return scores

    def fixed(self, rows: RowNumbers) -> Fixed:
        """(M, D) 16-bit vectors of these rows."""
        return np.asarray(self.vectors[rows], dtype=np.int16)

    def nearest(self, queries: Fixed, *, groups: int, forms: Ints | None = None) -> Neighbours:
        """The forms that may be among the nearest to each query, by dot product.

        groups  the cut is the best score in the `groups`-th best group of 32 neighbouring forms
        forms   ascending; search only these rows
        """
        total = len(self) if forms is None else len(forms)
        wide: Floats = np.divide(queries, ONE**2, dtype=np.float32)
        best = np.full((len(queries), groups), -np.inf, np.float32)
        candidates: list[tuple[Ints, Ints, Floats]] = []
        # Allocated once: fresh pages for each block would take a tenth of the time.
        buffer = np.empty((min(_FORMS, total + _GROUP), min(_TEXTS, len(queries))), np.float32)
        with single_threaded_blas():
            for start in range(0, total, _FORMS):
                block = self._block(slice(start, min(start + _FORMS, total)), forms)
                for first in range(0, len(queries), _TEXTS):
                    part = slice(first, first + _TEXTS)
                    products, maxima = _products(block, wide[part], buffer)
                    all_maxima = np.concatenate([best[part], maxima.T], axis=1)
                    best[part] = np.partition(all_maxima, -groups, axis=1)[:, -groups:]
                    member, row, score = _above(products, maxima, best[part].min(axis=1) - SLACK)
                    candidates.append((row + first, member + start, score))
        cuts = best.min(axis=1, initial=np.inf) - SLACK
        row, column, score = (np.concatenate(part) for part in zip(*candidates, strict=True))
        kept = score >= cuts[row]
        row, column = row[kept], column[kept]
        return Neighbours(row, column if forms is None else forms[column], cuts)

    def _block(self, part: slice, forms: Ints | None) -> Floats:
        if forms is not None:
            return self.vectors[forms[part]].astype(np.float32)
        if self.vectors.size > _KEEP:
            return self.vectors[part].astype(np.float32)
        if part.start not in self._kept:
            self._kept[part.start] = self.vectors[part].astype(np.float32)
        return self._kept[part.start]


def _products(block: Floats, queries: Floats, buffer: Floats) -> tuple[Floats, Floats]:
    """(groups, 32, N) dot products of forms and queries, −inf at the end of an incomplete group; (groups, N) their maxima.

    buffer  memory for the products

    Forms come first: the maximum over a group then runs along whole rows, and a tall matrix times a narrow one is twice as
    fast as the reverse.
    """
    count = -(-len(block) // _GROUP)
    products = buffer.reshape(-1)[: count * _GROUP * len(queries)].reshape(-1, len(queries))
    products[len(block) :] = -np.inf
    maxima = np.empty((count, len(queries)), np.float32)
    columns = np.ascontiguousarray(queries.T)
    for start in range(0, len(block), _TILE):
        tile = slice(start, min(start + _TILE, len(block)))
        np.matmul(block[tile], columns, out=products[tile])
        groups = slice(start // _GROUP, -(-tile.stop // _GROUP))
        products.reshape(count, _GROUP, -1)[groups].max(axis=1, out=maxima[groups])
    return products.reshape(count, _GROUP, -1), maxima


def _above(products: Floats, maxima: Floats, cut: Floats) -> tuple[Ints, Ints, Floats]:
    """Position in the block, query and score of all products that reach the cut of their query.

    products (groups, 32, N)        maxima (groups, N)        cut (N,)
    """
    group, query = np.nonzero(maxima >= cut)
    members = products[group, :, query]
    at, member = np.nonzero((members >= cut[query, None]) & (members > -np.inf))
    return group[at] * _GROUP + member, query[at], members[at, member]
