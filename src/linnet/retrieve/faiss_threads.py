"""Set the number of FAISS threads for a block. The setting belongs to the calling thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import faiss

__all__ = ["faiss_threads"]


@contextmanager
def faiss_threads(count: int) -> Iterator[None]:
    """FAISS uses `count` threads in the block. One thread also makes sums reproducible."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
