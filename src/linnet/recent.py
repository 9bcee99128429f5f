"""What was worked out of a text, kept while the text is in use: a recogniser asks for it, then the linker and the reranker."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["RecentTexts"]

Value = TypeVar("Value")

_CHARACTERS = 1_000_000  # of the texts kept: two batches of what is linked together


class RecentTexts(Generic[Value]):
    """Values of the texts asked for last. Safe to share between threads."""

    def __init__(self, work_out: Callable[[str], Value], *, characters: int = _CHARACTERS) -> None:
        """
        work_out    the value of a text; not to be changed by whoever gets it
        characters  of the texts that are kept together, at most
        """
        self._work_out, self._most = work_out, characters
        self._lock = Lock()
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._characters = 0

    def of(self, text: str) -> Value:
        """The value of a text."""
        with self._lock:
            if text in self._values:
                self._values.move_to_end(text)
                return self._values[text]
        value = self._work_out(text)
        with self._lock:
            if text not in self._values:
                self._values[text] = value
                self._characters += len(text)
            while self._characters > self._most:
                self._characters -= len(self._values.popitem(last=False)[0])
        return value
