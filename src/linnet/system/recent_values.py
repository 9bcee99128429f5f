"""An LRU cache of values that are computed many at a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["RecentValues"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentValues(Generic[Key, Value]):
    """Values by key; the least recently used are dropped first. Safe to share between threads, which compute values in parallel:
    only access to the table is locked."""

    def __init__(self, *, size: int) -> None:
        """size  cached values, at most"""
        self._size = size
        self._lock = Lock()
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def of(
        self, keys: Iterable[Key], compute: Callable[[Sequence[Key]], Iterable[Value]]
    ) -> dict[Key, Value]:
        """The value of each key; `compute` is called once, with the keys that have none, each once."""
        known: dict[Key, Value] = {}
        new: dict[Key, None] = {}
        with self._lock:
            for key in keys:
                if (value := self._values.get(key)) is None:
                    new[key] = None
                else:
                    self._values.move_to_end(key)
                    known[key] = value
        if new:
            computed = dict(zip(new, compute(list(new)), strict=True))
            known |= computed
            with self._lock:
                self._values |= computed
                while len(self._values) > self._size:
                    self._values.popitem(last=False)
        return known
