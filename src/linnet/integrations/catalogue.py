"""Search and look-up of concepts in several terminologies as if they were one."""

from __future__ import annotations

from collections.abc import Collection
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from linnet.arrays import Mask
from linnet.errors import UnknownNameError
from linnet.link.member import Member
from linnet.link.terminology_group import TerminologyGroup
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex
from linnet.words.curies import curie

__all__ = ["Catalogue", "ConceptMatch"]

_MATCHES = ("id", "exact", "prefix", "words", "some")


class ConceptMatch(NamedTuple):
    """A concept of a terminology, the row of the name that matched, and the kind of match."""

    terminology: Terminology
    row: int
    name: int
    match: str


class Catalogue:
    """The concepts that a linker may link to. Safe to share between threads."""

    def __init__(self, group: TerminologyGroup) -> None:
        self._members = group.terminology_members
        self._lock = Lock()
        self._indexes: dict[str, SearchIndex] = {}

    @property
    def types(self) -> list[str]:
        """Semantic types of all terminologies, sorted."""
        return sorted({name for member in self._members for name in member.terminology.type_names})

    def open(self) -> None:
        """Open the search indexes before the first search; missing ones are built.

        Raises StoreError or a subclass if an index can be neither opened nor written.
        """
        for member in self._members:
            self._index(member.terminology)

    def search(self, query: str, *, k: int, types: Collection[str] | None = None) -> list[ConceptMatch]:
        """At most k concepts for words, beginnings of words, or an id, best first.

        Sorted by kind of match (id, exact, prefix, words, some), then by terminology. A concept in several terminologies
        occurs once. Raises UnknownNameError for a type that no terminology has.
        """
        known = {name.casefold() for name in self.types}
        for name in types or ():
            if name.casefold() not in known:
                raise UnknownNameError("type of concepts", name, self.types or ["none"])
        matches: list[ConceptMatch] = []
        for member in self._members:
            allowed = _allowed(member, types)
            if allowed is None or allowed.any():
                matches += self._matches(member, query, k=k, allowed=allowed)
        matches.sort(key=lambda match: _MATCHES.index(match.match))
        distinct: dict[str, ConceptMatch] = {}
        for match in matches:
            distinct.setdefault(match.terminology.ids[match.row], match)
        return list(distinct.values())[:k]

    def get(self, id: str) -> list[ConceptMatch]:
        """The concept of an id, with or without its prefix, in the first terminology that has it; for a retired id its
        replacements; [] for an unknown id."""
        for spelling in dict.fromkeys((id, curie(id), id.upper())):
            for member in self._members:
                matches = self._matches(member, spelling, allowed=member.allowed)
                if matches and matches[0].match == "id":
                    return matches
        return []

    def _matches(self, member: Member, query: str, **options: Any) -> list[ConceptMatch]:
        terminology = member.terminology
        hits = self._index(terminology).search(query, **options)
        return [ConceptMatch(terminology, hit.concept, hit.name, hit.match) for hit in hits]

    def _index(self, terminology: Terminology) -> SearchIndex:
        with self._lock:
            key = str(terminology.path)
            if key not in self._indexes:
                self._indexes[key] = SearchIndex.open(terminology)
            return self._indexes[key]


def _allowed(member: Member, types: Collection[str] | None) -> Mask | None:
    """(concepts,) mask of the concepts to search; None for all."""
    if types is None:
        return member.allowed
    known = {name.casefold(): name for name in member.terminology.type_names}
    own_types = [known[name.casefold()] for name in types if name.casefold() in known]
    if not own_types:
        return np.zeros(len(member.terminology), bool)
    mask = member.terminology.select(types=own_types)
    return mask if member.allowed is None or mask is None else mask & member.allowed
