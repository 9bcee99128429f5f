"""The names' own vectors on disk, to score a hundred names exactly for each text."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.lib.format import open_memmap

from linnet.arrays import Floats, Ints, Rows
from linnet.retrieve.memory_map import damaged, map_array

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["SparseVectors", "SparseVectorsWriter"]

# Numbers in the dense buffer that holds the vectors of a few texts side by side (16 MB).
_BUFFER = 1 << 22
_LEAST = 0.999  # length of a vector with features, rounding allowed for


class SparseVectors:
    """How often each feature occurs in each form: forms × features in compressed sparse row form, memory-mapped."""

    def __init__(
        self, starts: Any, ids: Rows, counts: Any, lengths: Floats, *, features: int, path: Path
    ) -> None:
        """lengths (F,) what divides a form's TF-IDF weights to make its vector one of length 1"""
        self._lengths, self._features, self._path = lengths, max(features, 1), path
        self._together = max(1, _BUFFER // self._features)
        self._kept = threading.local()
        self._parts = (counts, ids, starts)

    @cached_property
    def _matrix(self) -> csr_array:
        # Made, and scipy imported, at the first search: opening is to take no time.
        from scipy.sparse import csr_array

        # scipy trusts what it is given, and a wrong number would end the interpreter. The ids are looked at as they are used.
        starts, ids = self._parts[2], self._parts[1]
        if starts[0] != 0 or starts[-1] != len(ids) or np.any(starts[1:] < starts[:-1]):
            raise damaged(self._path / "vectors.starts.npy")
        # Wide enough for the features of several texts side by side, see `dot`.
        return csr_array(self._parts, shape=(len(self._lengths), self._together * self._features))

    @classmethod
    def open(cls, path: Path, *, features: int) -> Self:
        """What a `SparseVectorsWriter` wrote."""
        starts, ids, counts, lengths = (
            map_array(path / f"vectors.{part}.npy") for part in ("starts", "ids", "counts", "lengths")
        )
        return cls(starts, ids, counts, lengths, features=features, path=path)

    def dot(self, rows: Ints, forms: Rows, queries: csr_array) -> Floats:
        """(M,) Σ over features of queries[rows[m]] · counts of forms[m].

        rows  (M,) ascending        queries  (N, features) float32
        """
        dense = self._buffer()
        dots = np.empty(len(rows), np.float32)
        owner = np.repeat(np.arange(queries.shape[0]), np.diff(queries.indptr))
        for first in range(0, queries.shape[0], self._together):
            last = min(first + self._together, queries.shape[0])
            values = slice(queries.indptr[first], queries.indptr[last])
            filled = (owner[values] - first) * self._features + queries.indices[values]
            dense[filled] = queries.data[values]
            # Each form's features are moved to where its text's vector lies in the buffer.
            at = slice(*np.searchsorted(rows, (first, last)))
            vectors = self._matrix[forms[at]]
            if vectors.nnz and not (vectors.indices.min() >= 0 and vectors.indices.max() < self._features):
                raise damaged(self._path / "vectors.ids.npy")
            shift = ((rows[at] - first) * self._features).astype(vectors.indices.dtype)
            vectors.indices += np.repeat(shift, np.diff(vectors.indptr))
            dots[at] = vectors @ dense
            dense[filled] = 0
        return dots

    def lengths(self, forms: Rows) -> Floats:
        """(M,) what divides the TF-IDF weights of forms that have features to make a vector of length 1.

        Raises DamagedError where it cannot be one: the index was altered.
        """
        found = self._lengths[forms]
        # One feature alone weighs 1 or more, see `tfidf.idf`. NaN is not at least anything.
        if len(found) and not (found.min() >= _LEAST and found.max() < np.inf):
            raise damaged(self._path / "vectors.lengths.npy")
        return found

    def _buffer(self) -> Floats:
        """This thread's buffer, all zeros: fresh memory would cost more than the products."""
        if not hasattr(self._kept, "buffer"):
            self._kept.buffer = np.zeros(self._matrix.shape[1], np.float32)
        return self._kept.buffer  # type: ignore[no-any-return]


class SparseVectorsWriter:
    """Fills `vectors.*.npy`, some forms at a time, in memory-mapped files.

    total  distinct (form, feature) pairs that will come
    """

    def __init__(self, path: Path, *, forms: int, total: int) -> None:
        self._path = path
        self._ids, self._counts = (
            open_memmap(path / f"vectors.{part}.npy", mode="w+", dtype=kind, shape=(total,))
            for part, kind in (("ids", np.int32), ("counts", np.uint8))
        )
        self._sizes, self._lengths = np.zeros(forms, np.int64), np.ones(forms, np.float32)
        self._filled = 0

    def add(self, forms: Ints, features: Ints, counts: Ints, lengths: Floats, *, first: int) -> None:
        """Pairs ordered by form, and the lengths of all forms from `first` on that come with them."""
        end = self._filled + len(features)
        self._ids[self._filled : end], self._counts[self._filled : end] = features, counts
        self._filled = end
        here = slice(first, first + len(lengths))
        self._sizes[here] = np.bincount(forms - first, minlength=len(lengths))
        self._lengths[here] = lengths

    def close(self) -> None:
        """Write where each form starts, and bring everything to disk."""
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(self._sizes)])
        np.save(
            self._path / "vectors.starts.npy", starts.astype(np.int32 if starts[-1] < 2**31 else np.int64)
        )
        np.save(self._path / "vectors.lengths.npy", self._lengths)
        self._ids.flush()
        self._counts.flush()
