"""The sparse vectors of all names on disk, which score a hundred names exactly for each text."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.lib.format import open_memmap

from linnet.arrays import Floats, Ints, Rows
from linnet.retrieve.memory_map import damaged, map_array
from linnet.retrieve.ragged import offsets

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["SparseVectors", "SparseVectorsWriter"]

# Numbers in the dense buffer that holds the vectors of a few texts side by side (16 MB).
_BUFFER = 1 << 22
# The length of a vector with features is at least 1; less by rounding.
_LEAST = 0.999


class SparseVectors:
    """Counts of features in forms: forms × features in compressed sparse row form, memory-mapped."""

    def __init__(
        self, starts: Any, ids: Rows, counts: Any, lengths: Floats, *, features: int, path: Path
    ) -> None:
        """lengths (F,) divides a form's TF-IDF weights to make its vector one of length 1"""
        self._lengths, self._features, self._path = lengths, max(features, 1), path
        self._batch = max(1, _BUFFER // self._features)
        self._local = threading.local()
        self._arrays = (counts, ids, starts)

    @cached_property
    def _matrix(self) -> csr_array:
        # Importing scipy here, at the first search, keeps opening fast.
        from scipy.sparse import csr_array

        # scipy does not check its input: a wrong number would crash Python. Ids are checked as they are used.
        _, ids, starts = self._arrays
        if starts[0] != 0 or starts[-1] != len(ids) or np.any(starts[1:] < starts[:-1]):
            raise damaged(self._path / "vectors.starts.npy")
        # Wide enough for the features of several texts side by side, see `dot`.
        return csr_array(self._arrays, shape=(len(self._lengths), self._batch * self._features))

    @classmethod
    def open(cls, path: Path, *, features: int) -> Self:
        """Open what a `SparseVectorsWriter` wrote."""
        starts, ids, counts, lengths = (
            map_array(path / f"vectors.{name}.npy") for name in ("starts", "ids", "counts", "lengths")
        )
        return cls(starts, ids, counts, lengths, features=features, path=path)

    def dot(self, rows: Ints, forms: Rows, queries: csr_array) -> Floats:
        """(M,) Σ over features of queries[rows[m]] · counts of forms[m].

        rows  (M,) ascending        queries  (N, features) float32
        """
        buffer = self._buffer()
        products = np.empty(len(rows), np.float32)
        owner = np.repeat(np.arange(queries.shape[0]), np.diff(queries.indptr))
        for first in range(0, queries.shape[0], self._batch):
            last = min(first + self._batch, queries.shape[0])
            values = slice(queries.indptr[first], queries.indptr[last])
            filled = (owner[values] - first) * self._features + queries.indices[values]
            buffer[filled] = queries.data[values]
            # Each form's features move to where its text's vector lies in the buffer.
            at = slice(*np.searchsorted(rows, (first, last)))
            vectors = self._matrix[forms[at]]
            if vectors.nnz and not (vectors.indices.min() >= 0 and vectors.indices.max() < self._features):
                raise damaged(self._path / "vectors.ids.npy")
            shift = ((rows[at] - first) * self._features).astype(vectors.indices.dtype)
            vectors.indices += np.repeat(shift, np.diff(vectors.indptr))
            products[at] = vectors @ buffer
            buffer[filled] = 0
        return products

    def lengths(self, forms: Rows) -> Floats:
        """(M,) the lengths of forms that have features. Raises DamagedError if one is out of range."""
        lengths = self._lengths[forms]
        # A single feature weighs 1 or more, see `tfidf.idf`. The comparison also fails for NaN.
        if len(lengths) and not (lengths.min() >= _LEAST and lengths.max() < np.inf):
            raise damaged(self._path / "vectors.lengths.npy")
        return lengths

    def _buffer(self) -> Floats:
        """This thread's buffer, all zeros: fresh memory would cost more than the products."""
        if not hasattr(self._local, "buffer"):
            self._local.buffer = np.zeros(self._matrix.shape[1], np.float32)
        return self._local.buffer  # type: ignore[no-any-return]


class SparseVectorsWriter:
    """Fills the memory-mapped `vectors.*.npy`, some forms at a time.

    total  number of distinct (form, feature) pairs that will come
    """

    def __init__(self, path: Path, *, forms: int, total: int) -> None:
        self._path = path
        self._ids, self._counts = (
            open_memmap(path / f"vectors.{name}.npy", mode="w+", dtype=kind, shape=(total,))
            for name, kind in (("ids", np.int32), ("counts", np.uint8))
        )
        self._sizes, self._lengths = np.zeros(forms, np.int64), np.ones(forms, np.float32)
        self._filled = 0

    def add(self, forms: Ints, features: Ints, counts: Ints, lengths: Floats, *, first: int) -> None:
        """Pairs ordered by form, and the lengths of all forms of the batch, which begins with form `first`."""
        end = self._filled + len(features)
        self._ids[self._filled : end], self._counts[self._filled : end] = features, counts
        self._filled = end
        batch = slice(first, first + len(lengths))
        self._sizes[batch] = np.bincount(forms - first, minlength=len(lengths))
        self._lengths[batch] = lengths

    def close(self) -> None:
        """Write where each form starts, and flush everything to disk."""
        starts = offsets(self._sizes)
        starts = starts.astype(np.int32 if starts[-1] < 2**31 else np.int64)
        np.save(self._path / "vectors.starts.npy", starts)
        np.save(self._path / "vectors.lengths.npy", self._lengths)
        self._ids.flush()
        self._counts.flush()
