"""Child processes: `python -m MODULE`, started, watched, and started again when they die.

A child reads its settings, which may hold a password, from the first line of standard input: no other user can see them
there. The parent keeps that pipe open for as long as it lives: its end tells the child that the parent is gone, however the
parent ended. On standard output the child reports that it has started, or why it cannot, as one JSON object a line.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from linnet.errors import LinnetError

__all__ = ["ChildProcess", "KeptRunning", "read_settings", "report_error", "report_started"]

T = TypeVar("T")

_STARTED, _ERROR = "started", "error"
_LAST_REPORT = 1.0  # seconds to read what a child reported before it ended
_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds before a child is replaced: doubled while children die young
_YOUNG = 60.0


class ChildProcess:
    """A process that ends with this one.

    pid      its process id
    started  what it reported once it had started, None until then
    error    why it could not start, if it reported that

    Raises OSError where the system cannot start another process.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        settings: object,
        files: Sequence[int] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """settings: what `read_settings` returns in the child, pickled; files: descriptors it inherits; environment: added to this
        process's."""
        self.started: Mapping[str, Any] | None = None
        self.error: LinnetError | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=files,
            env=os.environ | (environment or {}),
            # Ctrl-C in the terminal is for the parent to handle.
            start_new_session=sys.platform != "win32",
        )
        self.pid = self._process.pid
        self._reader = threading.Thread(
            target=self._read_reports, daemon=True, name=f"linnet-child {self.pid}"
        )
        self._reader.start()
        assert self._process.stdin is not None
        with suppress(OSError):  # it has died already: its exit code says so
            self._process.stdin.write(base64.b64encode(pickle.dumps(settings)).decode() + "\n")
            self._process.stdin.flush()

    def exit_code(self) -> int | None:
        """Minus the number of the signal that ended it; None while it runs."""
        return self._process.poll()

    @property
    def how_it_ended(self) -> str:
        """ "by signal 9" or "with code 1"; of a process that has ended."""
        code = self.exit_code() or 0
        return f"by signal {-code}" if code < 0 else f"with code {code}"

    def signal(self, sig: int) -> None:
        """Send it a signal if it runs."""
        if self._process.poll() is None:
            self._process.send_signal(sig)

    def let_go(self) -> None:
        """Close its standard input: it ends, as if this process had."""
        if self._process.stdin is not None:
            with suppress(OSError):  # settings it has not read
                self._process.stdin.close()

    def close(self, *, seconds: float = 0.0) -> None:
        """Let go of it, kill it if it still runs after so many seconds, and read its last report."""
        self.let_go()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_LAST_REPORT)

    def _read_reports(self) -> None:
        # To the end: a full pipe would block a child that prints something else.
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with suppress(ValueError):
                    report = json.loads(line)
                    if isinstance(report, dict):
                        self.started = report.get(_STARTED, self.started)
                        if _ERROR in report:
                            self.error = pickle.loads(base64.b64decode(report[_ERROR]))


class KeptRunning:
    """A child process, and the next one when it dies: after a pause, which doubles while children die young.

    child  None until `start`, and while the next one waits
    """

    def __init__(
        self,
        start: Callable[[], ChildProcess],
        *,
        name: str,
        log: logging.Logger,
        died: Callable[[ChildProcess], None] = lambda child: None,
        worded: Callable[[LinnetError], str] = str,
    ) -> None:
        """name: of the child, for the log; died: called with each child that has died; worded: an error in words for the log."""
        self._start, self._name, self._log, self._died, self._worded = start, name, log, died, worded
        self.child: ChildProcess | None = None
        self._began = self._next = 0.0
        self._pause = _PAUSE

    def start(self) -> ChildProcess:
        """Start a child. Raises OSError where the system cannot."""
        self.child = self._start()
        self._began = time.monotonic()
        return self.child

    def check(self) -> None:
        """Replace the child if it has died and the pause is over. Call it several times a second, from one thread."""
        now = time.monotonic()
        if self.child is not None:
            if self.child.exit_code() is None:
                return
            if now - self._began > _YOUNG:
                self._pause = _PAUSE
            child, self.child = self.child, None
            child.close()
            self._died(child)
            why = f" ({self._worded(child.error)})" if child.error else ""
            self._log.error(
                "%s %d ended %s%s; another starts in %g s",
                self._name,
                child.pid,
                child.how_it_ended,
                why,
                self._pause,
            )
            self._wait(now)
        elif now >= self._next:
            try:
                self.start()
            except OSError as error:
                self._log.error(
                    "%s cannot be started (%s); next attempt in %g s", self._name, error, self._pause
                )
                self._wait(now)

    def _wait(self, now: float) -> None:
        self._next = now + self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)


# ── in the child ─────────────────────────────────────────────────────────────────────────────────────────────


def read_settings(kind: type[T], *, orphaned: Callable[[], None]) -> T:
    """The settings that the parent sent. orphaned: called, in a thread, when the parent has gone or let go."""
    settings = pickle.loads(base64.b64decode(sys.stdin.readline()))
    assert isinstance(settings, kind)

    def watch() -> None:
        while sys.stdin.read(1):
            pass
        orphaned()

    threading.Thread(target=watch, daemon=True, name="linnet-parent").start()
    return settings


def report_started(details: Mapping[str, Any]) -> None:
    """Tell the parent that this process has started. details: JSON-ready."""
    _report({_STARTED: details})


def report_error(error: LinnetError) -> None:
    """Tell the parent why this process cannot start."""
    _report({_ERROR: base64.b64encode(pickle.dumps(error)).decode()})


def _report(record: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()
