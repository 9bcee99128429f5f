"""Limits BLAS to one thread per matrix product, so that linnet controls parallelism.

BLAS libraries wait for their threads by spinning: on busy cores, two BLAS threads were measured to take ten times as long
as one. Independent batches on our own threads are as fast and do not spin.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

__all__ = ["single_threaded_blas"]


class _Limit:
    """Number of active blocks over all threads of the process, and the settings to restore."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._blocks = 0
        self._before: list[tuple[Any, int]] = []

    def enter(self) -> None:
        with self._lock:
            if not self._blocks:
                threads = [(library, library.num_threads) for library in _libraries()]
                self._before = [(library, number) for library, number in threads if number > 1]
                for library, _ in self._before:
                    _set_threads(library, 1)
            self._blocks += 1

    def leave(self) -> None:
        with self._lock:
            self._blocks -= 1
            if not self._blocks:
                for library, number in self._before:
                    _set_threads(library, number)


_limit = _Limit()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """BLAS uses one thread within the block.

    The setting is process-wide. Blocks may nest and overlap in several threads; the last one to end restores it.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


def _set_threads(library: Any, number: int) -> None:
    # Since 3.8, threadpoolctl obeys only the first thread that set a number, until cleared. Here any thread may be the
    # first to enter or the last to leave.
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
    library.set_num_threads(number)
    if clear is not None:
        clear(force=True)


@cache
def _libraries() -> list[Any]:
    # Finding the loaded libraries takes milliseconds, so it is done once, after numpy's is loaded.
    import numpy  # noqa: F401
    from threadpoolctl import ThreadpoolController

    # Set one by one: `ThreadpoolController.limit` takes 0.15 ms, as long as a small search.
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
