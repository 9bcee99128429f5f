"""Ctrl-C and termination, kept until a training step is complete."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["asked_to_stop"]


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], int | None]]:
    """A function that returns the signal which asked to stop (SIGINT or SIGTERM), None while there was none.

    A second signal stops at once, as it would outside the block. Outside the main thread, where signals do not
    arrive, the function always returns None.
    """
    asked: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        if asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        if asked:
            sys.exit(128 + number)
        asked.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    before = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked[0] if asked else None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
