"""How many threads FAISS takes: a setting of the thread that calls it, put back afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import faiss

__all__ = ["faiss_threads"]


@contextmanager
def faiss_threads(count: int) -> Iterator[None]:
    """FAISS with `count` threads. One also means the same numbers, where it adds up by thread."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
