"""Matrix products on one thread each, so that we decide what runs side by side.

BLAS libraries wait for their threads by spinning: where other work shares the cores, two threads of theirs were measured
to take ten times as long as one. Independent batches on threads of our own lose nothing and need no such waiting.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

__all__ = ["single_threaded_blas"]


class _Limit:
    """How many blocks are being executed, over all threads of the process, and how to put the setting back."""

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

    The setting belongs to the process. Blocks may nest and overlap on several threads: the last one to end puts the
    setting back.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


def _set_threads(library: Any, number: int) -> None:
    # From release 3.8 on, threadpoolctl ignores all threads but the first one that set a number, until that one is
    # cleared. Here any thread may be the first to enter or the last to leave.
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
    library.set_num_threads(number)
    if clear is not None:
        clear(force=True)


@cache
def _libraries() -> list[Any]:
    # Looking for the loaded libraries takes milliseconds: done once, when numpy's is surely there.
    import numpy  # noqa: F401
    from threadpoolctl import ThreadpoolController

    # Set one by one: `ThreadpoolController.limit` takes 0.15 ms, as long as a small search.
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
