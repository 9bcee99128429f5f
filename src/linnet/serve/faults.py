"""What is wrong while answers are still right: told by /ready and the metrics, and written into the log once."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

__all__ = ["Fault", "Faults"]

_LOG = logging.getLogger("linnet.serve")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something is wrong; what is served is still right. `since` in seconds of the epoch."""

    code: str
    message: str
    since: float


class Faults:
    """The faults of one process, one of each code. Safe to share between threads.

    changed  called with the codes of those there are, whenever they are others
    """

    def __init__(self, changed: Callable[[set[str]], None] = lambda codes: None) -> None:
        self._changed = changed
        self._known: dict[str, Fault] = {}
        self._lock = Lock()

    def now(self) -> list[Fault]:
        """Those there are, the oldest first."""
        with self._lock:
            return list(self._known.values())

    def note(self, code: str, message: str) -> None:
        """There is one; with another message it is still the one that began before."""
        with self._lock:
            known = self._known.get(code)
            if known is not None and known.message == message:
                return
            _LOG.warning("%s: %s", code, message)
            self._known[code] = Fault(code, message, known.since if known else time.time())
            self._changed(set(self._known))

    def clear(self, code: str) -> None:
        """It is over, if there was one."""
        with self._lock:
            if self._known.pop(code, None) is not None:
                _LOG.info("%s: over", code)
                self._changed(set(self._known))
