"""Parents, types and definitions for one terminology, taken from another; names only on request.

Examples: the 2012 MEDIC dictionary, which has no hierarchy, enriched from MeSH, the Disease Ontology or NCIt; the chemicals of
MeSH with the names of the FDA's UNII list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from linnet.terminology.hierarchy import Hierarchy
from linnet.terminology.join import Conflict, Join, join
from linnet.terminology.sssom import Mapping
from linnet.types import Concept
from linnet.words.text import fold

__all__ = ["Enriched", "enrich"]


@dataclass(frozen=True, slots=True)
class Enriched:
    """The base's concepts, and what they gained; iterating yields the concepts.

    matched      number of concepts that the other terminology also has
    parents      number of concepts that gained a parent
    types        number of concepts that gained a semantic type
    definitions  number of concepts that gained a definition
    names        number of concepts that gained a name
    conflicts    mappings left out because they would join two concepts of one terminology
    """

    concepts: tuple[Concept, ...]
    matched: int
    parents: int
    types: int
    definitions: int
    names: int
    conflicts: tuple[Conflict, ...]

    def __iter__(self) -> Iterator[Concept]:
        return iter(self.concepts)


def enrich(
    base: Iterable[Concept],
    extra: Iterable[Concept],
    *,
    mappings: Iterable[Mapping] = (),
    names: bool = False,
) -> Enriched:
    """Add parents, types and definitions from the same or exactly mapped concepts of `extra`.

    names  add names too, except those that another concept of `base` has

    To find a concept's parents, its parents in `extra` are followed upwards until a concept of `base` is reached.
    Parents that are ancestors of the concept already, or would close a cycle, are left out. Concepts come in the order
    of `base`, including its retired ids.
    """
    concepts, extra_concepts = list(base), list(extra)
    groups = join([concepts, extra_concepts], mappings)
    base_ids = {concept.id for concept in concepts if concept.name}
    extra_by_id = {concept.id: concept for concept in extra_concepts if concept.name}
    counterparts = {id: twin for id in base_ids if (twin := _counterpart(id, groups, extra_by_id))}
    owners = _owners(concepts) if names else {}
    ancestors = _BaseAncestors(base_ids, extra_by_id, groups)
    hierarchy = Hierarchy()
    for concept in concepts:
        hierarchy.trust(concept.id, concept.parents)
    enriched = []
    for concept in concepts:
        other = counterparts.get(concept.id)
        if concept.name and other:
            for parent in ancestors.nearest(other, of=concept.id):
                if not hierarchy.is_above(parent, concept.id):
                    hierarchy.add(concept.id, parent)
            added = [
                name for name in other.all_names if names and owners.get(fold(name), concept.id) == concept.id
            ]
            concept = replace(
                concept,
                names=(*concept.names, *_new(added, concept)),
                parents=hierarchy.parents(concept.id),
                types=tuple(dict.fromkeys((*concept.types, *other.types))),
                definition=concept.definition or other.definition,
            )
        enriched.append(concept)
    pairs = list(zip(concepts, enriched, strict=True))
    return Enriched(
        tuple(enriched),
        matched=len(counterparts),
        parents=sum(len(new.parents) > len(old.parents) for old, new in pairs),
        types=sum(len(new.types) > len(old.types) for old, new in pairs),
        definitions=sum(new.definition != old.definition for old, new in pairs),
        names=sum(len(new.names) > len(old.names) for old, new in pairs),
        conflicts=groups.conflicts,
    )


def _owners(concepts: Iterable[Concept]) -> dict[str, str]:
    """Folded name → the concept that has it, the last of several."""
    return {fold(name): concept.id for concept in concepts for name in concept.all_names}


def _new(names: Iterable[str], concept: Concept) -> tuple[str, ...]:
    """The names that a concept does not have, in any case."""
    known = {fold(name) for name in concept.all_names}
    return tuple({fold(name): name for name in reversed(list(names)) if fold(name) not in known}.values())[
        ::-1
    ]


def _counterpart(id: str, groups: Join, extra_by_id: dict[str, Concept]) -> Concept | None:
    members = groups.members.get(id, (id,))
    return next((extra_by_id[member] for member in members if member in extra_by_id), None)


class _BaseAncestors:
    """Finds the nearest concepts of the base above a concept of the other terminology."""

    def __init__(self, base_ids: set[str], extra_by_id: dict[str, Concept], groups: Join) -> None:
        self._base_ids, self._extra_by_id, self._groups = base_ids, extra_by_id, groups

    def nearest(self, concept: Concept, *, of: str) -> list[str]:
        """Base ids above `concept`, the nearest on each path up; never `of` itself."""
        nearest: dict[str, None] = {}
        seen = {concept.id}
        queue = list(concept.parents)
        for id in queue:
            if id in seen:
                continue
            seen.add(id)
            mapped = [new for new in self._groups.current(id) if new in self._base_ids and new != of]
            if mapped:
                nearest.update(dict.fromkeys(mapped))
            elif id in self._extra_by_id:
                queue.extend(self._extra_by_id[id].parents)
        return list(nearest)
