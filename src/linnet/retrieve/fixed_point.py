"""Vectors as 16-bit whole numbers, searched exactly: the same pair of vectors gets the same score to the last bit.

A vector of length at most 1 is stored as its components times 2¹⁵ − 1, rounded. A dot product of two such vectors
is a whole number below 2³¹, and so is every part of its sum: 32-bit integers hold it exactly, and neither the batch, nor
the number of threads, nor the BLAS library can change it. 32-bit matrix products find the candidates; they are off by
about 10⁻⁷, and are therefore only asked which forms *may* be among the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linnet.arrays import Fixed, Floats, Ints
from linnet.arrays import Rows as StoreRows
from linnet.blas import single_threaded_blas

__all__ = ["ONE", "SLACK", "FixedPointVectors", "Neighbours", "RowNumbers", "to_fixed_point"]

RowNumbers = Ints | StoreRows

# What a component of 1 is stored as.
ONE = 2.0**15 - 1
# Candidates this much below the cut are kept: above the error of 32-bit products and the 1e-5 scores are rounded to.
SLACK = np.float32(4e-5)
# Forms whose best score stands for all of them while the cut is sought.
_GROUP = 32
# Forms between two looks at the cut, texts taken at a time, and forms multiplied at a time: their scores (1 MB) are
# reduced to those of groups while they are still in the cache.
_FORMS, _TEXTS, _TILE = 1 << 14, 256, 1 << 10
# Numbers up to which the 32-bit form is kept: 128 MB.
_KEPT = 1 << 25
# Numbers multiplied at a time when candidates are scored exactly: few enough to stay in the cache (1 MB).
_CELLS = 1 << 17


class Neighbours(NamedTuple):
    """Candidates of many queries.

    queries, forms  (M,) candidate m is form forms[m] for query queries[m]; unordered
    cuts            (N,) no form left out scores above this, −inf where none was left out
    scores          (M,) as `FixedPointVectors.scores` has them, where they are known
    """

    queries: Ints
    forms: Ints
    cuts: Floats
    scores: Floats | None = None


def to_fixed_point(vectors: Floats) -> Fixed:
    """(N, D) rows of length at most 1 as whole numbers."""
    return np.asarray(np.rint(vectors * np.float32(ONE)), dtype=np.int16)


class FixedPointVectors:
    """(F, D) vectors to search. Rows that are neighbours should be names of one concept.

    Their 32-bit form is kept once made when it is small, which makes single texts several times as fast.
    """

    def __init__(self, vectors: Fixed) -> None:
        self.vectors = vectors
        self._kept: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self.vectors)

    def scores(self, queries: Fixed, found: Neighbours) -> Floats:
        """(M,) dot product of each pair found, exact before the final rounding to float32."""
        scores = np.empty(len(found.queries), np.float32)
        step = max(1, _CELLS // max(1, queries.shape[1]))
        for start in range(0, len(scores), step):
            part = slice(start, start + step)
            left = queries[found.queries[part]].astype(np.int32)
            right = self.fixed(found.forms[part]).astype(np.int32)
            scores[part] = np.einsum("ij,ij->i", left, right) / ONE**2
        return scores

    def fixed(self, rows: RowNumbers) -> Fixed:
        """(M, D) 16-bit vectors of these rows."""
        return np.asarray(self.vectors[rows], dtype=np.int16)

    def nearest(self, queries: Fixed, *, groups: int, forms: Ints | None = None) -> Neighbours:
        """The forms that may be among the nearest of each query, by dot product.

        groups  the cut is the score of the best form of the `groups`-th best group of 32 neighbouring forms
        forms   ascending; search only these rows
        """
        total = len(self) if forms is None else len(forms)
        wide: Floats = np.divide(queries, ONE**2, dtype=np.float32)
        best = np.full((len(queries), groups), -np.inf, np.float32)
        found: list[tuple[Ints, Ints, Floats]] = []
        # Memory for products is asked for once: fresh pages for each block would take a tenth of the time.
        room = np.empty((min(_FORMS, total + _GROUP), min(_TEXTS, len(queries))), np.float32)
        with single_threaded_blas():
            for start in range(0, total, _FORMS):
                block = self._block(slice(start, min(start + _FORMS, total)), forms)
                for first in range(0, len(queries), _TEXTS):
                    part = slice(first, first + _TEXTS)
                    products, strongest = _products(block, wide[part], room)
                    together = np.concatenate([best[part], strongest.T], axis=1)
                    best[part] = np.partition(together, together.shape[1] - groups, axis=1)[:, -groups:]
                    member, row, score = _above(products, strongest, best[part].min(axis=1) - SLACK)
                    found.append((row + first, member + start, score))
        cuts = best.min(axis=1, initial=np.inf) - SLACK
        row, column, score = (np.concatenate(part) for part in zip(*found, strict=True))
        kept = score >= cuts[row]
        row, column = row[kept], column[kept]
        return Neighbours(row, column if forms is None else forms[column], cuts)

    def _block(self, part: slice, forms: Ints | None) -> Floats:
        if forms is not None:
            return self.vectors[forms[part]].astype(np.float32)
        if self.vectors.size > _KEPT:
            return self.vectors[part].astype(np.float32)
        if part.start not in self._kept:
            self._kept[part.start] = self.vectors[part].astype(np.float32)
        return self._kept[part.start]


def _products(block: Floats, queries: Floats, room: Floats) -> tuple[Floats, Floats]:
    """(groups, 32, N) dot products of forms and queries, −inf where a group is not full; (groups, N) largest of each.

    room  where the products are written

    Forms come first: the maximum over a group then runs along whole rows, and products of a tall matrix with a narrow
    one are twice as fast as the other way round.
    """
    count = -(-len(block) // _GROUP)
    products = room.reshape(-1)[: count * _GROUP * len(queries)].reshape(-1, len(queries))
    products[len(block) :] = -np.inf
    strongest = np.empty((count, len(queries)), np.float32)
    columns = np.ascontiguousarray(queries.T)
    for start in range(0, len(block), _TILE):
        tile = slice(start, min(start + _TILE, len(block)))
        np.matmul(block[tile], columns, out=products[tile])
        groups = slice(start // _GROUP, -(-tile.stop // _GROUP))
        products.reshape(count, _GROUP, -1)[groups].max(axis=1, out=strongest[groups])
    return products.reshape(count, _GROUP, -1), strongest


def _above(products: Floats, strongest: Floats, cut: Floats) -> tuple[Ints, Ints, Floats]:
    """Position in the block, row and score of all products that reach the cut of their row.

    products (groups, 32, N)        strongest (groups, N) the maximum of each group        cut (N,)
    """
    group, row = np.nonzero(strongest >= cut)
    members = products[group, :, row]
    found, member = np.nonzero((members >= cut[row, None]) & (members > -np.inf))
    return group[found] * _GROUP + member, row[found], members[found, member]
