"""An LRU cache of values computed from texts: recogniser, linker and reranker need the same ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["RecentTexts"]

Value = TypeVar("Value")

_CHARACTERS = 1_000_000  # total length of the cached texts: two batches of linking


class RecentTexts(Generic[Value]):
    """Values of recently used texts. Safe to share between threads."""

    def __init__(self, compute: Callable[[str], Value], *, characters: int = _CHARACTERS) -> None:
        """
        compute     the value of a text; callers must not modify it
        characters  maximum total length of the cached texts
        """
        self._compute, self._max_characters = compute, characters
        self._lock = Lock()
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._characters = 0

    def of(self, text: str) -> Value:
        """The value of a text."""
        with self._lock:
            if text in self._values:
                self._values.move_to_end(text)
                return self._values[text]
        value = self._compute(text)
        with self._lock:
            if text not in self._values:
                self._values[text] = value
                self._characters += len(text)
            while self._characters > self._max_characters:
                self._characters -= len(self._values.popitem(last=False)[0])
        return value
