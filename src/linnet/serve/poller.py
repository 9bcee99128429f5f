"""A thread that runs a check every few seconds, and at once when it is woken."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from linnet.serve.faults import Faults

__all__ = ["Poller"]

_LOG = logging.getLogger("linnet.serve")


class Poller:
    """Calls `check` with whether it was woken. A check that raises is a fault until one succeeds.

    what     it checks, for the thread's name and the fault
    seconds  between checks
    """

    def __init__(self, check: Callable[[bool], None], *, what: str, seconds: float, faults: Faults) -> None:
        self._check, self._what, self._seconds, self._faults = check, what, seconds, faults
        self._woken, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"linnet-poller {what}")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Start no further check; a running one is not waited for."""
        self._ending.set()
        self._woken.set()

    def wake(self) -> None:
        """Check soon. Returns at once."""
        self._woken.set()

    def _run(self) -> None:
        while True:
            woken = self._woken.wait(self._seconds)
            if self._ending.is_set():
                return
            self._woken.clear()
            self.poll(woken=woken)

    def poll(self, *, woken: bool = False) -> None:
        """Run one check."""
        code = f"{self._what}_look_failed"
        try:
            self._check(woken)
        except Exception as error:
            if all(fault.code != code for fault in self._faults.current()):  # log the traceback once
                _LOG.exception("checking the %s failed", self._what)
            self._faults.note(
                code, f"Checking the {self._what} failed: {type(error).__name__}; the log says more."
            )
        else:
            self._faults.clear(code)
