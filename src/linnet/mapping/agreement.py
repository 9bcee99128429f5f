"""How far people who decided the same rows agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from linnet.evaluate.interval import wilson
from linnet.mapping.decisions import Decision, Event, Status

__all__ = ["RowAgreement", "agreement"]


@dataclass(frozen=True, slots=True)
class RowAgreement:
    """Of two people, on the rows that both have decided; imported decisions count for whoever made them.

    rows       that both have decided      same  of these: with the same status and concepts
    low, high  95 % interval of their share (Wilson)
    kappa      Cohen's; None where both always decided one and the same
    """

    first: str
    second: str
    rows: int
    same: int
    low: float
    high: float
    kappa: float | None


def agreement(log: Iterable[Decision]) -> list[RowAgreement]:
    """Of each two people who have decided the same rows, from the log in the order of time; most rows first.

    What was returned since is left out, and of each person their last decision counts, before anything was settled.
    """
    rows: dict[int, dict[str, tuple[Status, frozenset[str]]]] = {}
    for entry in log:
        made = rows.setdefault(entry.row, {})
        if entry.event is Event.RETURNED:
            made.clear()
        elif entry.event in (Event.UNDONE, Event.WITHDRAWN):
            made.pop(entry.by, None)
        elif entry.event is not Event.SETTLED:
            made[entry.by] = entry.status, entry.concepts
    labels: dict[tuple[str, str], list[tuple[object, object]]] = {}
    for made in rows.values():
        for pair in combinations(sorted(made), 2):
            labels.setdefault(pair, []).append((made[pair[0]], made[pair[1]]))
    found = [_of(*pair, pairs) for pair, pairs in labels.items()]
    return sorted(found, key=lambda each: (-each.rows, each.first, each.second))


def _of(first: str, second: str, pairs: list[tuple[object, object]]) -> RowAgreement:
    total, same = len(pairs), sum(one == other for one, other in pairs)
    one, other = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    expected = sum(count * other[label] for label, count in one.items()) / total**2
    kappa = (same / total - expected) / (1 - expected) if expected < 1 else None
    low, high = wilson(same, total)
    return RowAgreement(first, second, total, same, low, high, kappa)
