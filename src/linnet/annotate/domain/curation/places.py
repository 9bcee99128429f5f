"""Places in a text where annotators' versions overlap, and how the versions differ there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

__all__ = ["ON", "DisagreementKind", "Mark", "Place", "align"]


class DisagreementKind(StrEnum):
    """How annotators' versions of a place differ. missing: some have nothing there. span: other starts, ends or numbers of spans. type: the
    same spans, other types. concept: the same spans and types, other concepts. attribute: only other attributes. agreed: they agree, but
    the curated sheet has nothing there."""

    MISSING = "missing"
    SPAN = "span"
    TYPE = "type"
    CONCEPT = "concept"
    ATTRIBUTE = "attribute"
    AGREED = "agreed"


ON = ""
"""The value of a flag, as a text, so that values can be ordered."""


class Mark(NamedTuple):
    """An annotation in a version. id: of its row; nil: the terminology has no concept for it; attributes: names and values, by name,
    `ON` for flags; unchanged: accepted with the whole document, without a look at this one."""

    start: int
    end: int
    type: str
    concepts: tuple[str, ...]
    nil: bool
    composite: bool
    attributes: tuple[tuple[str, str], ...] = ()
    id: int = 0
    unchanged: bool = False

    @property
    def meaning(self) -> tuple[frozenset[str], bool]:
        """What it is linked to; the order of concepts does not matter."""
        return frozenset(self.concepts), self.nil


_PARTS: dict[DisagreementKind, Callable[[Mark], object]] = {
    DisagreementKind.SPAN: lambda mark: (mark.start, mark.end),
    DisagreementKind.TYPE: lambda mark: mark.type,
    DisagreementKind.CONCEPT: lambda mark: mark.meaning,
    DisagreementKind.ATTRIBUTE: lambda mark: mark.attributes,
}


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of text that no annotation crosses, with each annotator's annotations in it, in text order."""

    start: int
    end: int
    versions: Mapping[str, tuple[Mark, ...]]

    @property
    def kind(self) -> DisagreementKind:
        """The first kind that applies."""
        versions = list(self.versions.values())
        if not all(versions):
            return DisagreementKind.MISSING
        for kind, part in _PARTS.items():
            first, *others = ([part(mark) for mark in version] for version in versions)
            if any(other != first for other in others):
                return kind
        return DisagreementKind.AGREED

    def merged(self) -> list[Mark]:
        """Every annotation of any version once, in text order; concepts of the same span and type together, as describing it together, and
        attributes too: of two values of one, the first version's."""
        first: dict[tuple[int, int, str], Mark] = {}
        for version in self.versions.values():
            for mark in version:
                key = mark.start, mark.end, mark.type
                kept = first.setdefault(key, mark)
                added = tuple(id for id in mark.concepts if id not in kept.concepts)
                if added and kept.concepts:
                    kept = kept._replace(concepts=kept.concepts + added, composite=False)
                elif added:
                    kept = mark._replace(attributes=kept.attributes)
                attributes = dict(mark.attributes) | dict(kept.attributes)
                first[key] = kept._replace(attributes=tuple(sorted(attributes.items())))
        return sorted(first.values())


def align(versions: Mapping[str, Sequence[Mark]]) -> list[Place]:
    """Places in text order: annotations that overlap, directly or through others, are in one place."""
    marks = sorted((mark, name) for name, version in versions.items() for mark in version)
    return list(_grouped(marks, list(versions)))


def _grouped(marks: Sequence[tuple[Mark, str]], names: Sequence[str]) -> Iterator[Place]:
    group: list[tuple[Mark, str]] = []
    reach = -1
    for mark, name in marks:
        if group and mark.start >= reach:
            yield _place(group, names)
            group = []
        group.append((mark, name))
        reach = max(reach, mark.end) if len(group) > 1 else mark.end
    if group:
        yield _place(group, names)


def _place(group: Sequence[tuple[Mark, str]], names: Sequence[str]) -> Place:
    versions = {name: tuple(mark for mark, other in group if other == name) for name in names}
    return Place(group[0][0].start, max(mark.end for mark, _ in group), versions)
