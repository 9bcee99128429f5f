"""The input of a strategy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf

from linnet.words.text import simplify

__all__ = ["Pool", "Unlabelled"]


@dataclass(frozen=True, slots=True)
class Unlabelled:
    """A waiting document.

    confidences    of its predictions, see `linnet.active.confidence`
    mentions       texts of its predictions, in the same order
    probabilities  that its predictions are right, in the same order; () or None where unknown. For people, not for strategies
    """

    name: str
    text: str
    confidences: tuple[float, ...] = ()
    mentions: tuple[str, ...] = ()
    probabilities: tuple[float | None, ...] = ()

    def forms(self) -> dict[str, float]:
        """Normal form of each predicted text → its lowest confidence."""
        lowest: dict[str, float] = {}
        for text, confidence in zip(self.mentions, self.confidences, strict=True):
            form = simplify(text)
            lowest[form] = min(lowest.get(form, inf), confidence)
        return lowest


@dataclass(frozen=True, slots=True)
class Pool:
    """Waiting documents, texts of annotated documents, texts of the mentions annotated in them, and the seed for random
    order."""

    documents: Sequence[Unlabelled]
    labelled: Sequence[str] = ()
    known: Collection[str] = ()
    seed: int = 0
