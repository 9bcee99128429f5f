"""Which of many spans lie where, asked for many places: a document may have a hundred thousand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.annotate.editing.snapshot import Snapshot

__all__ = ["SpanIndex"]


class SpanIndex:
    """Spans, in any order, that are looked for by place; two overlap where they have a character in common."""

    def __init__(self, spans: Sequence[Snapshot]) -> None:
        starts = np.fromiter((span["start"] for span in spans), np.int64, len(spans))
        self._order = np.argsort(starts, kind="stable")
        self._starts = starts[self._order]
        self._ends = np.fromiter((span["end"] for span in spans), np.int64, len(spans))[self._order]
        self._reach = np.maximum.accumulate(self._ends)  # of a span and all that begin before it

    def any(self, start: int, end: int) -> bool:
        """Whether a span overlaps this place."""
        before = int(np.searchsorted(self._starts, end))
        return before > 0 and bool(self._reach[before - 1] > start)

    def at(self, start: int, end: int) -> list[int]:
        """Indexes of the spans that overlap this place, by where they begin, then in the order given."""
        if not self.any(start, end):
            return []
        first = int(
            np.searchsorted(self._reach, start, side="right")
        )  # all before it end at `start` or earlier
        before = int(np.searchsorted(self._starts, end))
        found = first + np.flatnonzero(self._ends[first:before] > start)
        return [int(index) for index in self._order[found]]
