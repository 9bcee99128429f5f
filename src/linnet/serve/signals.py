"""Signals of a server's process: who may handle them, and hang-ups before there is a handler."""

from __future__ import annotations

import signal
import sys
import threading

__all__ = ["handles_signals", "ignore_hangups"]


def handles_signals() -> bool:
    """Whether this is the main thread, the only one that may set signal handlers."""
    return threading.current_thread() is threading.main_thread()


def ignore_hangups() -> None:
    """Ignore SIGHUP until there is a handler: it would end a server that is told to reload while it starts."""
    if handles_signals() and sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
