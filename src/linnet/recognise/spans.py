"""Typed spans of a text, before they become mentions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Span", "leftmost_longest"]


class Span(NamedTuple):
    """Offsets, end exclusive, and the type of the name there."""

    start: int
    end: int
    type: str

    def overlaps(self, other: Span) -> bool:
        """Whether they share a character."""
        return self.start < other.end and other.start < self.end


def leftmost_longest(spans: Iterable[Span]) -> list[Span]:
    """Spans without overlaps, in text order: of overlapping spans the first, then the longest, is kept."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept
