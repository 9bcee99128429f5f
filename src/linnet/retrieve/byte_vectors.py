"""Vectors of one byte a component, for indexes so large that two are too many.

A row is stored as whole numbers from −127 to 127 and a factor that brings it back to its length. The dot product of such
a row with a 16-bit text is a whole number that 64-bit floats hold exactly; multiplying by the factor rounds it once, the
same way each time. A cosine is off by about 0.0006: names as alike as that may change places.
"""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from linnet.retrieve.fixed_point import ONE, Bytes, Fixed, FixedPoint, Found, Rows, to_fixed_point
from linnet.retrieve.mapped import mapped

__all__ = ["ByteVectors", "to_bytes"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]

_LARGEST = 127
# A 16-bit component is taken apart into so many times one number and another below it.
_HALF = 128
# Bits of the stretch of a file that the system maps around a byte that is looked at (64 kB), and the number of them after
# which all are let go of (256 MB): what this process is charged for, not what the system keeps of the file.
_STRETCH, _HELD = 16, 1 << 12
# Rows that are read one by one: 1.8 µs each, where a stretch that is not held takes 8 µs.
_FEW = 1 << 12


def to_bytes(vectors: Floats) -> tuple[Bytes, Floats]:
    """(N, D) rows as whole numbers, and (N,) the factor of each; rows of zeros have the factor 0."""
    steps = np.abs(vectors).max(axis=1, initial=0) / np.float32(_LARGEST)
    steps[steps == 0] = 1
    rows = np.rint(vectors / steps[:, None]).astype(np.int8)
    whole = rows.astype(np.int32)
    squares = np.einsum("ij,ij->i", whole, whole)
    lengths = np.linalg.norm(vectors, axis=1)
    factors = np.divide(lengths, np.sqrt(squares), out=np.zeros(len(rows)), where=squares > 0)
    return rows, factors.astype(np.float32)


class ByteVectors(FixedPoint):
    """(F, D) vectors to search, the rows in a memory-mapped file of which some 256 MB is held between
    searches, and up to twice that in one."""

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        """`path`: a directory with `vectors.npy` and `factors.npy`."""
        rows = np.load(path / "vectors.npy", mmap_mode="r")
        super().__init__(np.asarray(rows), threads=threads)
        self.factors: Floats = mapped(path / "factors.npy")
        self._map: mmap.mmap = rows._mmap
        self._first: int = rows.offset
        self._file = os.open(path / "vectors.npy", os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        self._seen = np.zeros((rows.nbytes >> _STRETCH) + 2, dtype=bool)
        self._lock = threading.Lock()

    def products(self, query: Fixed, rows: Ints, vectors: Bytes) -> Floats:
        """(M,) dot products of one text and `vectors`, those of `rows`; exact before the final rounding to float32."""
        # In two halves, each of whose sums 32-bit floats hold exactly.
        upper, lower = np.divmod(query, np.int16(_HALF))
        both = np.stack([upper, lower], axis=1).astype(np.float32)
        high, low = (vectors.astype(np.float32) @ both).T.astype(np.float64)
        return np.asarray((high * _HALF + low) * self.factors[rows] / ONE, dtype=np.float32)

    def fixed(self, rows: Rows) -> Fixed:
        """(M, D) 16-bit vectors of these rows."""
        vectors = self.read(rows) * (self.factors[rows])[:, None]
        return to_fixed_point(vectors)

    def scores(self, queries: Fixed, found: Found) -> Floats:
        """(M,) dot product of each pair found, exact before the final rounding to float32."""
        order = np.argsort(found.queries, kind="stable")
        ends = np.searchsorted(found.queries[order], np.arange(len(queries) + 1))
        scores = np.empty(len(order), np.float32)

        def score(number: int) -> None:
            part = order[ends[number] : ends[number + 1]]
            rows = found.forms[part]
            scores[part] = self.products(queries[number], rows, self.read(rows))

        with ThreadPoolExecutor(self._threads) as pool:
            each = map if self._threads == 1 or len(queries) == 1 else pool.map
            for _ in each(score, range(len(queries))):
                pass
        return scores

    def read(self, rows: Rows) -> Bytes:
        """(M, D) these rows: a few are read one by one, many, best ascending, in the mapped file."""
        width = self.vectors.shape[1]
        if len(rows) <= _FEW:
            starts = (rows.astype(np.int64) * width + self._first).tolist()
            joined = b"".join([os.pread(self._file, width, start) for start in starts])
            return np.frombuffer(joined, np.int8).reshape(-1, width)
        taken = np.empty((len(rows), width), np.int8)
        for start in range(0, len(rows), _FEW):
            part = rows[start : start + _FEW]
            with self._lock:
                self._seen[part.astype(np.int64) * width >> _STRETCH] = True
                if np.count_nonzero(self._seen) > _HELD:
                    self._map.madvise(mmap.MADV_DONTNEED)
                    self._seen[:] = False
            taken[start : start + _FEW] = self.vectors[part]
        return taken

    def _block(self, part: slice, forms: Ints | None) -> Floats:
        rows = part if forms is None else forms[part]
        block = self.vectors[rows].astype(np.float32)
        block *= (self.factors[rows] * np.float32(ONE))[:, None]
        return block
