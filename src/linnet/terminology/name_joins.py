"""Pairs of concepts from several terminologies that share a name which is unique on both sides.

A name that belongs to two concepts of one terminology says nothing. What a shared name says has a grade:

    3  the preferred name of both concepts
    2  the preferred name of one
    1  a synonym of both: often broader or narrower on one side, so never enough
    0  an acronym, or a short name that is not the preferred name of both: often something else, so never enough

A pair is joined if its best name has grade 2 or 3 and no rival comes near: a concept that could be joined instead must have
a grade lower by two. Pairs of different kinds (a gene and a disease) are not joined. Nor are pairs that would, through
other pairs or mappings, bring together two concepts of one terminology: then none of these pairs is.

The grades and the two steps between them were chosen on pairs of HPO, Mondo, DO and MeSH whose cross references say what is
right (`benchmarks/name_joins.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from linnet.terminology.join import Join, join
from linnet.terminology.sssom import Mapping
from linnet.types import Concept
from linnet.words.semantic_groups import compatible, group_of_concept
from linnet.words.text import fold

__all__ = ["REASONS", "NameJoins", "NameMatch", "join_names"]

PREDICATE = "skos:exactMatch"
LEAST_LETTERS = 6
"""Names with fewer letters are short. Of those shared as synonyms of rivals hardly any pair was right."""

SHORT, SYNONYMS, RIVALS, KINDS, CHAIN = "short", "synonyms", "rivals", "kinds", "chain"
REASONS = {
    SHORT: "share only acronyms or short names",
    SYNONYMS: "share only synonyms",
    RIVALS: "share names with several concepts of one terminology",
    KINDS: "are of different kinds",
    CHAIN: "would bring together two concepts of one terminology",
}
_ENOUGH, _MARGIN = 2, 2


class NameMatch(NamedTuple):
    """Two concepts that share a name; the subject is of the earlier terminology.

    name        the shared name of highest grade, folded; the first in alphabetical order of several
    names       number of shared names
    preferred   whether `name` is the preferred name of the subject, of the object
    reason      key of `REASONS`, "" if the two are joined
    """

    subject: str
    subject_label: str
    object: str
    object_label: str
    name: str
    names: int
    preferred: tuple[bool, bool]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NameJoins:
    """What shared names say of several terminologies.

    joined     pairs to join, by the ids of subject and object
    refused    pairs that share a name and are not joined, with the reason, in the same order
    ambiguous  number of shared names that are left out because they belong to several concepts of one terminology
    """

    joined: tuple[NameMatch, ...]
    refused: tuple[NameMatch, ...]
    ambiguous: int

    @property
    def mappings(self) -> tuple[Mapping, ...]:
        """Exact mappings of the joined pairs, for `merge` and `enrich`."""
        return tuple(
            Mapping(match.subject, PREDICATE, match.object, match.subject_label, match.object_label)
            for match in self.joined
        )

    def reasons(self) -> dict[str, int]:
        """Reason → number of pairs not joined for it, in the order of `REASONS`."""
        counts = Counter(match.reason for match in self.refused)
        return {reason: counts[reason] for reason in REASONS if counts[reason]}


def join_names(terminologies: Sequence[Iterable[Concept]], *, mappings: Iterable[Mapping] = ()) -> NameJoins:
    """The pairs of concepts that share a unique name, beyond those that equal ids and mappings join already.

    Names are compared folded (case, width, kinds of dashes and quotes): what else spelling may differ in can tell two
    chemicals apart.
    """
    inputs = [list(terminology) for terminology in terminologies]
    groups = join(inputs, mappings)
    live = [[concept for concept in concepts if concept.name] for concepts in inputs]
    pairs, ambiguous = _pairs(live, groups)
    members = _members(live, groups)
    chosen: dict[_Nodes, str] = {}
    grades = {nodes: max(shared.grade for shared in found) for nodes, found in pairs.items()}
    rivals = _rivals(pairs, members)
    for nodes, grade in grades.items():
        best = max((grades[other] for other in rivals[nodes]), default=-_MARGIN)
        first, second = (group_of_concept(concept.types, concept.id) for concept in _ends(pairs[nodes]))
        if not compatible(first, second):
            chosen[nodes] = KINDS
        elif grade < _ENOUGH:
            chosen[nodes] = SYNONYMS if grade else SHORT
        elif best > grade - _MARGIN:
            chosen[nodes] = RIVALS
        else:
            chosen[nodes] = ""
    for nodes in _chained([nodes for nodes, reason in chosen.items() if not reason], members):
        chosen[nodes] = CHAIN
    matches = sorted(_match(found, chosen[nodes]) for nodes, found in pairs.items())
    return NameJoins(
        tuple(match for match in matches if not match.reason),
        tuple(match for match in matches if match.reason),
        ambiguous,
    )


_Nodes = tuple[str, str]  # leaders of two groups, or ids without a group


class _Owner(NamedTuple):
    """A concept with one of its names as written."""

    concept: Concept
    written: str

    @property
    def is_preferred(self) -> bool:
        return fold(self.written) == fold(self.concept.name)


class _Shared(NamedTuple):
    """A name that two concepts share."""

    name: str
    grade: int
    preferred: tuple[bool, bool]
    subject: Concept
    object: Concept


def _pairs(live: Sequence[Sequence[Concept]], groups: Join) -> tuple[dict[_Nodes, list[_Shared]], int]:
    """The names that concepts of different groups share, and the number of ambiguous names."""
    owners = [_owners(concepts) for concepts in live]
    capitals = [_in_capitals(concepts) for concepts in live]
    counts = Counter(name for names in owners for name in names)
    pairs: dict[_Nodes, list[_Shared]] = defaultdict(list)
    ambiguous = 0
    for name in sorted(name for name, count in counts.items() if count > 1):
        having = [(number, names[name]) for number, names in enumerate(owners) if name in names]
        if any(len(found) > 1 for _, found in having):
            ambiguous += 1
            continue
        for (i, [subject]), (j, [other]) in combinations(having, 2):
            first, second = (
                groups.leaders.get(owner.concept.id, owner.concept.id) for owner in (subject, other)
            )
            if first != second:
                acronym = any(
                    _is_acronym(owner.written) and not capitals[number]
                    for number, owner in ((i, subject), (j, other))
                )
                preferred = (subject.is_preferred, other.is_preferred)
                grade = 1 + sum(preferred)
                if acronym or (grade < 3 and sum(map(str.isalpha, name)) < LEAST_LETTERS):
                    grade = 0
                pairs[first, second].append(_Shared(name, grade, preferred, subject.concept, other.concept))
    return pairs, ambiguous


def _owners(concepts: Iterable[Concept]) -> dict[str, list[_Owner]]:
    """Folded name → the concepts that have it, each once."""
    owners: dict[str, list[_Owner]] = {}
    for concept in concepts:
        for name, written in {fold(written): written for written in reversed(concept.all_names)}.items():
            owners.setdefault(name, []).append(_Owner(concept, written))
    return owners


def _in_capitals(concepts: Iterable[Concept]) -> bool:
    """Whether a terminology writes most names of several words in capitals, so that capitals show no acronym."""
    several = [name.isupper() for concept in concepts for name in concept.all_names if " " in name]
    return 2 * sum(several) > len(several)


def _is_acronym(written: str) -> bool:
    return len(written.split()) == 1 and written.isupper()


def _members(live: Sequence[Sequence[Concept]], groups: Join) -> dict[str, dict[int, str]]:
    """Leader, or id without a group → number of a terminology → id of the group there."""
    members: dict[str, dict[int, str]] = defaultdict(dict)
    for number, concepts in enumerate(live):
        for concept in concepts:
            members[groups.leaders.get(concept.id, concept.id)][number] = concept.id
    return members


def _rivals(pairs: Iterable[_Nodes], members: dict[str, dict[int, str]]) -> dict[_Nodes, list[_Nodes]]:
    """For each pair the pairs that share one side, and whose other side has a concept in the same terminology."""
    having: dict[str, list[_Nodes]] = defaultdict(list)
    for nodes in pairs:
        for node in nodes:
            having[node].append(nodes)
    rivals: dict[_Nodes, list[_Nodes]] = defaultdict(list)
    for node, touching in having.items():
        by_terminology: dict[int, list[_Nodes]] = defaultdict(list)
        for nodes in touching:
            other = nodes[nodes[0] == node]
            for number in members[other]:
                by_terminology[number].append(nodes)
        for competing in by_terminology.values():
            for nodes in competing:
                rivals[nodes] += [other for other in competing if other != nodes]
    return rivals


def _ends(found: Sequence[_Shared]) -> tuple[Concept, Concept]:
    return found[0].subject, found[0].object


def _chained(pairs: Sequence[_Nodes], members: dict[str, dict[int, str]]) -> list[_Nodes]:
    """The pairs of every connected component that has two concepts of one terminology."""
    roots: dict[str, str] = {}

    def root(node: str) -> str:
        while roots.setdefault(node, node) != node:
            roots[node] = roots[roots[node]]
            node = roots[node]
        return node

    for first, second in pairs:
        roots[root(first)] = root(second)
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for node in list(roots):
        counts[root(node)].update(members[node].keys())
    return [nodes for nodes in pairs if max(counts[root(nodes[0])].values()) > 1]


def _match(found: Sequence[_Shared], reason: str) -> NameMatch:
    best = min(found, key=lambda shared: (-shared.grade, shared.name))
    return NameMatch(
        best.subject.id,
        best.subject.name,
        best.object.id,
        best.object.name,
        best.name,
        len({shared.name for shared in found}),
        best.preferred,
        reason,
    )
