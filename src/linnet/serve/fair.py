"""Who is next: a queue in which nobody waits for all that somebody else has asked for.

Start-time fair queueing: work of each flow (a key, a connection, a batch) is stamped with the virtual time at which it would
begin if all flows shared the machine evenly, and is done in the order of the stamps.
Source: Goyal, Vin and Cheng 1996; virtual time as of Demers, Keshav and Shenker 1989, which goes on while flows share.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

__all__ = ["FairQueue"]

T = TypeVar("T")
_FLOWS = 256  # known before it is looked which of them are over


class _Item(NamedTuple, Generic[T]):
    """start: virtual time at which it would begin; number: how many came before it."""

    start: float
    number: int
    item: T
    flow: str
    cost: float


class FairQueue(Generic[T]):
    """Items in the order they are to be done. Not for several threads."""

    def __init__(self) -> None:
        self._now = 0.0
        self._ends: dict[str, float] = {}
        self._waiting: list[_Item[T]] = []
        self._count = 0

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def put(self, item: T, *, flow: str, cost: float) -> None:
        """Add an item. cost: how long it takes, in any unit."""
        start = max(self._now, self._ends.get(flow, 0.0))
        self._ends[flow] = start + cost
        self._waiting.append(_Item(start, self._count, item, flow, cost))
        self._count += 1

    def ordered(self) -> list[T]:
        """What waits, the next first; of equals the one that came first."""
        self._waiting.sort(key=lambda one: one[:2])
        return [one.item for one in self._waiting]

    def take(self, item: T) -> None:
        """It is being done."""
        for place, one in enumerate(self._waiting):
            if one.item == item:
                flows = len({other.flow for other in self._waiting})
                # Time goes on with the work that is shared by those who wait. By the stamps alone it would stand still where
                # ever new flows come, and whoever has had a turn would not get another.
                self._now = max(self._now, one.start) + one.cost / flows
                del self._waiting[place]
                break
        # Of a flow that ended before now nothing has to be known; there may be work at all times, and always new flows.
        if not self._waiting or len(self._ends) > _FLOWS + 2 * len(self._waiting):
            self._ends = {flow: end for flow, end in self._ends.items() if end > self._now}

    def drop(self, item: T) -> None:
        """Nobody wants it any more."""
        self._waiting = [one for one in self._waiting if one.item != item]
