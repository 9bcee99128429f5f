"""Several processes at one socket: starts them, starts another when one dies, and ends them gracefully.

Each maps the same files, so that the memory they need for terminologies and indexes is there once.
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
from dataclasses import dataclass
from typing import Any

from prometheus_client.multiprocess import mark_process_dead

from linnet.errors import LinnetError, RequestError
from linnet.serve.child import Child
from linnet.serve.settings import Settings

__all__ = ["Supervisor"]

_LOG = logging.getLogger("linnet.serve")
_LOOK = 0.1  # seconds between looks at the processes
_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds before one that died is replaced; doubled while they keep dying
_LIVED = 60.0
_MARGIN = 5.0  # seconds that a process has to end beside those for its requests


@dataclass(slots=True)
class _Place:
    """One of the processes, and those that take its place. child is None until `again`, when it is started."""

    number: int
    child: Child | None = None
    began: float = 0.0
    pause: float = _PAUSE
    again: float = 0.0


class Supervisor:
    """Runs `settings.workers` processes that serve at a listening socket."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        if sys.platform == "win32":
            raise RequestError("Several processes cannot share a socket on Windows. Leave --workers out.")
        self._settings, self._listening = settings, listening
        # No locks: signals are handled by the thread that looks, wherever it is.
        self._ending = self._killing = False
        self._folder = ""
        self._places = [_Place(number) for number in range(settings.workers)]

    def run(self, started: Callable[[Mapping[str, Any]], None]) -> None:
        """Serve until SIGTERM or Ctrl-C. SIGHUP is handed on.

        started  called with what is served when all processes answer requests

        Raises LinnetError where the first processes cannot start.
        """
        handlers = {signal.SIGTERM: self._end, signal.SIGINT: self._end, signal.SIGHUP: self._hand_on}
        before = {sig: signal.signal(sig, handler) for sig, handler in handlers.items()}
        self._folder = tempfile.mkdtemp(prefix="linnet-metrics-")
        try:
            served = self._start_all()
            if served is not None:
                started(served)
            while not self._ending:
                time.sleep(_LOOK)
                for place in self._places:
                    self._look_after(place)
        finally:
            self._stop_all()
            for sig, handler in before.items():
                signal.signal(sig, handler)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _start_all(self) -> Mapping[str, Any] | None:
        """What they serve; None where it is over before they do."""
        # The first writes search indexes that are missing; the others would only do the same.
        first, *others = self._places
        served = self._heard(self._start(first))
        if served is None:
            return None
        for place in others:
            self._start(place)
        for place in others:
            assert place.child is not None
            served = self._heard(place.child)
        return served

    def _start(self, place: _Place) -> Child:
        place.child = Child(place.number, self._settings, self._listening, counts=self._folder)
        place.began = time.monotonic()
        return place.child

    def _heard(self, child: Child) -> Mapping[str, Any] | None:
        """What a process says that it serves; None where it is over before. Raises LinnetError with what it says is wrong."""
        while not self._ending:
            if child.served is not None:
                return child.served
            if child.ended() is not None:
                child.close()
                raise LinnetError(child.error or "A process ended while it started; the log says why.")
            time.sleep(_LOOK / 2)
        return None

    def _look_after(self, place: _Place) -> None:
        now = time.monotonic()
        if place.child is not None:
            code = place.child.ended()
            if code is None:
                return
            if now - place.began > _LIVED:
                place.pause = _PAUSE
            self._forget(place.child)
            said = f"by signal {-code}" if code < 0 else f"with code {code}"
            why = f" ({place.child.error})" if place.child.error else ""
            _LOG.error(
                "process %d ended %s%s; another starts in %g s", place.child.pid, said, why, place.pause
            )
            place.child, place.again = None, now + place.pause
            place.pause = min(2 * place.pause, _LONGEST_PAUSE)
        elif now >= place.again and not self._ending:
            try:
                self._start(place)
            except OSError as error:
                _LOG.error("no process can be started (%s); tried again in %g s", error, place.pause)
                place.again = now + place.pause
                place.pause = min(2 * place.pause, _LONGEST_PAUSE)

    def _forget(self, child: Child) -> None:
        child.close()
        mark_process_dead(child.pid, self._folder)  # type: ignore[no-untyped-call]

    def _stop_all(self) -> None:
        self._listening.close()
        children = [place.child for place in self._places if place.child is not None]
        for child in children:
            child.signal(signal.SIGTERM)
        last = time.monotonic() + self._settings.limits.drain + _MARGIN
        for child in children:
            while child.ended() is None and time.monotonic() < last and not self._killing:
                time.sleep(_LOOK)
            self._forget(child)

    def _end(self, sig: int, frame: object) -> None:
        # Whoever presses Ctrl-C twice does not want to wait.
        self._killing |= self._ending and sig == signal.SIGINT
        self._ending = True

    def _hand_on(self, sig: int, frame: object) -> None:
        # One that starts reads everything anyway.
        for place in self._places:
            if place.child is not None and place.child.served is not None:
                place.child.signal(sig)
