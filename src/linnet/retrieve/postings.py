"""An inverted index on disk: for each feature the forms that have it, with weights, multiplied with queries by scipy."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.lib.format import open_memmap

from linnet.arrays import Floats, Ints, Mask, Rows
from linnet.retrieve.memory_map import damaged, map_array

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Postings", "PostingsWriter"]


class Postings:
    """Features × columns in compressed sparse row form.

    starts   (V + 1,) the postings of feature v are at `starts[v]:starts[v + 1]`
    columns  (postings,) ascending within a feature
    weights  (postings,) what the feature adds to the column's score for a query weight of 1
    forms    (columns,) the form of each column; None where column c is form c
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
        # Made, and scipy imported, at the first search: opening is to take no time.
        from scipy.sparse import csr_array

        return csr_array((self.weights, self.columns, self.starts), shape=(len(self.starts) - 1, self.width))

    @classmethod
    def open(cls, path: Path, *, width: int) -> Self:
        """What a `PostingsWriter` wrote."""
        starts, columns, weights = (
            map_array(path / f"postings.{part}.npy") for part in ("starts", "columns", "weights")
        )
        return cls(starts, columns, weights, width, path)

    def restricted(self, forms: Mask) -> Self:
        """Only the columns of these forms, in memory. Raises DamagedError where a posting is of no column."""
        self._check(self.columns)
        kept = np.flatnonzero(forms).astype(np.int32)
        column = np.cumsum(forms, dtype=np.int32) - 1
        here = forms[self.columns]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(here, dtype=np.int64)])
        starts = before[self.starts].astype(self.starts.dtype)
        return type(self)(starts, column[self.columns[here]], self.weights[here], len(kept), self._path, kept)

    def forms_of(self, columns: Rows) -> Rows:
        """The form of each of these columns."""
        return columns if self.forms is None else self.forms[columns]

    def scores(self, queries: csr_array) -> csr_array:
        """(N, V) query weights → (N, columns) scores; columns that share no feature are absent, order unspecified.

        Raises DamagedError where a posting is of no column: the index was altered.
        """
        if not self._sound[queries.indices].all():
            self._look_through(np.unique(queries.indices))
        return queries @ self._matrix

    @cached_property
    def _sound(self) -> Mask:
        """(V,) whose postings have been looked through: scipy trusts them, and a wrong column would end the interpreter."""
        starts = self.starts
        if starts[0] != 0 or starts[-1] != len(self.columns) or np.any(starts[1:] < starts[:-1]):
            raise damaged(self._path / "postings.starts.npy")
        return np.zeros(len(starts) - 1, dtype=bool)

    def _look_through(self, features: Rows) -> None:
        for feature in features[~self._sound[features]].tolist():
            columns = self.columns[self.starts[feature] : self.starts[feature + 1]]
            self._check(columns)
            self._sound[feature] = True

    def _check(self, columns: Rows) -> None:
        if len(columns) and not (columns.min() >= 0 and columns.max() < self.width):
            raise damaged(self._path / "postings.columns.npy")


class PostingsWriter:
    """Fills `postings.*.npy`, some forms at a time, in memory-mapped files.

    frequencies  (V,) forms that have each feature: as many postings will come
    """

    def __init__(self, path: Path, *, frequencies: Any) -> None:
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(frequencies, dtype=np.int64)])
        index = np.int32 if starts[-1] < 2**31 else np.int64
        np.save(path / "postings.starts.npy", starts.astype(index))
        self._columns, self._weights = (
            open_memmap(path / f"postings.{part}.npy", mode="w+", dtype=kind, shape=(int(starts[-1]),))
            for part, kind in (("columns", index), ("weights", np.float32))
        )
        self._free = starts[:-1]

    def add(self, forms: Ints, features: Ints, weights: Floats) -> None:
        """Postings of forms that come after all forms added before; ordered by form."""
        order = np.argsort(features, kind="stable")
        ordered = features[order]
        at = self._free[ordered] + np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
        self._columns[at], self._weights[at] = forms[order], weights[order]
        self._free = self._free + np.bincount(features, minlength=len(self._free))

    def close(self) -> None:
        """Bring everything to disk."""
        self._columns.flush()
        self._weights.flush()
