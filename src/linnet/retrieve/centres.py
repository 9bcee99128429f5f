"""The centres of lists: which are nearest to a row, and to a text."""

from __future__ import annotations

from math import isqrt
from typing import Any

import faiss
import numpy as np

from linnet.retrieve.faiss_threads import faiss_threads
from linnet.retrieve.kmeans import spherical_kmeans

__all__ = ["NearCentres", "TextCentres", "centres_as_bytes", "nearest_lists"]

Bytes = np.ndarray[Any, np.dtype[np.int8]]
Fixed = np.ndarray[Any, np.dtype[np.int16]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

_LARGEST = 127
# Centres are compared in groups, those of the nearest ones only: so many sixteenths of the groups, and at least so many.
# Lists chosen among 64 centres found so keep 0.2 points less of the nearest rows than among the 64 nearest.
_SIXTEENTHS, _FEWEST = 3, 8
# Half of what 32-bit floats hold whole numbers up to: sums that stay below do not depend on the order of adding up.
_WHOLE = 2.0**23
# Of so many lists is found out how near those are that count.
_SOME = 1 << 10


def centres_as_bytes(centres: Floats) -> Bytes:
    """(L, D) unit centres as whole numbers from −127 to 127, all by one factor."""
    return np.asarray(np.rint(centres * (_LARGEST / np.abs(centres).max())), dtype=np.int8)


class NearCentres:
    """The nearest centres of rows, nearly always; a tenth of the work of comparing all."""

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
        """(N, count) dot products, falling, and (N, count) the centres; −1 where there are no more. By this thread alone."""
        with faiss_threads(1):
            near, centres = self._index.search(np.ascontiguousarray(rows, np.float32), count)
        return near, centres


class TextCentres:
    """How near all centres are to texts: the same numbers for a text alone and among others."""

    def __init__(self, centres: Bytes) -> None:
        """`centres`: (L, D) as `centres_as_bytes` makes them."""
        self._columns = np.ascontiguousarray(centres.T, np.float32)
        # No part of a sum is larger than the length of the text, 2¹⁵ / step, times that of the centre.
        longest = float(np.linalg.norm(self._columns, axis=0).max())
        self.step = np.float32(max(1.0, 2.0 ** np.ceil(np.log2(longest * 2.0**15 / _WHOLE))))

    def near(self, texts: Fixed) -> Floats:
        """(N, L) whole numbers, the larger the nearer: products divided by `step`, which is a power of two."""
        return np.asarray(np.rint(texts / self.step, dtype=np.float32) @ self._columns)


def nearest_lists(near: Floats, sizes: Ints, share: float) -> Ints:
    """(N, most) the nearest lists of each text that hold `share` entries together, ascending, −1 where there are no more.

    near (N, L) whole numbers        sizes (L,) entries of each
    """
    lists = len(sizes)
    some = near[:, :: max(1, lists // _SOME)]
    # Lists nearer than `cuts` hold, as far as some of them tell, twice as much as is wanted.
    place = some.shape[1] - 1 - int(2 * share / max(sizes.sum(), 1) * some.shape[1])
    cuts = np.full(len(near), -np.inf) if place < 0 else np.partition(some, place, axis=1)[:, place]
    each = []
    for row, cut in zip(near, cuts, strict=True):
        for least in (cut, -np.inf):
            close = np.flatnonzero(row >= least)
            # Sorted as whole numbers, nearness before number: much faster than finding the order.
            keys = np.sort(row[close].astype(np.int64) * lists + (lists - 1 - close))
            order = lists - 1 - keys[::-1] % lists
            enough = int(np.searchsorted(np.cumsum(sizes[order]), share)) + 1
            if enough <= len(order):
                break
        each.append(np.sort(order[:enough]))
    chosen = np.full((len(each), max(map(len, each))), -1, np.int64)
    for row, numbers in zip(chosen, each, strict=True):
        row[: len(numbers)] = numbers
    return chosen
