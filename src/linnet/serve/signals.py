"""Signals of a server's process."""

from __future__ import annotations

import signal
import sys
import threading

__all__ = ["handles_signals", "ignore_hangups"]


def handles_signals() -> bool:
    """Whether this thread is the one that may say what signals do."""
    return threading.current_thread() is threading.main_thread()


def ignore_hangups() -> None:
    """SIGHUP does nothing until it is handled: it would end a server that is told to read its files again while it starts."""
    if handles_signals() and sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
