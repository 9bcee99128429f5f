"""Finds the spans that overlap a place, fast for many spans and places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["SpanIndex"]


class SpanIndex:
    """Spans as starts and ends, in any order. Two spans overlap if they share a character."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        starts = np.fromiter((start for start, _ in spans), np.int64, len(spans))
        self._order = np.argsort(starts, kind="stable")
        self._starts = starts[self._order]
        self._ends = np.fromiter((end for _, end in spans), np.int64, len(spans))[self._order]
        self._reach = np.maximum.accumulate(self._ends)  # largest end so far

    def any(self, start: int, end: int) -> bool:
        """Whether any span overlaps this place."""
        before = int(np.searchsorted(self._starts, end))
        return before > 0 and bool(self._reach[before - 1] > start)

    def at(self, start: int, end: int) -> list[int]:
        """Indexes of the spans that overlap this place, by start, then in the order given."""
        if not self.any(start, end):
            return []
        # All spans before the first end at `start` or earlier.
        first = int(np.searchsorted(self._reach, start, side="right"))
        before = int(np.searchsorted(self._starts, end))
        overlapping = first + np.flatnonzero(self._ends[first:before] > start)
        return [int(index) for index in self._order[overlapping]]
