"""A fair queue: flows (an API key, a connection, a batch) take turns, however much one of them asks for.

Start-time fair queueing: each item is stamped with the virtual time at which it would begin if all flows shared the machine
evenly, and items are taken in the order of their stamps.
Source: Goyal, Vin and Cheng 1996; virtual time after Demers, Keshav and Shenker 1989: it advances while flows share.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

__all__ = ["FairQueue"]

T = TypeVar("T")
_MAX_FLOWS = 256  # remembered before those that are over are forgotten


class _Entry(NamedTuple, Generic[T]):
    """start: virtual time at which the item would begin; number: of items that came before it."""

    start: float
    number: int
    item: T
    flow: str
    cost: float


class FairQueue(Generic[T]):
    """Items in the order they should run. Not thread-safe."""

    def __init__(self) -> None:
        self._now = 0.0
        self._ends: dict[str, float] = {}
        self._waiting: list[_Entry[T]] = []
        self._count = 0

    def __len__(self) -> int:
        """Number of waiting items."""
        return len(self._waiting)

    def put(self, item: T, *, flow: str, cost: float) -> None:
        """Add an item. cost: its expected time, in any unit."""
        start = max(self._now, self._ends.get(flow, 0.0))
        self._ends[flow] = start + cost
        self._waiting.append(_Entry(start, self._count, item, flow, cost))
        self._count += 1

    def ordered(self) -> list[T]:
        """The waiting items, the next first; of equal stamps the earlier item."""
        self._waiting.sort(key=lambda entry: entry[:2])
        return [entry.item for entry in self._waiting]

    def take(self, item: T) -> None:
        """Remove an item that starts to run."""
        for place, entry in enumerate(self._waiting):
            if entry.item == item:
                flows = len({other.flow for other in self._waiting})
                # Time advances by the item's share among the waiting flows. By the stamps alone it would stand still as
                # long as new flows keep coming, and a flow that has had a turn would not get another.
                self._now = max(self._now, entry.start) + entry.cost / flows
                del self._waiting[place]
                break
        # Flows that ended in the past need not be remembered. The queue may never be empty, and flows are always new.
        if not self._waiting or len(self._ends) > _MAX_FLOWS + 2 * len(self._waiting):
            self._ends = {flow: end for flow, end in self._ends.items() if end > self._now}

    def drop(self, item: T) -> None:
        """Remove an abandoned item."""
        self._waiting = [entry for entry in self._waiting if entry.item != item]
