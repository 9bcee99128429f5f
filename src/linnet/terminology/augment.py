"""Additional names for the concepts of a terminology, such as the mentions of an annotated corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from linnet.terminology.store import Terminology
from linnet.types import Concept
from linnet.words.text import fold

__all__ = ["Augmented", "augment"]


@dataclass(frozen=True, slots=True)
class Augmented:
    """The terminology's concepts with the new names; iterating yields the concepts.

    added    number of names added
    known    number of names that their concepts already had
    unknown  ids missing from the terminology → number of their names, most first
    """

    terminology: Terminology
    names: dict[str, tuple[str, ...]]
    added: int
    known: int
    unknown: dict[str, int]

    def __iter__(self) -> Iterator[Concept]:
        for concept in self.terminology:
            new = self.names.get(concept.id, ())
            yield replace(concept, names=(*concept.names, *new)) if new else concept


def augment(terminology: Terminology, pairs: Iterable[tuple[str, str]]) -> Augmented:
    """Append (name, concept id) pairs to the names of their concepts, in the order given.

    Retired and alternative ids are resolved. A name is known if it differs from one of the concept's names only in
    case, dashes, quotes or spaces.
    """
    names: dict[str, dict[str, str]] = {}
    unknown: Counter[str] = Counter()
    added = known = 0
    for name, id in pairs:
        current = terminology.resolve(id)
        if not current:
            unknown[id] += 1
        for target in current:
            if target not in names:
                row = terminology.row(target)
                names[target] = {
                    fold(text): "" for text in terminology.names.take(terminology.name_rows(row))
                }
            form = fold(name)
            if not form or form in names[target]:
                known += 1
            else:
                names[target][form] = " ".join(name.split())
                added += 1
    new = {id: tuple(text for text in forms.values() if text) for id, forms in names.items()}
    return Augmented(terminology, new, added, known, dict(unknown.most_common()))
