"""A concept under construction from several rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from linnet.types import Concept

__all__ = ["Entries", "Entry", "names_of", "vocabulary"]


@dataclass(slots=True)
class Entry:
    """A concept under construction; the first of `names` is preferred. Repeated values count once."""

    id: str
    names: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    definition: str = ""
    parents: list[str] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)

    def concept(self) -> Concept:
        """The finished concept. Without `sources`, its source is the vocabulary of its id."""
        name, names = names_of(self.names)
        return Concept(
            id=self.id,
            name=name,
            names=names,
            types=_distinct(self.types),
            definition=self.definition,
            parents=tuple(parent for parent in _distinct(self.parents) if parent != self.id),
            xrefs=tuple(xref for xref in _distinct(self.xrefs) if xref != self.id),
            sources=_distinct(self.sources) or vocabulary(self.id),
            replaced_by=tuple(id for id in _distinct(self.replaced_by) if id != self.id),
        )


class Entries(dict[str, Entry]):
    """Entries by id, created on first use, in order of first appearance."""

    def __missing__(self, id: str) -> Entry:
        entry = self[id] = Entry(id)
        return entry

    def concepts(self) -> Iterator[Concept]:
        """The finished concepts; each entry is freed as it is yielded, so that memory is not held twice."""
        for id in list(self):
            yield self.pop(id).concept()


def names_of(names: list[str]) -> tuple[str, tuple[str, ...]]:
    """The first non-empty name, and the other distinct ones in order."""
    distinct = [name for name in dict.fromkeys(names) if name]
    return (distinct[0], tuple(distinct[1:])) if distinct else ("", ())


def vocabulary(id: str) -> tuple[str, ...]:
    """The prefix of a CURIE as the concept's vocabulary; empty without a prefix."""
    prefix, colon, _ = id.partition(":")
    return (prefix,) if colon else ()


def _distinct(values: list[str]) -> tuple[str, ...]:
    return tuple(value for value in dict.fromkeys(values) if value)
