"""The mentions that training data cannot have given away."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from linnet.evaluate.gold import Gold

__all__ = ["Kept", "Seen", "refined", "seen_in", "subsets", "unseen_concept", "unseen_surface"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What train and dev contain: lower-cased surfaces, and concept ids."""

    surfaces: Set[str]
    concepts: Set[str]


@dataclass(frozen=True, slots=True)
class Kept:
    """Places of the mentions that stay, in order, and how many were dropped for which reason."""

    places: list[int]
    dropped: dict[str, int]


def seen_in(golds: Sequence[Gold]) -> Seen:
    """What these annotations teach. A mention without a concept teaches its surface only."""
    return Seen(
        frozenset(gold.surface for gold in golds), frozenset(id for gold in golds for id in gold.concepts)
    )


def refined(golds: Sequence[Gold], seen: Seen) -> Kept:
    """Without mentions whose surface was seen, then without repeats of a surface with the same concepts.

    The first of several repeats stays. Source: Tutubalina, Kadurin and Miftahutdinov 2020; DILBERT, section 4.
    """
    unseen = unseen_surface(golds, seen)
    first: dict[tuple[str, frozenset[str]], int] = {}
    for place in unseen.places:
        first.setdefault((golds[place].surface, golds[place].concepts), place)
    places = list(first.values())
    return Kept(places, {**unseen.dropped, "repeated in the corpus": len(unseen.places) - len(places)})


def unseen_surface(golds: Sequence[Gold], seen: Seen) -> Kept:
    """Mentions whose lower-cased surface does not occur in train or dev."""
    places = [i for i, gold in enumerate(golds) if gold.surface not in seen.surfaces]
    return Kept(places, {"surface seen in train": len(golds) - len(places)})


def unseen_concept(golds: Sequence[Gold], seen: Seen) -> Kept:
    """Mentions with gold concepts, none of which occurs in train or dev."""
    having = [i for i, gold in enumerate(golds) if gold.concepts]
    places = [i for i in having if not golds[i].concepts & seen.concepts]
    return Kept(
        places,
        {"concept seen in train": len(having) - len(places), "no gold concept": len(golds) - len(having)},
    )


subsets: dict[str, Callable[[Sequence[Gold], Seen], Kept]] = {
    "refined": refined,
    "unseen-concept": unseen_concept,
    "unseen-surface": unseen_surface,
}
