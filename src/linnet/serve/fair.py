"""Who is next: a queue in which nobody waits for all that somebody else has asked for.

Start-time fair queueing: work of each flow (a key, a connection, a batch) is stamped with the virtual time at which it would
begin if all flows shared the machine evenly, and is done in the order of the stamps.
Source: Goyal, Vin and Cheng 1996.
"""

from __future__ import annotations

from typing import Generic, TypeVar

__all__ = ["FairQueue"]

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Items in the order they are to be done. Not for several threads."""

    def __init__(self) -> None:
        self._now = 0.0
        self._ends: dict[str, float] = {}
        self._waiting: list[tuple[float, int, T]] = []
        self._count = 0

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def put(self, item: T, *, flow: str, cost: float) -> None:
        """Add an item. cost: how long it takes, in any unit."""
        start = max(self._now, self._ends.get(flow, 0.0))
        self._ends[flow] = start + cost
        self._waiting.append((start, self._count, item))
        self._count += 1

    def ordered(self) -> list[T]:
        """What waits, the next first; of equals the one that came first."""
        self._waiting.sort(key=lambda one: one[:2])
        return [item for _, _, item in self._waiting]

    def take(self, item: T) -> None:
        """It is being done."""
        for place, (start, _, one) in enumerate(self._waiting):
            if one == item:
                del self._waiting[place]
                self._now = max(self._now, start)
                break
        if not self._waiting:
            self._ends = {flow: end for flow, end in self._ends.items() if end > self._now}

    def drop(self, item: T) -> None:
        """Nobody wants it any more."""
        self._waiting = [one for one in self._waiting if one[2] != item]
