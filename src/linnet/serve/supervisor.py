"""Several processes at one socket: starts them, starts another when one dies, and ends them gracefully.

Each maps the same files, so that the memory they need for terminologies and indexes is there once.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client.multiprocess import mark_process_dead

from linnet.errors import LinnetError, RequestError
from linnet.serve.handover import FOLDER, READY, told
from linnet.serve.settings import Settings

__all__ = ["Supervisor"]

_LOG = logging.getLogger("linnet.serve")
_LOOK = 0.1  # seconds between looks at the processes
_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds before one that died is replaced; doubled while they keep dying
_LIVED = 60.0
_MARGIN = 5.0  # seconds that a process has to end beside those for its requests


@dataclass(slots=True)
class _Worker:
    number: int
    process: subprocess.Popen[str]
    began: float
    pause: float = _PAUSE
    again: float | None = None  # when it is to be started again


class Supervisor:
    """Runs `settings.workers` processes that serve at a listening socket."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        if sys.platform == "win32":
            raise RequestError("Several processes cannot share a socket on Windows. Leave --workers out.")
        self._settings, self._listening = settings, listening
        self._ending = threading.Event()
        self._killing = False
        self._folder = ""

    def run(self, started: Callable[[Mapping[str, Any]], None]) -> None:
        """Serve until SIGTERM or Ctrl-C. SIGHUP is handed on.

        started  called with what is served when all processes answer requests

        Raises LinnetError where the first processes cannot start.
        """
        handlers = {signal.SIGTERM: self._end, signal.SIGINT: self._end, signal.SIGHUP: self._hand_on}
        before = {sig: signal.signal(sig, handler) for sig, handler in handlers.items()}
        self._folder = tempfile.mkdtemp(prefix="linnet-metrics-")
        self._workers: list[_Worker] = []
        try:
            served = self._start_all()
            if served is not None:
                started(served)
            while not self._ending.wait(_LOOK):
                for worker in self._workers:
                    self._look_after(worker)
        finally:
            self._stop_all()
            for sig, handler in before.items():
                signal.signal(sig, handler)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _start_all(self) -> Mapping[str, Any] | None:
        """What they serve; None where it is over before they do."""
        # The first writes search indexes that are missing; the others would only do the same.
        self._workers.append(self._start(0))
        served = self._heard(self._workers[0])
        self._workers += [self._start(number) for number in range(1, self._settings.workers)]
        for worker in self._workers[1:]:
            self._heard(worker)
        return served

    def _start(self, number: int) -> _Worker:
        process = subprocess.Popen(
            [sys.executable, "-m", "linnet.serve.worker", str(number), str(self._listening.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            pass_fds=[self._listening.fileno()],
            env=os.environ | {FOLDER: self._folder},
            start_new_session=True,  # Ctrl-C in the terminal is the supervisor's to handle
        )
        assert process.stdin is not None
        try:
            process.stdin.write(told(self._settings))
            process.stdin.flush()
        except OSError:
            _LOG.warning("process %d ended while it started", process.pid)
        return _Worker(number, process, time.monotonic())

    def _heard(self, worker: _Worker) -> Mapping[str, Any] | None:
        """What a process says that it serves. Raises LinnetError with what it says is wrong."""
        assert worker.process.stdout is not None
        line = worker.process.stdout.readline()
        if self._ending.is_set():
            return None
        said: dict[str, Any] = (
            json.loads(line) if line else {"error": "A process ended while it started; the log says why."}
        )
        if READY not in said:
            raise LinnetError(said["error"])
        found: Mapping[str, Any] = said[READY]
        return found

    def _look_after(self, worker: _Worker) -> None:
        code = worker.process.poll()
        if code is None:
            return
        now = time.monotonic()
        if worker.again is None:
            if now - worker.began > _LIVED:
                worker.pause = _PAUSE
            said = f"by signal {-code}" if code < 0 else f"with code {code}"
            _LOG.error("process %d ended %s; another starts in %g s", worker.process.pid, said, worker.pause)
            self._forget(worker.process)
            worker.again = now + worker.pause
        if now >= worker.again:
            new = self._start(worker.number)
            worker.process, worker.began, worker.again = new.process, new.began, None
            worker.pause = min(2 * worker.pause, _LONGEST_PAUSE)

    def _forget(self, process: subprocess.Popen[str]) -> None:
        mark_process_dead(process.pid, self._folder)  # type: ignore[no-untyped-call]
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue

    def _stop_all(self) -> None:
        self._listening.close()
        for worker in self._workers:
            if worker.process.poll() is None:
                worker.process.send_signal(signal.SIGTERM)
        last = time.monotonic() + self._settings.limits.drain + _MARGIN
        for worker in self._workers:
            while worker.process.poll() is None and time.monotonic() < last and not self._killing:
                time.sleep(_LOOK)
            if worker.process.poll() is None:
                worker.process.kill()
                worker.process.wait()
            self._forget(worker.process)

    def _end(self, sig: int, frame: object) -> None:
        # Whoever presses Ctrl-C twice does not want to wait.
        self._killing = self._ending.is_set() and sig == signal.SIGINT
        self._ending.set()

    def _hand_on(self, sig: int, frame: object) -> None:
        for worker in self._workers:
            if worker.process.poll() is None:
                worker.process.send_signal(sig)
