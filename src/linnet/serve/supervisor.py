"""Several processes at one socket: starts them, replaces those that die, and ends them gracefully.

All map the same files, so terminologies and indexes are in memory once.
"""

from __future__ import annotations

import logging
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from prometheus_client.multiprocess import mark_process_dead

from linnet.advice import Step
from linnet.errors import LinnetError, RequestError
from linnet.http.wording import in_service
from linnet.serve.settings import METRICS_FOLDER, Settings
from linnet.system.child_process import ChildProcess, KeptRunning

__all__ = ["Supervisor"]

_LOG = logging.getLogger("linnet.serve")
_INTERVAL = 0.1  # seconds between checks of the processes
_MARGIN = 5.0  # seconds a process has to end beyond those for its requests


class Supervisor:
    """Runs `settings.workers` processes that serve at a listening socket."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        if sys.platform == "win32":
            raise RequestError("Several processes cannot share a socket on Windows.", Step.ONE_PROCESS())
        self._settings, self._listening = settings, listening
        # No locks: the thread that runs the checks also handles the signals, wherever it is.
        self._ending = self._killing = False
        self._metrics = ""
        self._workers = [
            KeptRunning(
                partial(self._start, number), name="process", log=_LOG, died=self._died, worded=in_service
            )
            for number in range(settings.workers)
        ]

    def run(self, started: Callable[[Mapping[str, Any]], None]) -> None:
        """Serve until SIGTERM or Ctrl-C. SIGHUP is passed on to the processes.

        started  called with what is served once all processes answer requests

        Raises LinnetError where the first processes cannot start.
        """
        handlers = {signal.SIGTERM: self._end, signal.SIGINT: self._end, signal.SIGHUP: self._pass_on}
        previous = {sig: signal.signal(sig, handler) for sig, handler in handlers.items()}
        self._metrics = tempfile.mkdtemp(prefix="linnet-metrics-")
        try:
            served = self._start_all()
            if served is not None:
                started(served)
            while not self._ending:
                time.sleep(_INTERVAL)
                for worker in self._workers:
                    worker.check()
        finally:
            self._stop_all()
            for sig, handler in previous.items():
                signal.signal(sig, handler)
            shutil.rmtree(self._metrics, ignore_errors=True)

    def _start(self, number: int) -> ChildProcess:
        descriptor = self._listening.fileno()
        return ChildProcess(
            "linnet.serve.worker",
            str(number),
            str(descriptor),
            settings=self._settings,
            files=[descriptor],
            environment={METRICS_FOLDER: self._metrics},
        )

    def _start_all(self) -> Mapping[str, Any] | None:
        """What they serve; None where the server is ended before they do."""
        # The first writes missing search indexes; the others would only repeat that.
        first, *others = self._workers
        served = self._wait_until_started(first.start())
        starting = {} if served is None else {worker: worker.start() for worker in others}
        # Requests are answered by now: one that dies while it starts is replaced, as one that dies later.
        while starting and not self._ending:
            time.sleep(_INTERVAL / 2)
            for worker in self._workers:
                worker.check()
            starting = {
                worker: child
                for worker, child in starting.items()
                if worker.child is child and child.started is None
            }
        return None if self._ending else served

    def _wait_until_started(self, child: ChildProcess) -> Mapping[str, Any] | None:
        """What a process serves; None where the server is ended first. Raises LinnetError with the process's own message."""
        while not self._ending:
            if child.started is not None:
                return child.started
            if child.exit_code() is not None:
                child.close()
                raise child.error or LinnetError(
                    f"The first process ended {child.how_it_ended} before it answered requests. The machine may be short of memory.",
                    Step.ONE_PROCESS(),
                )
            time.sleep(_INTERVAL / 2)
        return None

    def _died(self, child: ChildProcess) -> None:
        mark_process_dead(child.pid, self._metrics)  # type: ignore[no-untyped-call]

    def _stop_all(self) -> None:
        self._listening.close()
        children = [worker.child for worker in self._workers if worker.child is not None]
        for child in children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + self._settings.limits.drain + _MARGIN
        for child in children:
            while child.exit_code() is None and time.monotonic() < deadline and not self._killing:
                time.sleep(_INTERVAL)
            child.close()

    def _end(self, sig: int, frame: object) -> None:
        # A second Ctrl-C means: do not wait.
        self._killing |= self._ending and sig == signal.SIGINT
        self._ending = True

    def _pass_on(self, sig: int, frame: object) -> None:
        # A process that is still starting reads everything anyway.
        for worker in self._workers:
            if worker.child is not None and worker.child.started is not None:
                worker.child.signal(sig)
