"""What every process of the server begins with: its signals, and its log on standard error: events, one a line, never the contents of
requests."""

from __future__ import annotations

import logging
import signal
import sys
import threading

__all__ = ["handles_signals", "ignore_hangups", "log_to_stderr"]


def handles_signals() -> bool:
    """Whether this is the main thread, the only one that may set signal handlers."""
    return threading.current_thread() is threading.main_thread()


def ignore_hangups() -> None:
    """Ignore SIGHUP until there is a handler: it would end a server that is told to reload while it starts."""
    if handles_signals() and sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def log_to_stderr() -> None:
    """Send the log of this process to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    for name, level in (("linnet.serve", logging.INFO), ("uvicorn.error", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
