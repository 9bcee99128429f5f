"""Vectors of a terminology's concepts, computed on first use and kept in memory and in linnet's cache.

One file per terminology and model, `CACHE/entities/TERMINOLOGY-MODEL.npz`: `rows` (n,) ascending, `vectors` (n, D).
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.errors import DataError
from linnet.io.files import replacing
from linnet.system.cache import cache_directory

__all__ = ["EntityVectors"]

# Rewrite the file when it would grow by this share, so that many small calls do not rewrite it each time.
_GROWTH = 1 / 8


class EntityVectors:
    """Concept rows of one terminology → vectors. Safe to share between threads. Works without a writable cache."""

    def __init__(
        self,
        terminology: str,
        model: str,
        *,
        concepts: int,
        dimensions: int,
        compute: Callable[[Sequence[int]], Floats],
    ) -> None:
        """
        terminology, model  digests                concepts  number of rows
        compute             rows → (n, D) vectors
        """
        self.path: Path = cache_directory() / "entities" / f"{terminology[:16]}-{model[:16]}.npz"
        self._compute = compute
        self._lock = Lock()
        self._place = np.full(concepts, -1, np.int32)
        self._vectors = np.zeros((0, dimensions), np.float32)
        self._rows = np.zeros(0, np.int64)
        self._add(*self._stored())
        self._written = len(self._rows)

    def __call__(self, rows: Ints) -> Floats:
        """(n, D) vectors of these rows."""
        with self._lock:
            missing = np.unique(rows[self._place[rows] < 0])
            if len(missing):
                self._add(missing, self._compute(missing.tolist()))
                if len(self._rows) - self._written >= max(1, _GROWTH * self._written):
                    self._store()
            vectors: Floats = self._vectors[self._place[rows]]
            return vectors

    def _add(self, rows: Ints, vectors: Floats) -> None:
        self._place[rows] = len(self._rows) + np.arange(len(rows))
        self._rows = np.concatenate([self._rows, rows])
        self._vectors = np.concatenate([self._vectors, vectors])

    def _stored(self) -> tuple[Ints, Floats]:
        """Rows and vectors of the cache file, empty if there is no usable file."""
        with suppress(OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
            with self.path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                rows, vectors = file["rows"].astype(np.int64), file["vectors"]
            fits = vectors.shape == (len(rows), self._vectors.shape[1]) and vectors.dtype == np.float32
            if fits and np.isin(rows, np.arange(len(self._place))).all():
                return rows, vectors
        return self._rows, self._vectors

    def _store(self) -> None:
        """Write all known vectors. A file that another process wrote is replaced; both are right."""
        order = np.argsort(self._rows)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.path) as draft, draft.open("wb") as stream:
                np.savez(stream, rows=self._rows[order], vectors=self._vectors[order])
                stream.flush()
                os.fsync(stream.fileno())
        except (OSError, DataError):
            return
        self._written = len(self._rows)
