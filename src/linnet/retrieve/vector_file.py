"""16-bit vectors in a file so large that a process should hold little of it: what is compared is read when it is."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from linnet.retrieve.fixed_point import ONE, Fixed, FixedPoint, Found, Rows

__all__ = ["VectorFile"]

Floats = np.ndarray[Any, np.dtype[np.float32]]

# Bits of the stretch of a file that the system maps around a byte that is looked at (64 kB), and the number of them after
# which all are let go of (256 MB): what this process is charged for, not what the system keeps of the file.
_STRETCH, _HELD = 16, 1 << 12
# Rows that are read one by one: 1.8 µs each, where a stretch that is not held takes 8 µs.
_FEW = 1 << 12


class VectorFile(FixedPoint):
    """(F, D) vectors to search, in a memory-mapped file of which some 256 MB is held between searches, and up to twice
    that in one."""

    def __init__(self, file: Path, *, threads: int | None = None) -> None:
        """`file`: (F, D) int16 as `to_fixed_point` makes them."""
        rows = np.load(file, mmap_mode="r")
        super().__init__(np.asarray(rows), threads=threads)
        self._map: mmap.mmap = rows._mmap
        self._first: int = rows.offset
        self._file = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        self._seen = np.zeros((rows.nbytes >> _STRETCH) + 2, dtype=bool)
        self._lock = threading.Lock()

    def products(self, query: Fixed, vectors: Fixed) -> Floats:
        """(M,) dot products of one text and (M, D) rows, exact before the final rounding to float32."""
        return np.asarray(vectors.astype(np.float64) @ query.astype(np.float64) / ONE**2, dtype=np.float32)

    def fixed(self, rows: Rows) -> Fixed:
        """(M, D) these rows: a few are read one by one, many, best ascending, in the mapped file."""
        width = self.vectors.shape[1]
        size = width * self.vectors.itemsize
        if len(rows) <= _FEW:
            starts = (rows.astype(np.int64) * size + self._first).tolist()
            joined = b"".join([os.pread(self._file, size, start) for start in starts])
            return np.frombuffer(joined, np.int16).reshape(-1, width)
        taken = np.empty((len(rows), width), np.int16)
        for start in range(0, len(rows), _FEW):
            part = rows[start : start + _FEW]
            with self._lock:
                self._seen[part.astype(np.int64) * size >> _STRETCH] = True
                if np.count_nonzero(self._seen) > _HELD:
                    self._map.madvise(mmap.MADV_DONTNEED)
                    self._seen[:] = False
            taken[start : start + _FEW] = self.vectors[part]
        return taken

    def scores(self, queries: Fixed, found: Found) -> Floats:
        """(M,) dot product of each pair found, exact before the final rounding to float32."""
        order = np.argsort(found.queries, kind="stable")
        ends = np.searchsorted(found.queries[order], np.arange(len(queries) + 1))
        scores = np.empty(len(order), np.float32)

        def score(number: int) -> None:
            part = order[ends[number] : ends[number + 1]]
            scores[part] = self.products(queries[number], self.fixed(found.forms[part]))

        with ThreadPoolExecutor(self._threads) as pool:
            each = map if self._threads == 1 or len(queries) == 1 else pool.map
            for _ in each(score, range(len(queries))):
                pass
        return scores
