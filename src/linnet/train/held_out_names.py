"""Synonyms taken out of a terminology, to be found again by its other names.

A name can be held out if its words, in any order and number (singular or plural), name one concept only and the concept
keeps another name. All of the concept's names with these words leave the terminology, so that what is left differs from
the question by more than word order. At most one name of a concept is held out. Preferred names stay. Of some concepts
everything is taken out instead: asked by one of its names, such a concept has no right answer but NIL.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from linnet.terminology.staging import union
from linnet.types import Concept
from linnet.words.text import simplify

__all__ = ["HeldOut", "hold_out", "words_of"]


class HeldOut(NamedTuple):
    """The terminology without the names, and each name held out with its concept, in the order of the concepts.

    absent  a name of each concept that was taken out entirely
    """

    concepts: list[Concept]
    names: list[tuple[str, str]]
    absent: list[str]

    @property
    def asked(self) -> list[tuple[str, tuple[str, ...]]]:
        """All names held out with their right answers, () for NIL."""
        return [*((name, (concept,)) for name, concept in self.names), *((name, ()) for name in self.absent)]


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name as they are compared: simplified, sorted, without what a plural may change at the end."""
    return tuple(sorted(word.rstrip("es").rstrip("iy") or word for word in simplify(name).split()))


def hold_out(
    concepts: Iterable[Concept],
    *,
    count: int,
    seed: int,
    absent: int = 0,
    asked: Callable[[Concept], bool] = lambda concept: True,
) -> HeldOut:
    """Hold out the names of `count` concepts drawn by seed, of fewer if fewer concepts have such a name.

    Entries with one id are united first, as in a compiled terminology.

    absent  of the concepts drawn, so many are taken out entirely
    asked   whether a name of this concept may be held out
    """
    united: dict[str, Concept] = {}
    for concept in concepts:
        united[concept.id] = union(united[concept.id], concept) if concept.id in united else concept
    owners: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for concept in united.values():
        for name in concept.all_names:
            owners[words_of(name)].add(concept.id)
    choices = {}
    for concept in united.values():
        if concept.name and asked(concept):
            kept = words_of(concept.name)
            names = [n for n in concept.names if words_of(n) != kept and len(owners[words_of(n)]) == 1]
            if names:
                choices[concept.id] = names
    chance = random.Random(seed)
    drawn = set(chance.sample(sorted(choices), min(count, len(choices))))
    gone = set(chance.sample(sorted(drawn), min(absent, len(drawn)))) if absent else set()
    held: list[tuple[str, str]] = []
    without: list[str] = []
    reduced = []
    for concept in united.values():
        if concept.id in drawn:
            name = chance.choice(choices[concept.id])
            if concept.id in gone:
                without.append(name)
                continue
            held.append((name, concept.id))
            kept_names = tuple(n for n in concept.names if words_of(n) != words_of(name))
            concept = replace(concept, names=kept_names)
        reduced.append(concept)
    return HeldOut(reduced, held, without)
