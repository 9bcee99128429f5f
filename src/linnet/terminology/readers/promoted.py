"""Supplementary records of MeSH that have become descriptors: their ids are old ids of these.

NLM moves a substance or disease that is written about often from the supplementary records to the descriptors, under a
new id. Corpora annotated before have the old one. A supplementary file older than the descriptors still holds the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from linnet.text import fold
from linnet.types import Concept

__all__ = ["Promotions"]

_DESCRIPTOR, _SUPPLEMENT = "MESH:D", "MESH:C"


class Promotions:
    """The names of all descriptors read so far, and how many supplementary records had one of them."""

    def __init__(self) -> None:
        self._owners: dict[str, tuple[str, str] | None] = {}  # folded name → id and preferred name
        self._retired = 0
        self._example = ""

    def retire(self, concepts: Iterable[Concept]) -> Iterator[Concept]:
        """The concepts; a supplementary record whose preferred name is a name of one descriptor becomes an old id of it.

        concepts  descriptors before supplementary records; may be called again with those of the next file

        Names are compared as `linnet.text.fold` writes them. NLM never gives a descriptor and a supplementary record the
        same name, so this changes nothing where both files are of one day. The record's further names become names of
        the descriptor.
        """
        for concept in concepts:
            if concept.name and concept.id.startswith(_DESCRIPTOR):
                self._remember(concept)
            elif concept.name and concept.id.startswith(_SUPPLEMENT):
                owner = self._owners.get(fold(concept.name))
                if owner is not None:
                    yield from self._retired_as(concept, *owner)
                    continue
            yield concept

    def report(self, tell: Callable[[str], None]) -> None:
        """Call `tell` with one sentence if any record was retired."""
        if self._retired:
            tell(
                f"{self._retired:,} supplementary records have the name of a descriptor; their ids are old ids of it "
                f"({self._example})."
            )

    def _remember(self, descriptor: Concept) -> None:
        for name in map(fold, descriptor.all_names):
            known = self._owners.setdefault(name, (descriptor.id, descriptor.name))
            if known is not None and known[0] != descriptor.id:
                self._owners[name] = None

    def _retired_as(self, record: Concept, descriptor: str, preferred: str) -> Iterator[Concept]:
        self._retired += 1
        self._example = self._example or f"{record.id} is now {descriptor}, {preferred}"
        yield Concept(record.id, "", replaced_by=(descriptor,))
        if record.names:
            yield Concept(descriptor, preferred, record.names, sources=record.sources)
