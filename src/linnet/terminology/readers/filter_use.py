"""Which values of the filters matched nothing: a misspelt type among several leaves its concepts out, and nobody sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from linnet.listing import tally
from linnet.terminology.readers.options import ReadOptions
from linnet.types import Concept

__all__ = ["FilterUse"]

# Formats whose concepts have their vocabularies spelt as the filter spells them.
_SPELT_ALIKE = frozenset({"umls", "rxnorm", "omop"})
_LISTED = 10


class FilterUse:
    """Looks at the concepts that the filters kept, of all sources together."""

    def __init__(self, options: ReadOptions, formats: Sequence[str]) -> None:
        self._types: Counter[str] = Counter()
        self._prefixes: Counter[str] = Counter()
        self._vocabularies: Counter[str] = Counter()
        vocabularies = options.vocabularies if set(formats) <= _SPELT_ALIKE else None
        filters: tuple[tuple[str, Set[str] | None, Counter[str]], ...] = (
            ("type", options.types, self._types),
            ("prefix", options.only_prefixes, self._prefixes),
            ("vocabulary", vocabularies, self._vocabularies),
        )
        # One value that matches nothing leaves no concept, which is refused.
        self._filters = [
            (kind, values, counts) for kind, values, counts in filters if values and len(values) > 1
        ]

    def watch(self, concepts: Iterator[Concept]) -> Iterator[Concept]:
        """The concepts, looked at as they pass."""
        if not self._filters:
            yield from concepts
            return
        for concept in concepts:
            if concept.name:
                self._types.update(concept.types)
                self._vocabularies.update(concept.sources)
            self._prefixes[concept.id.partition(":")[0]] += 1
            yield concept

    def notes(self) -> Iterator[str]:
        """The values that no concept has, with those that concepts have."""
        for kind, values, counts in self._filters:
            present = {value.casefold() for value in counts}
            absent = sorted(value for value in values if value.rstrip(":").casefold() not in present)
            if absent:
                listed = ", ".join(f"'{value}'" for value in absent)
                yield f"no concept that was kept has the {kind} {listed}. They have: {tally(counts, _LISTED)}."
