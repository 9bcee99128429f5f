"""What a strategy may look at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Pool:
    """The documents that wait, the texts of those that are annotated, the texts of the mentions annotated in these, and
    the seed of whatever is drawn."""

    documents: Sequence[Unlabelled]
    labelled: Sequence[str] = ()
    known: Collection[str] = ()
    seed: int = 0
