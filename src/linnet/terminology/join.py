"""Groups of equivalent concepts from several terminologies, found by equal ids and exact mappings.

A chain of mappings may pass through ids that no terminology has (MeSH and DO joined through Mondo). It never joins two
concepts of one terminology, nor two ids of one absent vocabulary: a mapping that would do so is left out and reported.
Among competing mappings, those between concepts that share a name come first, then the earlier ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from linnet.terminology.sssom import EXACT, Mapping
from linnet.types import Concept
from linnet.words.curies import curie_of_shape
from linnet.words.text import fold

__all__ = ["Conflict", "Join", "join"]

_SAME = "owl:sameAs"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A mapping left out because it would join `first` and `second`, which are of one vocabulary."""

    first: str
    second: str
    mapping: Mapping

    def __str__(self) -> str:
        mapping = f"{self.mapping.subject} = {self.mapping.object}"
        return f"{mapping} would join {self.first} and {self.second}"


@dataclass(frozen=True, slots=True)
class Join:
    """Groups of equivalent ids.

    leaders    id → leader of its group: its id in the first terminology that has one. Ids without a group are absent
    members    leader → all ids of its group, the leader first, then by terminology; ids of no terminology last
    aliases    retired and alternative ids → current ids of the same terminology
    conflicts  mappings left out, in the order processed
    unknown    number of mappings that lead to no concept on either side
    """

    leaders: dict[str, str]
    members: dict[str, tuple[str, ...]]
    aliases: dict[str, tuple[str, ...]]
    conflicts: tuple[Conflict, ...]
    unknown: int

    def current(self, id: str) -> tuple[str, ...]:
        """The leader of an id, else the leaders of its replacements, else the id itself."""
        if id in self.leaders:
            return (self.leaders[id],)
        return tuple(dict.fromkeys(self.leaders.get(new, new) for new in self.aliases.get(id, (id,))))


def join(terminologies: Sequence[Iterable[Concept]], mappings: Iterable[Mapping] = ()) -> Join:
    """Group the concepts of terminologies, given in order of precedence. Only exact mappings count.

    Ids that differ only in spelling (`D003920`, `mesh:D003920`) are equal.
    """
    groups = _Groups()
    spelt: dict[str, str] = {}  # linnet's spelling → spelling in the first terminology that has the id
    same: list[Mapping] = []
    known: dict[str, Concept] = {}
    aliases: dict[str, tuple[str, ...]] = {}
    for number, terminology in enumerate(terminologies):
        for concept in terminology:
            first = spelt.setdefault(curie_of_shape(concept.id), concept.id)
            if first != concept.id:
                same.append(Mapping(first, _SAME, concept.id))
            if concept.name:
                known.setdefault(concept.id, concept)
                groups.place(concept.id, number)
            else:
                aliases.setdefault(concept.id, concept.replaced_by)
    replaced = [(id, new[0]) for id, new in aliases.items() if id in known and len(new) == 1]
    aliases = {id: targets for id, targets in aliases.items() if id not in known}

    def live(id: str) -> str:
        if id not in known and id not in aliases:
            id = spelt.get(curie_of_shape(id), id)
        targets = aliases.get(id, ())
        return targets[0] if len(targets) == 1 else id

    exact = [m._replace(subject=live(m.subject), object=live(m.object)) for m in mappings if m[1] in EXACT]
    for mapping in same:
        first, second = live(mapping.subject), live(mapping.object)
        if first in known and second in known:
            groups.unite(first, second)
    conflicts = []
    for mapping in sorted(exact, key=lambda m: _names_differ(m, known)):
        clash = groups.unite(mapping.subject, mapping.object)
        if clash:
            first, second = sorted(clash)
            conflicts.append(Conflict(first, second, mapping))
    for id, new in replaced:
        groups.unite(id, live(new))  # no conflict is reported: one terminology may well have both
    members = groups.members(known)
    return Join(
        {id: leader for leader, ids in members.items() for id in ids},
        members,
        aliases,
        tuple(conflicts),
        sum(groups.leaderless(m.subject, known) for m in exact),
    )


def _names_differ(mapping: Mapping, known: dict[str, Concept]) -> bool:
    """Whether the two sides share no name. An id without a concept has only its label."""
    sides = ((mapping.subject, mapping.subject_label), (mapping.object, mapping.object_label))
    first, second = (
        {fold(name) for name in (known[id].all_names if id in known else (label,))} for id, label in sides
    )
    return first.isdisjoint(second)


class _Groups:
    """Union–find over ids, with at most one id of each vocabulary per group."""

    def __init__(self) -> None:
        self._up: dict[str, str] = {}
        # Root → vocabulary (number of a terminology, or prefix of an id that none has) → the group's id there.
        self._ids: dict[str, dict[Hashable, str]] = {}

    def place(self, id: str, vocabulary: Hashable) -> None:
        self._up.setdefault(id, id)
        self._ids.setdefault(id, {})[vocabulary] = id

    def root(self, id: str) -> str:
        while self._up[id] != id:
            self._up[id] = self._up[self._up[id]]
            id = self._up[id]
        return id

    def unite(self, first: str, second: str) -> tuple[str, str] | None:
        """Join the groups of two ids; if both groups have an id of one vocabulary, return these two ids instead."""
        for id in (first, second):
            if id not in self._up:
                self.place(id, id.partition(":")[0])
        a, b = self.root(first), self.root(second)
        if a == b:
            return None
        for vocabulary, id in self._ids[b].items():
            other = self._ids[a].get(vocabulary)
            if other is not None:
                return other, id
        if len(self._ids[a]) < len(self._ids[b]):
            a, b = b, a
        self._up[b] = a
        self._ids[a].update(self._ids.pop(b))
        return None

    def members(self, known: dict[str, Concept]) -> dict[str, tuple[str, ...]]:
        """Leader → ids of each group with a known concept and more than one id."""
        members = {}
        for group in self._ids.values():
            ranked = sorted(group.items(), key=lambda item: (isinstance(item[0], str), item[0]))
            ids = tuple(dict.fromkeys(id for _, id in ranked))
            if len(ids) > 1 and ids[0] in known:
                members[ids[0]] = ids
        return members

    def leaderless(self, id: str, known: dict[str, Concept]) -> bool:
        return not any(member in known for member in self._ids[self.root(id)].values())
