"""A navigable small-world graph (FAISS HNSW), which finds near vectors without comparing all.

Source: Malkov and Yashunin 2020; settings of Le & Nguyen and TrainX: m = 16, efConstruction = efSearch = 100.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import faiss
import numpy as np

from linnet.advice import Advice
from linnet.arrays import Fixed, Floats, Mask
from linnet.errors import DamagedError
from linnet.retrieve.faiss_threads import faiss_threads
from linnet.retrieve.fixed_point import Neighbours
from linnet.system.cores import cores

__all__ = ["HnswGraph"]

_LINKS = 16
_EF = 100
# If a smaller share of the vectors is allowed, comparing them all is faster than the graph.
_MIN_SHARE = 0.2
# Vectors passed to FAISS at a time, as 32-bit floats.
_CHUNK = 1 << 16


class HnswGraph:
    """Finds most, not all, of the nearest vectors. The same graph and query always give the same answer."""

    def __init__(self, index: Any, *, threads: int | None = None) -> None:
        self._index = index
        self._threads = threads or cores()

    @classmethod
    def build(cls, vectors: Fixed, *, threads: int | None = None) -> Self:
        """Link the vectors by dot product.

        threads  None for one, which always builds the same graph; more are faster, but each graph differs
        """
        graph = cls(
            faiss.IndexHNSWFlat(vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT), threads=threads or 1
        )
        graph._index.hnsw.efConstruction = _EF
        with faiss_threads(graph._threads):
            for start in range(0, len(vectors), _CHUNK):
                graph._index.add(_unit(vectors[start : start + _CHUNK]))
        return graph

    @classmethod
    def read(cls, path: Path, *, rebuild: Advice, threads: int | None = None) -> Self:
        """Open what `write` wrote. Raises DamagedError if FAISS cannot read it."""
        try:
            return cls(faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC), threads=threads)
        except RuntimeError as error:
            raise DamagedError(f"{path} cannot be read: {error}.", rebuild) from None

    def write(self, path: Path) -> None:
        """Write a file in FAISS's own format."""
        faiss.write_index(self._index, str(path))

    def pays(self, allowed: int, total: int) -> bool:
        """Whether the graph is faster than comparing all allowed vectors."""
        return allowed >= _MIN_SHARE * total

    def nearest(self, queries: Fixed, *, count: int, allowed: Mask | None = None) -> Neighbours:
        """About `count` near forms of each query.

        allowed  (forms,) which forms may be returned

        A cut is the score of the last form found, or +inf if fewer were found: forms that the graph missed may score higher.
        """
        settings = faiss.SearchParametersHNSW(efSearch=max(_EF, count))  # type: ignore[attr-defined]
        if allowed is not None:
            bits = np.packbits(allowed, bitorder="little")
            settings.sel = faiss.IDSelectorBitmap(len(allowed), faiss.swig_ptr(bits))
        with faiss_threads(self._threads):
            scores, forms = self._index.search(_unit(queries), count, params=settings)
        valid = forms >= 0
        cuts = np.where(valid[:, -1], scores[:, -1], np.inf).astype(np.float32)
        return Neighbours(np.nonzero(valid)[0], forms[valid], cuts)


def _unit(vectors: Fixed) -> Floats:
    return vectors.astype(np.float32) / np.float32(2**15 - 1)
