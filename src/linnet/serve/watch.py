"""A thread that looks at something every few seconds, and at once when it is asked to."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from linnet.serve.faults import Faults

__all__ = ["Watch"]

_LOG = logging.getLogger("linnet.serve")


class Watch:
    """Calls `look` with whether it was asked to; what it raises is a fault until it succeeds again.

    what     it looks at, for the thread's name and the fault
    seconds  between looks
    """

    def __init__(self, look: Callable[[bool], None], *, what: str, seconds: float, faults: Faults) -> None:
        self._look, self._what, self._seconds, self._faults = look, what, seconds, faults
        self._asked, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"linnet-watch {what}")

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; a look that is going on is left to itself."""
        self._ending.set()
        self._asked.set()

    def ask(self) -> None:
        """Look soon, whether or not it is time. Returns at once."""
        self._asked.set()

    def _run(self) -> None:
        while True:
            asked = self._asked.wait(self._seconds)
            if self._ending.is_set():
                return
            self._asked.clear()
            self.once(asked=asked)

    def once(self, *, asked: bool = False) -> None:
        """One look."""
        code = f"{self._what}_look_failed"
        try:
            self._look(asked)
        except Exception as error:
            if all(fault.code != code for fault in self._faults.now()):  # not with every look
                _LOG.exception("looking at the %s failed", self._what)
            self._faults.note(
                code, f"Looking at the {self._what} failed: {type(error).__name__}; the log says more."
            )
        else:
            self._faults.clear(code)
