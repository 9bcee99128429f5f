"""16-bit vectors in a file so large that a process should hold little of it: what is compared is read when it is."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from pathlib import Path

import numpy as np

from linnet.arrays import Fixed, Floats, Ints
from linnet.retrieve.fixed_point import ONE, FixedPoint, Found, Rows

__all__ = ["VectorFile"]

# Bits of the stretch of a file that the system maps around a byte that is looked at (64 kB), and of those that it maps at
# once where it can (2 MB), as so many stretches; how many of the latter are held until all are let go of (256 MB): what
# this process is charged for, not what the system keeps of the file.
_STRETCH, _LARGE, _HELD = 16, 32, 1 << 7
# Rows looked at together. Mapping a stretch takes as long as reading so many rows; so few are read in any case.
_TOGETHER, _ROWS, _FEW = 1 << 12, 4, 1 << 10


class VectorFile(FixedPoint):
    """(F, D) vectors to search, in a memory-mapped file of which some 256 MB is held between searches, and up to twice
    that in one."""

    def __init__(self, file: Path) -> None:
        """`file`: (F, D) int16 as `to_fixed_point` makes them."""
        rows = np.load(file, mmap_mode="r")
        super().__init__(np.asarray(rows))
        self._map: mmap.mmap = rows._mmap
        self._first: int = rows.offset
        self._row = rows.shape[1] * rows.itemsize
        self._file = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        self._seen = np.zeros((-(-((rows.nbytes >> _STRETCH) + 2) // _LARGE), _LARGE), dtype=bool)
        self._lock = threading.Lock()

    def products(self, query: Fixed, vectors: Fixed) -> Floats:
        """(M,) dot products of one text and (M, D) rows, exact before the final rounding to float32."""
        return np.asarray(vectors.astype(np.float64) @ query.astype(np.float64) / ONE**2, dtype=np.float32)

    def fixed(self, rows: Rows) -> Fixed:
        """(M, D) these rows: a few are read, many that lie close together, if ascending, are looked up in the mapped file."""
        taken = np.empty((len(rows), self.vectors.shape[1]), np.int16)
        for start in range(0, len(rows), _TOGETHER):
            part = rows[start : start + _TOGETHER].astype(np.int64)
            mapped = self._maps(part * self._row >> _STRETCH)
            taken[start : start + _TOGETHER] = self.vectors[part] if mapped else self._read(part)
        return taken

    def _read(self, rows: Ints) -> Fixed:
        """(M, D) these rows, read from the file one by one."""
        places = (rows * self._row + self._first).tolist()
        read = b"".join([os.pread(self._file, self._row, place) for place in places])
        return np.frombuffer(read, np.int16).reshape(-1, self.vectors.shape[1])

    def _maps(self, stretches: Ints) -> bool:
        """Whether mapping these stretches, one a row, is faster than reading the rows. They then count as held."""
        if not hasattr(os, "pread"):  # Windows
            return True
        if len(stretches) < _FEW:
            return False
        different = stretches[np.diff(stretches, prepend=-1) != 0]
        with self._lock:
            seen = self._seen.reshape(-1)
            if _ROWS * np.count_nonzero(~seen[different]) > len(stretches):
                return False
            seen[different] = True
            if np.count_nonzero(self._seen.any(axis=1)) > _HELD and hasattr(mmap, "MADV_DONTNEED"):
                self._map.madvise(mmap.MADV_DONTNEED)
                self._seen[:] = False
        return True

    def scores(self, queries: Fixed, found: Found) -> Floats:
        """(M,) dot product of each pair found, exact before the final rounding to float32."""
        if len(queries) == 1:
            return self.products(queries[0], self.fixed(found.forms))
        # In the order in which rows lie in the file, so that it is gone through once.
        order = np.argsort(found.forms, kind="stable")
        scores = np.empty(len(order), np.float32)
        scores[order] = super().scores(queries, Found(found.queries[order], found.forms[order], found.cuts))
        return scores
