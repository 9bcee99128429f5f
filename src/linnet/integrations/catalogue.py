"""Concepts of several terminologies, found by words and looked up by id as if they were of one."""

from __future__ import annotations

from collections.abc import Collection
from threading import Lock
from typing import NamedTuple

import numpy as np

from linnet.arrays import Mask
from linnet.curies import curie
from linnet.errors import UnknownNameError
from linnet.link.terminology_group import Member, TerminologyGroup
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex

__all__ = ["Catalogue", "Place"]

_MATCHES = ("id", "exact", "prefix", "words", "some")


class Place(NamedTuple):
    """A concept of a terminology; `name` is the name row through which it was found, `match` how."""

    terminology: Terminology
    row: int
    name: int
    match: str


class Catalogue:
    """What a linker may link to. Safe to share between threads."""

    def __init__(self, group: TerminologyGroup) -> None:
        self._members = group.terminology_members
        self._lock = Lock()
        self._indexes: dict[str, SearchIndex] = {}

    @property
    def types(self) -> list[str]:
        """Semantic types of all terminologies, sorted."""
        return sorted({name for member in self._members for name in member.terminology.type_names})

    def open(self) -> None:
        """Open the search indexes, so that no search has to wait for it; what is missing is built.

        Raises StoreError and its kin where an index can be neither opened nor written.
        """
        for member in self._members:
            self._index(member.terminology)

    def search(self, query: str, *, k: int, types: Collection[str] | None = None) -> list[Place]:
        """At most k concepts for words, beginnings of words, or an id, best first.

        Better kinds of match come first (id, exact, prefix, words, some), then terminologies named earlier. A concept that
        several have is there once. Raises UnknownNameError for a type that none of them has.
        """
        self.check_types(types)
        found: list[Place] = []
        for member in self._members:
            allowed = _allowed(member, types)
            if allowed is None or allowed.any():
                hits = self._index(member.terminology).search(query, k=k, allowed=allowed)
                found += [Place(member.terminology, hit.concept, hit.name, hit.match) for hit in hits]
        found.sort(key=lambda place: _MATCHES.index(place.match))
        first = {place.terminology.ids[place.row]: place for place in reversed(found)}
        return [place for place in found if first[place.terminology.ids[place.row]] is place][:k]

    def get(self, id: str) -> list[Place]:
        """The concept of an id, also one without its prefix, in the first terminology that knows it; of a retired id what
        replaced it; [] for an unknown one."""
        for spelling in dict.fromkeys((id, curie(id), id.upper())):
            for member in self._members:
                hits = self._index(member.terminology).search(spelling, allowed=member.allowed)
                if hits and hits[0].match == "id":
                    return [Place(member.terminology, hit.concept, hit.name, hit.match) for hit in hits]
        return []

    def check_types(self, types: Collection[str] | None) -> None:
        """Raises UnknownNameError for a semantic type that no terminology has."""
        known = {name.casefold() for name in self.types}
        for name in types or ():
            if name.casefold() not in known:
                raise UnknownNameError("type of concepts", name, self.types or ["none"])

    def _index(self, terminology: Terminology) -> SearchIndex:
        with self._lock:
            key = str(terminology.path)
            if key not in self._indexes:
                self._indexes[key] = SearchIndex.open(terminology)
            return self._indexes[key]


def _allowed(member: Member, types: Collection[str] | None) -> Mask | None:
    """(concepts,) which may be found; None for all."""
    if types is None:
        return member.allowed
    known = {name.casefold(): name for name in member.terminology.type_names}
    wanted = [known[name.casefold()] for name in types if name.casefold() in known]
    if not wanted:
        return np.zeros(len(member.terminology), bool)
    mask = member.terminology.select(types=wanted)
    return mask if member.allowed is None or mask is None else mask & member.allowed
