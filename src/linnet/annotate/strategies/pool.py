"""What a strategy may look at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf

from linnet.text import simplify

__all__ = ["Pool", "Unlabelled"]


@dataclass(frozen=True, slots=True)
class Unlabelled:
    """A document that waits.

    confidences  of what is predicted in it, see `linnet.annotate.learning.confidence`
    mentions     the texts of that, in the same order
    """

    name: str
    text: str
    confidences: tuple[float, ...] = ()
    mentions: tuple[str, ...] = ()

    def forms(self) -> dict[str, float]:
        """The normal form of each text that is predicted → how sure the model is where it is least so."""
        found: dict[str, float] = {}
        for text, confidence in zip(self.mentions, self.confidences, strict=True):
            form = simplify(text)
            found[form] = min(found.get(form, inf), confidence)
        return found


@dataclass(frozen=True, slots=True)
class Pool:
    """The documents that wait, the texts of those that are annotated, the texts of the mentions annotated in these, and
    the seed of whatever is drawn."""

    documents: Sequence[Unlabelled]
    labelled: Sequence[str] = ()
    known: Collection[str] = ()
    seed: int = 0
