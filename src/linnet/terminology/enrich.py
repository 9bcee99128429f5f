"""Parents, types and definitions for the concepts of one terminology from another; names stay as they are.

For instance the 2012 MEDIC dictionary, which has no hierarchy, from MeSH, the Disease Ontology or NCIt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from linnet.terminology.hierarchy import Hierarchy
from linnet.terminology.join import Conflict, Join, join
from linnet.terminology.sssom import Mapping
from linnet.types import Concept

__all__ = ["Enriched", "enrich"]


@dataclass(frozen=True, slots=True)
class Enriched:
    """The base's concepts, and what they gained; iterating gives the concepts.

    matched      number of concepts that the other terminology has too
    parents      number of concepts that gained a parent
    types        number of concepts that gained a semantic type
    definitions  number of concepts that gained a definition
    conflicts    mappings left out because they would join two concepts of one terminology
    """

    concepts: tuple[Concept, ...]
    matched: int
    parents: int
    types: int
    definitions: int
    conflicts: tuple[Conflict, ...]

    def __iter__(self) -> Iterator[Concept]:
        return iter(self.concepts)


def enrich(
    base: Iterable[Concept], extra: Iterable[Concept], *, mappings: Iterable[Mapping] = ()
) -> Enriched:
    """Give concepts of `base` what the same or exactly mapped concepts of `extra` know.

    A parent is found by walking up `extra` from each of the concept's parents there until a concept of `base` is
    met. Parents the base has, or that are above the concept already, are not repeated; one that would close a cycle
    is left out. Concepts come in the order of `base`, its retired ids included.
    """
    concepts, others = list(base), list(extra)
    groups = join([concepts, others], mappings)
    here = {concept.id for concept in concepts if concept.name}
    there = {concept.id: concept for concept in others if concept.name}
    counterparts = {id: twin for id in here if (twin := _counterpart(id, groups, there))}
    translate = _Upwards(here, there, groups)
    hierarchy = Hierarchy()
    for concept in concepts:
        hierarchy.trust(concept.id, concept.parents)
    grown = []
    for concept in concepts:
        other = counterparts.get(concept.id)
        if concept.name and other:
            for parent in translate.parents(other, of=concept.id):
                if not hierarchy.is_above(parent, concept.id):
                    hierarchy.add(concept.id, parent)
            concept = replace(
                concept,
                parents=hierarchy.parents(concept.id),
                types=tuple(dict.fromkeys((*concept.types, *other.types))),
                definition=concept.definition or other.definition,
            )
        grown.append(concept)
    pairs = list(zip(concepts, grown, strict=True))
    return Enriched(
        tuple(grown),
        matched=len(counterparts),
        parents=sum(len(new.parents) > len(old.parents) for old, new in pairs),
        types=sum(len(new.types) > len(old.types) for old, new in pairs),
        definitions=sum(new.definition != old.definition for old, new in pairs),
        conflicts=groups.conflicts,
    )


def _counterpart(id: str, groups: Join, there: dict[str, Concept]) -> Concept | None:
    return next((there[other] for other in groups.members.get(id, (id,)) if other in there), None)


class _Upwards:
    """Finds the nearest concepts of the base above a concept of the other terminology."""

    def __init__(self, here: set[str], there: dict[str, Concept], groups: Join) -> None:
        self._here, self._there, self._groups = here, there, groups

    def parents(self, concept: Concept, *, of: str) -> list[str]:
        """Ids of the base above `concept`, nearest first along each way up; never `of` itself."""
        found: dict[str, None] = {}
        seen = {concept.id}
        waiting = list(concept.parents)
        while waiting:
            id = waiting.pop(0)
            if id in seen:
                continue
            seen.add(id)
            mapped = [new for new in self._groups.current(id) if new in self._here and new != of]
            if mapped:
                found.update(dict.fromkeys(mapped))
            elif id in self._there:
                waiting.extend(self._there[id].parents)
        return list(found)
