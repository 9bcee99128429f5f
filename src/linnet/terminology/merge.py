"""Merges terminologies: concepts that exact mappings equate become one concept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from linnet.terminology.hierarchy import Hierarchy
from linnet.terminology.join import Conflict, Join, join
from linnet.terminology.same_ids import share_a_name
from linnet.terminology.sssom import Mapping
from linnet.terminology.staging import union
from linnet.types import Concept

__all__ = ["Merged", "merge"]


@dataclass(frozen=True, slots=True)
class Merged:
    """The concepts of all terminologies, and counts; iterating yields the concepts.

    joined     number of concepts joined into another
    conflicts  mappings left out because they would join two concepts of one terminology
    unknown    number of mappings that lead to no concept
    cycles     number of parents left out because they would close a cycle
    strangers  concepts of one id that share no name with the others of that id: (id, name of the first, their own name)
    """

    concepts: tuple[Concept, ...]
    joined: int
    conflicts: tuple[Conflict, ...]
    unknown: int
    cycles: int
    strangers: tuple[tuple[str, str, str], ...] = ()

    def __iter__(self) -> Iterator[Concept]:
        return iter(self.concepts)


def merge(terminologies: Sequence[Iterable[Concept]], *, mappings: Iterable[Mapping] = ()) -> Merged:
    """Join terminologies, given in order of precedence, through equal ids and exact mappings.

    A joined concept has the id, preferred name and definition of the first terminology that gives them, and the names,
    types, parents, cross references and sources of all. Its other ids become alternative ids and cross references.
    Parents that would close a cycle are left out. Concepts come in order of first appearance, then retired and
    alternative ids.
    """
    inputs = [list(terminology) for terminology in terminologies]
    groups = join(inputs, mappings)
    united: dict[str, Concept] = {}
    strangers: list[tuple[str, str, str]] = []
    for terminology in inputs:
        for concept in terminology:
            if concept.name:
                leader = groups.leaders.get(concept.id, concept.id)
                if (
                    leader == concept.id
                    and leader in united
                    and not share_a_name(united[leader].all_names, concept.all_names)
                ):
                    strangers.append((leader, united[leader].name, concept.name))
                moved = replace(concept, id=leader)
                united[leader] = union(united[leader], moved) if leader in united else moved
    hierarchy, cycles = _hierarchy(inputs, groups)
    concepts = [
        replace(concept, parents=hierarchy.parents(id), xrefs=_xrefs(concept, groups))
        for id, concept in united.items()
    ]
    live = {concept.id for terminology in inputs for concept in terminology if concept.name}
    others = [
        Concept(id, "", replaced_by=(leader,))
        for id, leader in groups.leaders.items()
        if id in live and id != leader
    ]
    retired = [Concept(id, "", replaced_by=groups.current(id)) for id in groups.aliases]
    return Merged(
        (*concepts, *others, *retired),
        len(others),
        groups.conflicts,
        groups.unknown,
        cycles,
        tuple(strangers),
    )


def _hierarchy(inputs: Sequence[Sequence[Concept]], groups: Join) -> tuple[Hierarchy, int]:
    hierarchy = Hierarchy()
    cycles = 0
    for number, terminology in enumerate(inputs):
        for concept in terminology:
            id = groups.leaders.get(concept.id, concept.id)
            above = [new for parent in concept.parents for new in groups.current(parent) if new != id]
            if number == 0:
                hierarchy.trust(id, above)
            else:
                cycles += sum(not hierarchy.add(id, parent) for parent in above)
    return hierarchy, cycles


def _xrefs(concept: Concept, groups: Join) -> tuple[str, ...]:
    others = groups.members.get(concept.id, ())
    return tuple(id for id in dict.fromkeys((*others, *concept.xrefs)) if id != concept.id)
