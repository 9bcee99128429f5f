"""Subsets of mentions that were not seen in training."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from linnet.evaluate.gold import Gold

__all__ = [
    "LENIENT",
    "Kept",
    "Seen",
    "refined",
    "seen_in",
    "subsets",
    "unseen_concept",
    "unseen_exact",
    "unseen_surface",
]

LENIENT = ("unseen-exact",)
"""Subsets that are scored as `lenient` where no scoring is named."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Lower-cased surfaces, concept ids, and surfaces as written, of train and dev."""

    surfaces: Set[str]
    concepts: Set[str]
    written: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kept:
    """Indexes of the mentions kept, in order, and the number dropped per reason."""

    places: list[int]
    dropped: dict[str, int]


def seen_in(golds: Sequence[Gold]) -> Seen:
    """Surfaces and concepts of these annotations."""
    return Seen(
        frozenset(gold.surface for gold in golds),
        frozenset(id for gold in golds for id in gold.concepts),
        frozenset(gold.text for gold in golds),
    )


def refined(golds: Sequence[Gold], seen: Seen) -> Kept:
    """Mentions whose surface was not seen, without repeats of a surface with the same concepts.

    The first of several repeats is kept. Source: Tutubalina, Kadurin and Miftahutdinov 2020; DILBERT, section 4.
    """
    unseen = unseen_surface(golds, seen)
    first: dict[tuple[str, frozenset[str]], int] = {}
    for position in unseen.places:
        first.setdefault((golds[position].surface, golds[position].concepts), position)
    positions = list(first.values())
    return Kept(positions, {**unseen.dropped, "repeated in the corpus": len(unseen.places) - len(positions)})


def unseen_surface(golds: Sequence[Gold], seen: Seen) -> Kept:
    """Mentions whose lower-cased surface does not occur in train or dev."""
    places = [i for i, gold in enumerate(golds) if gold.surface not in seen.surfaces]
    return Kept(places, {"surface seen in train": len(golds) - len(places)})


def unseen_exact(golds: Sequence[Gold], seen: Seen) -> Kept:
    """Mentions whose surface, as it is written, does not occur in train. The cut of BeLink (2026), scored as `lenient`."""
    places = [i for i, gold in enumerate(golds) if gold.text not in seen.written]
    return Kept(places, {"surface seen in train as written": len(golds) - len(places)})


def unseen_concept(golds: Sequence[Gold], seen: Seen) -> Kept:
    """Mentions with gold concepts, none of which occurs in train or dev."""
    with_concept = [i for i, gold in enumerate(golds) if gold.concepts]
    places = [i for i in with_concept if not golds[i].concepts & seen.concepts]
    dropped = {
        "concept seen in train": len(with_concept) - len(places),
        "no gold concept": len(golds) - len(with_concept),
    }
    return Kept(places, dropped)


subsets: dict[str, Callable[[Sequence[Gold], Seen], Kept]] = {
    "refined": refined,
    "unseen-concept": unseen_concept,
    "unseen-exact": unseen_exact,
    "unseen-surface": unseen_surface,
}
