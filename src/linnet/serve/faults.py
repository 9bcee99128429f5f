"""Faults: problems that do not make answers wrong. /ready and the metrics show them; the log gets each once."""

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
    """A problem that does not make answers wrong. since: seconds since the epoch."""

    code: str
    message: str
    since: float


class Faults:
    """The current faults of one process, at most one of each code. Thread-safe.

    changed  called with the current codes whenever they change
    """

    def __init__(self, changed: Callable[[set[str]], None] = lambda codes: None) -> None:
        self._changed = changed
        self._faults: dict[str, Fault] = {}
        self._lock = Lock()

    def current(self) -> list[Fault]:
        """The current faults, the oldest first."""
        with self._lock:
            return list(self._faults.values())

    def note(self, code: str, message: str) -> None:
        """Add a fault. If only the message is new, the fault keeps its beginning."""
        with self._lock:
            known = self._faults.get(code)
            if known is not None and known.message == message:
                return
            _LOG.warning("%s: %s", code, message)
            self._faults[code] = Fault(code, message, known.since if known else time.time())
            self._changed(set(self._faults))

    def clear(self, code: str) -> None:
        """Remove a fault, if it is current."""
        with self._lock:
            if self._faults.pop(code, None) is not None:
                _LOG.info("%s: over", code)
                self._changed(set(self._faults))
