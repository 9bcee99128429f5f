"""A process of several, as its supervisor sees it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from linnet.serve.handover import FOLDER, READY, told
from linnet.serve.settings import Settings

__all__ = ["Child"]

_LAST_WORDS = 1.0  # seconds to hear what a process said before it ended


class Child:
    """`linnet.serve.worker`, started; a thread listens to what it says.

    number  0 of the one that writes search indexes
    served  what it serves, once it answers requests
    error   why it could not start, where it says so

    Raises OSError where the system has no room for another process.
    """

    def __init__(self, number: int, settings: Settings, listening: socket.socket, *, counts: str) -> None:
        """counts: folder for its metrics."""
        self.number = number
        self.served: Mapping[str, Any] | None = None
        self.error: str | None = None
        place = listening.fileno()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "linnet.serve.worker", str(number), str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=[place],
            env=os.environ | {FOLDER: counts},
            start_new_session=True,  # Ctrl-C in the terminal is the supervisor's to handle
        )
        self.pid = self._process.pid
        self._listener = threading.Thread(target=self._listen, daemon=True, name=f"linnet-child {self.pid}")
        self._listener.start()
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended already, which is looked after as whenever it ends
            self._process.stdin.write(told(settings))
            self._process.stdin.flush()

    def ended(self) -> int | None:
        """Its exit code (minus the signal that ended it), None while it runs."""
        return self._process.poll()

    def signal(self, sig: int) -> None:
        """Send it a signal, if it is there."""
        if self._process.poll() is None:
            self._process.send_signal(sig)

    def close(self) -> None:
        """Kill it if it is still there, and hear the last it has said."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._listener.join(_LAST_WORDS)
        if self._process.stdin is not None:
            with suppress(OSError):  # of what it was told and has not read
                self._process.stdin.close()

    def _listen(self) -> None:
        """To the end, so that whatever is printed there does not fill the pipe."""
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._hear(line)

    def _hear(self, line: str) -> None:
        try:
            said = json.loads(line)
        except ValueError:
            return
        if isinstance(said, dict):
            self.served = said.get(READY, self.served)
            self.error = said.get("error", self.error)
