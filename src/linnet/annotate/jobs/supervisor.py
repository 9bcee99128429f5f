"""Keeps a trainer running while the server runs."""

from __future__ import annotations

import logging
import threading

from linnet.annotate.settings import Settings
from linnet.http.wording import in_service
from linnet.system.child_process import ChildProcess, KeptRunning

__all__ = ["Supervisor"]

_LOG = logging.getLogger("linnet.annotate")
_INTERVAL = 0.25  # seconds between checks of the trainer
_ENDING = 5.0  # seconds that the trainer has to end


class Supervisor:
    """Starts the trainer, and another one whenever it dies."""

    def __init__(self, settings: Settings) -> None:
        self._trainer = KeptRunning(
            lambda: ChildProcess("linnet.annotate.jobs.trainer", settings=settings),
            name="trainer",
            log=_LOG,
            worded=in_service,
        )
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._keep_running, daemon=True, name="linnet-supervisor")

    def start(self) -> None:
        """Start the trainer."""
        self._thread.start()

    def stop(self) -> None:
        """End the trainer; what it was doing is resumed by the next one."""
        self._ending.set()
        self._thread.join(timeout=10)
        if self._trainer.child is not None:
            self._trainer.child.close(seconds=_ENDING)

    def _keep_running(self) -> None:
        while not self._ending.is_set():
            self._trainer.check()
            self._ending.wait(_INTERVAL)
