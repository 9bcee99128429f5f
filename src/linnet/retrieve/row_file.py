"""Rows of a file too large to be held in memory by one process: each is read when it is needed."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from pathlib import Path

import numpy as np

from linnet.arrays import Array, Ints

__all__ = ["RowFile"]

# Bits of the stretch that the system maps around a byte when it is read (64 kB). So many stretches are the 2 MB that it maps
# at once where it can. So many of these are held before all are released (256 MB): the memory charged to this process, not
# the system's file cache.
_STRETCH, _LARGE, _HELD = 16, 32, 1 << 7
# Rows taken together. Mapping a stretch takes as long as reading so many rows. Fewer rows than the last are always read.
_TOGETHER, _ROWS, _FEW = 1 << 12, 4, 1 << 10


class RowFile:
    """The rows of a memory-mapped `.npy` file. Holds some 256 MB of it between calls, and up to twice that during one."""

    def __init__(self, file: Path) -> None:
        mapped = np.load(file, mmap_mode="r")
        self.rows: Array = np.asarray(mapped)
        """All rows; pages that are read through this stay in memory until a call of `take` releases them."""
        self._map: mmap.mmap = mapped._mmap
        self._first: int = mapped.offset
        self._bytes: int = mapped.strides[0]
        self._file = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        self._seen = np.zeros((-(-((mapped.nbytes >> _STRETCH) + 2) // _LARGE), _LARGE), dtype=bool)
        self._lock = threading.Lock()

    def take(self, rows: Array) -> Array:
        """(M, …) these rows. A few are read one by one; many that are close together, and ascending, are read through the map."""
        taken = np.empty((len(rows), *self.rows.shape[1:]), self.rows.dtype)
        for start in range(0, len(rows), _TOGETHER):
            part = rows[start : start + _TOGETHER].astype(np.int64)
            maps = self._maps(part * self._bytes >> _STRETCH)
            taken[start : start + _TOGETHER] = self.rows[part] if maps else self._read(part)
        return taken

    def _read(self, rows: Ints) -> Array:
        """These rows, read from the file one by one."""
        positions = (rows * self._bytes + self._first).tolist()
        read = b"".join([os.pread(self._file, self._bytes, position) for position in positions])
        return np.frombuffer(read, self.rows.dtype).reshape(-1, *self.rows.shape[1:])

    def _maps(self, stretches: Ints) -> bool:
        """Whether mapping these stretches, one for each row, is faster than reading the rows. Mapped stretches count as held."""
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
