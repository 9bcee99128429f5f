"""Supplementary records of MeSH that were promoted to descriptors: their ids are retired ids of the descriptors.

NLM promotes a substance or disease that is often written about from the supplementary records to the descriptors, under a
new id. Older corpora have the old id, and supplementary files older than the descriptors still hold the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from linnet.plural import counted
from linnet.types import Concept
from linnet.words.text import fold

__all__ = ["Promotions"]

_DESCRIPTOR, _SUPPLEMENT = "MESH:D", "MESH:C"


class Promotions:
    """Names of all descriptors read so far, and the number of supplementary records that match one."""

    def __init__(self) -> None:
        self._owners: dict[str, tuple[str, str] | None] = {}  # folded name → id and preferred name
        self._retired = 0
        self._example = ""

    def retire(self, concepts: Iterable[Concept]) -> Iterator[Concept]:
        """The concepts; a supplementary record whose preferred name is a name of exactly one descriptor becomes a retired id.

        concepts  descriptors before supplementary records; call again with those of the next file

        Names are compared after `linnet.words.text.fold`. NLM never gives a descriptor and a supplementary record the same name,
        so files of one day do not change. The record's further names become names of the descriptor.
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
        """Call `tell` with the number of retired records, if any."""
        if self._retired:
            tell(
                f"{counted(self._retired, 'supplementary records have the name of a descriptor')} and became retired ids of it "
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
