"""What a strategy may look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Pool", "Unlabelled"]


@dataclass(frozen=True, slots=True)
class Unlabelled:
    """A document that waits. confidences: of what is predicted in it, see `linnet.annotate.learning.confidence`."""

    name: str
    text: str
    confidences: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Pool:
    """The documents that wait, the texts of those that are annotated, and the seed of whatever is drawn."""

    documents: Sequence[Unlabelled]
    labelled: Sequence[str] = ()
    seed: int = 0
