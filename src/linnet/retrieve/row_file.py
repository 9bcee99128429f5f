"""Rows of a file so large that a process should hold little of it: what is asked for is read when it is."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from pathlib import Path

import numpy as np

from linnet.arrays import Array, Ints

__all__ = ["RowFile"]

# Bits of the stretch of a file that the system maps around a byte that is looked at (64 kB), and of those that it maps at
# once where it can (2 MB), as so many stretches; how many of the latter are held until all are let go of (256 MB): what
# this process is charged for, not what the system keeps of the file.
_STRETCH, _LARGE, _HELD = 16, 32, 1 << 7
# Rows looked at together. Mapping a stretch takes as long as reading so many rows; so few are read in any case.
_TOGETHER, _ROWS, _FEW = 1 << 12, 4, 1 << 10


class RowFile:
    """The rows of a `.npy` file, memory-mapped, of which some 256 MB is held between calls, and up to twice that in one."""

    def __init__(self, file: Path) -> None:
        mapped = np.load(file, mmap_mode="r")
        self.rows: Array = np.asarray(mapped)
        """All of them; what is looked at is held until the next call that lets go."""
        self._map: mmap.mmap = mapped._mmap
        self._first: int = mapped.offset
        self._bytes: int = mapped.strides[0]
        self._file = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        self._seen = np.zeros((-(-((mapped.nbytes >> _STRETCH) + 2) // _LARGE), _LARGE), dtype=bool)
        self._lock = threading.Lock()

    def take(self, rows: Array) -> Array:
        """(M, …) these rows: a few are read, many that lie close together, if ascending, are looked up in the mapped file."""
        taken = np.empty((len(rows), *self.rows.shape[1:]), self.rows.dtype)
        for start in range(0, len(rows), _TOGETHER):
            part = rows[start : start + _TOGETHER].astype(np.int64)
            maps = self._maps(part * self._bytes >> _STRETCH)
            taken[start : start + _TOGETHER] = self.rows[part] if maps else self._read(part)
        return taken

    def _read(self, rows: Ints) -> Array:
        """These rows, read from the file one by one."""
        places = (rows * self._bytes + self._first).tolist()
        read = b"".join([os.pread(self._file, self._bytes, place) for place in places])
        return np.frombuffer(read, self.rows.dtype).reshape(-1, *self.rows.shape[1:])

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
