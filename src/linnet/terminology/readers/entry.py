"""A concept being gathered from several rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from linnet.types import Concept

__all__ = ["Entries", "Entry", "names_of", "vocabulary"]


@dataclass(slots=True)
class Entry:
    """A concept under construction; the first of `names` is the preferred one. Repeated values count once."""

    id: str
    names: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    definition: str = ""
    parents: list[str] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)

    def concept(self) -> Concept:
        """The finished concept. Its source is the vocabulary of its id where no other was given."""
        name, names = names_of(self.names)
        return Concept(
            id=self.id,
            name=name,
            names=names,
            types=_once(self.types),
            definition=self.definition,
            parents=tuple(parent for parent in _once(self.parents) if parent != self.id),
            xrefs=tuple(xref for xref in _once(self.xrefs) if xref != self.id),
            sources=_once(self.sources) or vocabulary(self.id),
            replaced_by=tuple(id for id in _once(self.replaced_by) if id != self.id),
        )


class Entries(dict[str, Entry]):
    """Entries by id, made on first use, in order of first appearance."""

    def __missing__(self, id: str) -> Entry:
        entry = self[id] = Entry(id)
        return entry

    def concepts(self) -> Iterator[Concept]:
        """The finished concepts; each entry is let go of as it is handed out, so that memory is not held twice."""
        for id in list(self):
            yield self.pop(id).concept()


def names_of(names: list[str]) -> tuple[str, tuple[str, ...]]:
    """The first name, and the others without empty ones and repetitions, in order."""
    distinct = [name for name in dict.fromkeys(names) if name]
    return (distinct[0], tuple(distinct[1:])) if distinct else ("", ())


def vocabulary(id: str) -> tuple[str, ...]:
    """The prefix of a CURIE as the vocabulary a concept comes from; empty where there is none."""
    prefix, colon, _ = id.partition(":")
    return (prefix,) if colon else ()


def _once(values: list[str]) -> tuple[str, ...]:
    return tuple(value for value in dict.fromkeys(values) if value)
