"""Keeps a trainer running while the server runs."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time

from linnet.annotate.settings import Settings

__all__ = ["Supervisor"]

_LOG = logging.getLogger("linnet.annotate")
_PAUSE = (
    0.5  # seconds before a trainer that died is replaced; doubled up to the longest while they keep dying
)
_LONGEST_PAUSE = 30.0
_LIVED = 60.0


class Supervisor:
    """Starts the trainer, and another one whenever it dies."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ending = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._keep_running, daemon=True, name="linnet-supervisor")

    @property
    def pid(self) -> int | None:
        """Of the trainer that runs now."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> None:
        """Start the trainer."""
        self._thread.start()

    def stop(self) -> None:
        """End the trainer; what it was doing is resumed by the next one."""
        self._ending.set()
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._thread.join(timeout=10)

    def _keep_running(self) -> None:
        pause = _PAUSE
        while not self._ending.is_set():
            process = subprocess.Popen(
                [sys.executable, "-m", "linnet.annotate.jobs.trainer"],
                stdin=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                # Ctrl-C in the terminal is the server's to handle.
                start_new_session=sys.platform != "win32",
            )
            self._process = process
            assert process.stdin is not None
            try:
                process.stdin.write(self._settings.dumps() + "\n")
                process.stdin.flush()
            except OSError:
                _LOG.warning("the trainer ended while it started")
            began = time.monotonic()
            code = process.wait()
            if self._ending.is_set():
                return
            _LOG.warning("the trainer ended with code %s; starting another", code)
            pause = _PAUSE if time.monotonic() - began > _LIVED else min(2 * pause, _LONGEST_PAUSE)
            self._ending.wait(pause)
