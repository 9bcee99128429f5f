"""Vectors as 16-bit whole numbers, searched exactly: the same pair of vectors gets the same score to the last bit.

A vector of length at most 1 is stored as its components times 2¹⁵ − 1, rounded. A dot product of two such vectors
is a whole number below 2³¹, which 64-bit floats hold exactly in whatever order it is added up: neither the batch, nor
the number of threads, nor the BLAS library can change it. 32-bit matrix products find the candidates; they are off by
about 10⁻⁷, and are therefore only asked which forms *may* be among the best.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from linnet.retrieve.blas import single_threaded_blas

__all__ = ["SLACK", "Fixed", "FixedPoint", "Found", "to_fixed_point"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Fixed = np.ndarray[Any, np.dtype[np.int16]]
Floats = np.ndarray[Any, np.dtype[np.float32]]

_ONE = 2.0**15 - 1
# Candidates this much below the cut are kept: above the error of 32-bit products and the 1e-5 scores are rounded to.
SLACK = np.float32(4e-5)
# Forms whose best score stands for all of them while the cut is sought.
_GROUP = 32
# Forms and texts scored at a time: their scores (4 MB) are looked at while they are still in the caches.
_FORMS, _TEXTS = 1 << 14, 64
# Numbers up to which the 32-bit form is kept: 128 MB.
_KEPT = 1 << 25
# Numbers multiplied at a time when candidates are scored exactly.
_CELLS = 1 << 21


class Found(NamedTuple):
    """Candidates of many queries.

    queries, forms  (M,) candidate m is form forms[m] for query queries[m]; unordered
    cuts            (N,) no form left out scores above this, −inf where none was left out
    """

    queries: Ints
    forms: Ints
    cuts: Floats


def to_fixed_point(vectors: Floats) -> Fixed:
    """(N, D) rows of length at most 1 as whole numbers."""
    return np.asarray(np.rint(vectors * np.float32(_ONE)), dtype=np.int16)


class FixedPoint:
    """(F, D) vectors to search. Rows that are neighbours should be names of one concept.

    Their 32-bit form is kept once made when it is small, which makes single texts several times as fast.
    """

    def __init__(self, vectors: Fixed, *, threads: int | None = None) -> None:
        """`threads`: None for one per available core. Results do not depend on it."""
        self.vectors = vectors
        self._threads = threads or len(os.sched_getaffinity(0))
        self._kept: dict[int, tuple[Floats, Ints]] = {}

    def __len__(self) -> int:
        return len(self.vectors)

    def scores(self, queries: Fixed, found: Found) -> Floats:
        """(M,) dot product of each pair found, exact before the final rounding to float32."""
        scores = np.empty(len(found.queries), np.float32)
        step = max(1, _CELLS // max(1, queries.shape[1]))
        for start in range(0, len(scores), step):
            part = slice(start, start + step)
            left = queries[found.queries[part]].astype(np.float64)
            right = self.vectors[found.forms[part]].astype(np.float64)
            scores[part] = np.einsum("ij,ij->i", left, right) / _ONE**2
        return scores

    def nearest(self, queries: Fixed, *, groups: int, forms: Ints | None = None) -> Found:
        """The forms that may be among the nearest of each query, by dot product.

        groups  the cut is the score of the best form of the `groups`-th best group of 32 neighbouring forms
        forms   ascending; search only these rows
        """
        total = len(self) if forms is None else len(forms)
        wide: Floats = np.divide(queries, _ONE**2, dtype=np.float32)
        parts = [slice(start, start + _TEXTS) for start in range(0, len(queries), _TEXTS)]
        best = np.full((len(queries), groups), -np.inf, np.float32)
        found: list[tuple[Ints, Ints, Floats]] = []
        with single_threaded_blas(), ThreadPoolExecutor(self._threads) as pool:
            each = map if self._threads == 1 or len(parts) < 2 else pool.map
            for start in range(0, total, _FORMS):
                block, padding = self._block(slice(start, min(start + _FORMS, total)), forms)

                def search(
                    part: slice, block: Floats = block, padding: Ints = padding, start: int = start
                ) -> Any:
                    products = wide[part] @ block.T
                    products[:, padding] = -np.inf
                    products = products.reshape(len(products), _GROUP, -1)
                    strongest = products.max(axis=1)
                    together = np.concatenate([best[part], strongest], axis=1)
                    best[part] = np.partition(together, together.shape[1] - groups, axis=1)[:, -groups:]
                    row, member, score = _above(products, strongest, best[part].min(axis=1) - SLACK)
                    return row + part.start, member + start, score

                found.extend(each(search, parts))
        cuts = best.min(axis=1, initial=np.inf) - SLACK
        row, column, score = (np.concatenate(part) for part in zip(*found, strict=True))
        kept = score >= cuts[row]
        row, column = row[kept], column[kept]
        return Found(row, column if forms is None else forms[column], cuts)

    def _block(self, part: slice, forms: Ints | None) -> tuple[Floats, Ints]:
        if forms is not None:
            return _grouped(self.vectors[forms[part]])
        if self.vectors.size > _KEPT:
            return _grouped(self.vectors[part])
        if part.start not in self._kept:
            self._kept[part.start] = _grouped(self.vectors[part])
        return self._kept[part.start]


def _grouped(block: Fixed) -> tuple[Floats, Ints]:
    """The vectors as floats, the first of each group, then the second of each, …; and where only padding stands.

    In this order the maximum over a group runs along whole cache lines.
    """
    count = -(-len(block) // _GROUP)
    padded = np.zeros((_GROUP, count, block.shape[1]), np.float32)
    whole = len(block) // _GROUP
    padded[:, :whole] = block[: whole * _GROUP].reshape(whole, _GROUP, block.shape[1]).swapaxes(0, 1)
    rest = block[whole * _GROUP :]
    padded[: len(rest), whole:] = rest[:, None]
    padding = np.arange(len(rest), _GROUP) * count + whole if len(rest) else np.zeros(0, np.int64)
    return padded.reshape(_GROUP * count, block.shape[1]), padding


def _above(products: Floats, strongest: Floats, cut: Floats) -> tuple[Ints, Ints, Floats]:
    """Row, position in the block and score of all products that reach the cut of their row.

    products (N, 32, groups)        strongest (N, groups) the maximum of each group        cut (N,)
    """
    at = np.flatnonzero(strongest >= cut[:, None])
    row, group = at // strongest.shape[1], at % strongest.shape[1]
    members = products[row, :, group]
    found, member = np.nonzero((members >= cut[row, None]) & (members > -np.inf))
    return row[found], group[found] * _GROUP + member, members[found, member]
