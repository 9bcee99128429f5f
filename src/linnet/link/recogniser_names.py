"""What recognisers are told of the names of a terminology, and what its concepts are called as mentions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from linnet.arrays import Ints, Mask
from linnet.recognise import TerminologyNames
from linnet.recognise.terminology_names import NameLookup
from linnet.semantic_groups import Group, group_of_id, group_of_type, single_kind
from linnet.terminology import Terminology

__all__ = ["recogniser_names"]

# One disease among 54,000 chemicals, as MeSH's tree of chemicals has it, does not make them a terminology of diseases.
_FEW, _RARE = 200, 0.005
# The share of a vocabulary below which its concepts are only there to define others: the Disease Ontology imports ChEBI's.
_IMPORTED = 0.1


def recogniser_names(
    terminology: Terminology,
    lookup: NameLookup,
    *,
    allowed: Mask | None = None,
    qualifies: Callable[[int], bool],
) -> TerminologyNames:
    """The names of a terminology, for recognisers.

    A mention has the first type of its concept. A concept without types has the type Disease or Chemical if its vocabularies
    hold nothing else (Mondo, ChEBI).

    allowed    (concepts,) which concepts may be linked to; None for all
    qualifies  whether a name row is of a concept that only qualifies others
    """
    labels = _Labels(terminology)
    rows = np.arange(len(terminology)) if allowed is None else np.flatnonzero(allowed)
    counts = labels.counts(rows)
    least = min(_FEW, _RARE * len(rows), int(counts.max(initial=0)))
    return TerminologyNames(
        lookup=lookup,
        text=terminology.names.__getitem__,
        type=partial(_type, terminology, labels, allowed),
        types=frozenset(labels.names[code] for code in np.flatnonzero(counts)),
        rare=frozenset(labels.names[code] for code in np.flatnonzero((counts > 0) & (counts < least))),
        qualifies=qualifies,
        phenotypes=_holds_phenotypes(terminology),
    )


class _Labels:
    """Types of mentions: those of the terminology, and the kinds of vocabularies whose concepts have none."""

    def __init__(self, terminology: Terminology) -> None:
        self._terminology = terminology
        counts, _ = terminology.type_codes(np.arange(len(terminology)))
        self._untyped = np.flatnonzero(counts == 0)
        kinds, codes = _kinds(terminology, self._untyped)
        self.names = [
            *terminology.type_names,
            *(kind for kind in kinds if kind not in terminology.type_names),
        ]
        places = np.array([-1, *map(self.names.index, kinds)], np.int64)
        self._codes = np.full(len(terminology), -1, np.int64)
        self._codes[self._untyped] = places[codes + 1]

    def of(self, row: int) -> str:
        """The type of mentions of a concept, "" without one."""
        code = int(self._codes[row])
        return self.names[code] if code >= 0 else next(iter(self._terminology.types(row)), "")

    def counts(self, rows: Ints) -> Ints:
        """(names,) how many of these concepts have each type."""
        _, codes = self._terminology.type_codes(rows)
        untyped = self._codes[rows]
        return np.bincount(np.concatenate((codes, untyped[untyped >= 0])), minlength=len(self.names))


def _kinds(terminology: Terminology, rows: Ints) -> tuple[list[str], Ints]:
    """Kinds of vocabularies, and (M,) which of them is the only one of a concept's vocabularies, −1 without one.

    The vocabulary of a concept without sources is that of its id.
    """
    numbers, sources = terminology.source_codes(rows)
    owners = np.repeat(np.arange(len(rows)), numbers)
    bare = np.flatnonzero(numbers == 0)
    prefixes = [id.partition(":")[0] for id in terminology.ids.take(rows[bare])]
    vocabularies = list(dict.fromkeys((*terminology.source_names, *prefixes)))
    places = {name: place for place, name in enumerate(vocabularies)}
    sources = np.concatenate((sources, [places[prefix] for prefix in prefixes])).astype(np.int64)
    owners = np.concatenate((owners, bare))

    shares = np.bincount(sources, minlength=len(vocabularies)) / max(len(terminology), 1)
    kinds = [
        single_kind(group_of_id(name)) if share >= _IMPORTED else ""
        for name, share in zip(vocabularies, shares, strict=True)
    ]
    known = sorted({kind for kind in kinds if kind})
    codes = np.array([known.index(kind) if kind else -1 for kind in kinds], np.int64)[sources]
    least, most = np.full(len(rows), len(known)), np.full(len(rows), -1)
    np.minimum.at(least, owners[codes >= 0], codes[codes >= 0])
    np.maximum.at(most, owners[codes >= 0], codes[codes >= 0])
    return known, np.where(least == most, most, -1)


def _type(terminology: Terminology, labels: _Labels, allowed: Mask | None, name_row: int) -> str | None:
    """The type of a name's concept, "" without one; None if the concept may not be linked to."""
    row = int(terminology.name_concepts[name_row])
    return None if allowed is not None and not allowed[row] else labels.of(row)


def _holds_phenotypes(terminology: Terminology) -> bool:
    types, vocabularies = terminology.type_names, terminology.source_names
    kinds = {group_of_type([name]) for name in types} or {group_of_id(name) for name in vocabularies}
    return kinds == {Group.PHENOTYPE}
