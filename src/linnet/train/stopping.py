"""Ctrl-C and SIGTERM, deferred until a training step is complete."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["stop_requests"]


@contextmanager
def stop_requests() -> Iterator[Callable[[], int | None]]:
    """A function that returns the signal received (SIGINT or SIGTERM), or None.

    A second signal stops at once, as outside the block. Outside the main thread, which gets no signals, the function
    always returns None.
    """
    received: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        if received and number == signal.SIGINT:
            raise KeyboardInterrupt
        if received:
            sys.exit(128 + number)
        received.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    before = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: received[0] if received else None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
