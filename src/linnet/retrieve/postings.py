"""An inverted index on disk: for each feature the forms that have it, with weights. scipy multiplies it with queries."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.lib.format import open_memmap

from linnet.arrays import Floats, Ints, Mask, Rows
from linnet.retrieve.memory_map import damaged, map_array
from linnet.retrieve.ragged import offsets

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Postings", "PostingsWriter", "query_matrix"]


def query_matrix(owners: Ints, ids: Ints, weights: Floats, *, shape: tuple[int, int]) -> csr_array:
    """(texts, features) from the feature ids and weights of texts, ordered by `owners`, their text."""
    from scipy.sparse import csr_array

    starts = np.searchsorted(owners, np.arange(shape[0] + 1)).astype(np.int32)
    return csr_array((weights, ids.astype(np.int32), starts), shape=shape)


class Postings:
    """Features × columns in compressed sparse row form.

    starts   (V + 1,) the postings of feature v are at `starts[v]:starts[v + 1]`
    columns  (postings,) ascending within a feature
    weights  (postings,) added to the column's score for a query weight of 1
    forms    (columns,) the form of each column; None if column c is form c
    """

    def __init__(
        self, starts: Any, columns: Rows, weights: Floats, width: int, path: Path, forms: Rows | None = None
    ) -> None:
        self.starts, self.columns, self.weights = starts, columns, weights
        self.width, self.forms = width, forms
        self._path = path
        self.frequencies = np.diff(starts)

    @cached_property
    def _matrix(self) -> csr_array:
        # Importing scipy here, at the first search, keeps opening fast.
        from scipy.sparse import csr_array

        return csr_array((self.weights, self.columns, self.starts), shape=(len(self.starts) - 1, self.width))

    @classmethod
    def open(cls, path: Path, *, width: int) -> Self:
        """Open what a `PostingsWriter` wrote."""
        starts, columns, weights = (
            map_array(path / f"postings.{name}.npy") for name in ("starts", "columns", "weights")
        )
        return cls(starts, columns, weights, width, path)

    def restricted(self, forms: Mask) -> Self:
        """Only the columns of these forms, in memory. Raises DamagedError if a column is out of range."""
        self._check(self.columns)
        kept = np.flatnonzero(forms).astype(np.int32)
        column = np.cumsum(forms, dtype=np.int32) - 1
        allowed = forms[self.columns]
        starts = offsets(allowed)[self.starts].astype(self.starts.dtype)
        columns = column[self.columns[allowed]]
        return type(self)(starts, columns, self.weights[allowed], len(kept), self._path, kept)

    def forms_of(self, columns: Rows) -> Rows:
        """The form of each of these columns."""
        return columns if self.forms is None else self.forms[columns]

    def scores(self, queries: csr_array) -> csr_array:
        """(N, V) query weights → (N, columns) scores; columns that share no feature are absent, order unspecified.

        Raises DamagedError if a column is out of range.
        """
        unchecked = queries.indices[~self._checked[queries.indices]]
        for feature in set(unchecked.tolist()):
            self._check(self.columns[self.starts[feature] : self.starts[feature + 1]])
            self._checked[feature] = True
        return queries @ self._matrix

    @cached_property
    def _checked(self) -> Mask:
        """(V,) whether a feature's postings have been checked. scipy does not check: a wrong column would crash Python."""
        starts = self.starts
        if starts[0] != 0 or starts[-1] != len(self.columns) or np.any(starts[1:] < starts[:-1]):
            raise damaged(self._path / "postings.starts.npy")
        return np.zeros(len(starts) - 1, dtype=bool)

    def _check(self, columns: Rows) -> None:
        if len(columns) and not (columns.min() >= 0 and columns.max() < self.width):
            raise damaged(self._path / "postings.columns.npy")


class PostingsWriter:
    """Fills the memory-mapped `postings.*.npy`, some forms at a time.

    frequencies  (V,) how many postings of each feature will come
    """

    def __init__(self, path: Path, *, frequencies: Any) -> None:
        starts = offsets(frequencies)
        index = np.int32 if starts[-1] < 2**31 else np.int64
        np.save(path / "postings.starts.npy", starts.astype(index))
        self._columns, self._weights = (
            open_memmap(path / f"postings.{name}.npy", mode="w+", dtype=kind, shape=(int(starts[-1]),))
            for name, kind in (("columns", index), ("weights", np.float32))
        )
        self._free = starts[:-1]

    def add(self, forms: Ints, features: Ints, weights: Floats) -> None:
        """Postings ordered by form, of forms that come after all forms added before."""
        order = np.argsort(features, kind="stable")
        ordered = features[order]
        at = self._free[ordered] + np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
        self._columns[at], self._weights[at] = forms[order], weights[order]
        self._free = self._free + np.bincount(features, minlength=len(self._free))

    def close(self) -> None:
        """Flush everything to disk."""
        self._columns.flush()
        self._weights.flush()
