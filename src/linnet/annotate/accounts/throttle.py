"""Slowing down whoever guesses passwords."""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable

from linnet.annotate.refusals import TooMany

__all__ = ["Throttle"]


class Throttle:
    """Counts failures by key, and refuses after too many in a while. Kept in memory: a restart forgives."""

    def __init__(
        self, *, failures: int = 10, seconds: float = 300, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._failures, self._seconds, self._clock = failures, seconds, clock
        self._times: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def check(self, key: str) -> None:
        """Raise TooMany where the key failed too often of late."""
        with self._lock:
            times = self._fresh(key)
            if times is not None and len(times) >= self._failures:
                wait = int(self._seconds - (self._clock() - times[0])) + 1
                raise TooMany(f"Too many failed attempts. Wait {wait} seconds, then try again.")

    def failed(self, key: str) -> None:
        """Note a failure."""
        with self._lock:
            self._times[key].append(self._clock())
            for other in [k for k in self._times if self._fresh(k) is None]:
                del self._times[other]

    def succeeded(self, key: str) -> None:
        """Forget the failures of a key."""
        with self._lock:
            self._times.pop(key, None)

    def _fresh(self, key: str) -> deque[float] | None:
        times = self._times.get(key)
        if times is None:
            return None
        while times and self._clock() - times[0] > self._seconds:
            times.popleft()
        return times or None
