"""The centres of lists: the nearest ones to a row, and to a text."""

from __future__ import annotations

from math import isqrt

import faiss
import numpy as np

from linnet.arrays import Fixed, Floats, Ints, Mask, SignedBytes
from linnet.retrieve.faiss_threads import faiss_threads
from linnet.retrieve.kmeans import spherical_kmeans

__all__ = ["NearCentres", "TextCentres", "centres_as_bytes", "nearest_lists"]

_LARGEST = 127
# Centres are compared only in the nearest groups: so many sixteenths of the groups, and at least so many. Lists chosen
# among 64 such centres keep 0.2 points fewer of the nearest rows than lists chosen among the 64 nearest centres.
_SIXTEENTHS, _FEWEST = 3, 8
# Half of the range in which 32-bit floats are exact for whole numbers: sums below it do not depend on the order of addends.
_WHOLE = 2.0**23
# Lists are compared in groups of so many, of which the nearest list counts; the nearest lists are this share of the groups.
# Chosen on 416 edited names of the 7 million of `benchmarks/scale`, none of them a query of the benchmark.
_GROUP, _NEAREST = 32, 32


def centres_as_bytes(centres: Floats) -> SignedBytes:
    """(L, D) unit centres as whole numbers from −127 to 127, all by one factor."""
    return np.asarray(np.rint(centres * (_LARGEST / np.abs(centres).max())), dtype=np.int8)


class NearCentres:
    """The nearest centres of rows, with few exceptions, for a tenth of the work of comparing all."""

    def __init__(self, centres: Floats, *, threads: int) -> None:
        """centres (L, D), of length 1"""
        groups = isqrt(len(centres))
        middles = faiss.IndexFlatIP(centres.shape[1])
        middles.add(spherical_kmeans(centres, groups, threads=threads))
        self._index = faiss.IndexIVFFlat(middles, centres.shape[1], groups, faiss.METRIC_INNER_PRODUCT)
        self._index.is_trained = True
        self._index.add(centres)
        self._index.nprobe = min(groups, max(_FEWEST, -(-groups * _SIXTEENTHS // 16)))

    def nearest(self, rows: Floats, count: int) -> tuple[Floats, Ints]:
        """(N, count) dot products, falling, and (N, count) the centres, padded with −1. Uses the calling thread only."""
        with faiss_threads(1):
            near, centres = self._index.search(np.ascontiguousarray(rows, np.float32), count)
        return near, centres


class TextCentres:
    """How near texts are to all centres: the same numbers for a text alone and among others."""

    def __init__(self, centres: SignedBytes) -> None:
        """`centres`: (L, D) as `centres_as_bytes` makes them."""
        self._columns = np.ascontiguousarray(centres.T, np.float32)
        # No partial sum exceeds the length of the text, 2¹⁵ / step, times that of the centre.
        longest = float(np.linalg.norm(self._columns, axis=0).max())
        self.step = np.float32(max(1.0, 2.0 ** np.ceil(np.log2(longest * 2.0**15 / _WHOLE))))

    def near(self, texts: Fixed) -> Floats:
        """(N, L) whole numbers, larger for nearer centres: dot products divided by `step`, a power of two."""
        return np.asarray(np.rint(texts / self.step, dtype=np.float32) @ self._columns)


def nearest_lists(near: Floats, sizes: Ints, *, reach: float, least: float, most: float) -> Ints:
    """(N, M) the lists near to each text, ascending, padded with −1.

    A text among many similar names has a few lists that are much nearer than the others, and needs few. A text like no name
    needs many. A list is near from some point between the mean nearness of all lists and that of the nearest ones.

    near   (N, L) whole numbers        sizes (L,) entries of each
    reach  that point: 0 is the mean of all lists, 1 that of the nearest
    least  entries that the lists hold together at least, if there are so many
    most   entries that they hold at most; the last list may exceed it
    """
    lists = near.shape[1]
    # The nearest list of each group instead of the nearest of all: a twentieth of the work.
    groups = max(1, lists // _GROUP)
    best = near[:, : groups * (lists // groups)].reshape(len(near), -1, groups).max(axis=1)
    few = -(-groups // _NEAREST)
    # In double precision sums of whole numbers are exact: the same whatever the order.
    strong = np.partition(best, groups - few, axis=1)[:, groups - few :].mean(axis=1, dtype=np.float64)
    mean = near.mean(axis=1, dtype=np.float64)
    # Whole numbers compared in their own precision.
    is_chosen = near >= np.ceil(mean + reach * (strong - mean)).astype(np.float32)[:, None]
    entries = np.where(is_chosen, sizes.astype(np.float32), np.float32(0)).sum(axis=1, dtype=np.float64)
    others = np.flatnonzero((entries < least) | (entries > most))
    is_chosen[others] = _nearest(near[others], sizes, np.where(entries[others] < least, least, most))
    counts = is_chosen.sum(axis=1)
    chosen = np.full((len(near), int(counts.max(initial=0))), -1, np.int64)
    chosen[np.arange(chosen.shape[1]) < counts[:, None]] = np.nonzero(is_chosen)[1]
    return chosen


def _nearest(near: Floats, sizes: Ints, wanted: Floats) -> Mask:
    """(N, L) the nearest lists of each text that hold the (N,) wanted entries together, the lower list first in a tie."""
    lists = near.shape[1]
    bits = (lists - 1).bit_length()
    # Sorting whole numbers, nearness in the high part and the list in the low part, is much faster than argsort.
    keys = near.astype(np.int64) << bits | np.arange(lists)[::-1]
    is_near = np.zeros(near.shape, bool)
    rows, count = (
        np.arange(len(near)),
        min(lists, int(2 * wanted.max(initial=1) * lists / max(1, sizes.sum())) + _GROUP),
    )
    while len(rows):
        best = (
            np.partition(keys[rows], lists - count, axis=1)[:, lists - count :]
            if count < lists
            else keys[rows]
        )
        best.sort(axis=1)
        order = lists - 1 - (best[:, ::-1] & (1 << bits) - 1)
        held = sizes[order]
        before = np.cumsum(held, axis=1) - held
        is_near[rows[:, None], order] = before < wanted[rows, None]
        is_short = before[:, -1] + held[:, -1] < wanted[rows]
        rows, count = (rows[is_short], min(lists, 2 * count)) if count < lists else (rows[:0], count)
    return is_near
