"""Two pieces of work at a time, where each is too short for threads to be started for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["Aside"]

Result = TypeVar("Result")


class Aside:
    """A second thread, started when it is first needed, and anew in a process that is a copy of another."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def both(self, there: Callable[[], Result], here: Callable[[], Result]) -> tuple[Result, Result]:
        """The results of both; `there` is done by the other thread. Raises what either raises."""
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(1, thread_name_prefix="linnet-aside"), os.getpid()
        other = self._pool.submit(there)
        mine = here()
        return other.result(), mine
