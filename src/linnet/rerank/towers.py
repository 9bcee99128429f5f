"""The two encoders of a dual encoder: mentions in context → vectors, described concepts → vectors, compared by distance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from linnet.arrays import Floats
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext

__all__ = ["Towers"]


class Towers(Protocol):
    """Both map to the same space. A row depends on nothing but its input. Safe to share between threads."""

    @property
    def dimensions(self) -> int: ...

    def mentions(self, contexts: Sequence[MentionInContext]) -> Floats:
        """(N, D) float32, raw."""
        ...

    def entities(self, described: Sequence[DescribedConcept]) -> Floats:
        """(N, D) float32, raw."""
        ...
