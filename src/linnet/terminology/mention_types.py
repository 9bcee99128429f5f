"""What mentions of concepts are called: by the types of the concepts, or by what their vocabulary holds."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from linnet.arrays import Ints
from linnet.terminology.store import Terminology
from linnet.words.semantic_groups import Group, group_of_id, group_of_type, single_kind

__all__ = ["MentionTypes", "is_of_unknown_kind"]

# The share of a vocabulary below which its concepts are only there to define others: the Disease Ontology imports ChEBI's.
_IMPORTED = 0.1
# The vocabularies that MEDIC merges, both of which hold other things too.
_MEDIC = {"MESH", "OMIM"}


class MentionTypes:
    """The types of mentions of a terminology's concepts.

    A mention has the first type of its concept. A concept without types has the type Disease or Chemical if its vocabularies
    hold nothing else (Mondo, ChEBI; MeSH and OMIM together, which are MEDIC), and Condition if they hold diseases and findings (ICD-10).

    names  all types, those of the terminology first
    """

    def __init__(self, terminology: Terminology) -> None:
        self._terminology = terminology
        counts, _ = terminology.type_codes(np.arange(len(terminology)))
        untyped = np.flatnonzero(counts == 0)
        kinds, codes = _kinds(terminology, untyped)
        self.names = [
            *terminology.type_names,
            *(kind for kind in kinds if kind not in terminology.type_names),
        ]
        places = np.array([-1, *map(self.names.index, kinds)], np.int64)
        self._codes = np.full(len(terminology), -1, np.int64)
        self._codes[untyped] = places[codes + 1]

    def of(self, row: int) -> str:
        """The type of mentions of a concept, "" without one."""
        code = int(self._codes[row])
        return self.names[code] if code >= 0 else next(iter(self._terminology.types(row)), "")

    def counts(self, rows: Ints) -> Ints:
        """(names,) how many of these concepts have each type."""
        _, codes = self._terminology.type_codes(rows)
        of_untyped = self._codes[rows]
        return np.bincount(np.concatenate((codes, of_untyped[of_untyped >= 0])), minlength=len(self.names))


def _kinds(terminology: Terminology, rows: Ints) -> tuple[list[str], Ints]:
    """Kinds of vocabularies, and (M,) which of them is the only one of a concept's vocabularies, −1 without one.

    The vocabulary of a concept without sources is that of its id.
    """
    numbers, sources = terminology.source_codes(rows)
    owners = np.repeat(np.arange(len(rows)), numbers)
    bare = np.flatnonzero(numbers == 0)
    prefixes = [id.partition(":")[0] for id in terminology.ids.take(rows[bare])]
    vocabularies = list(dict.fromkeys((*terminology.source_names, *prefixes)))
    positions = {name: position for position, name in enumerate(vocabularies)}
    sources = np.concatenate((sources, [positions[prefix] for prefix in prefixes])).astype(np.int64)
    owners = np.concatenate((owners, bare))

    shares = np.bincount(sources, minlength=len(vocabularies)) / max(len(terminology), 1)
    main = {name for name, share in zip(vocabularies, shares, strict=True) if share >= _IMPORTED}
    kinds = [_kind(name, main) if name in main else "" for name in vocabularies]
    known = sorted({kind for kind in kinds if kind})
    codes = np.array([known.index(kind) if kind else -1 for kind in kinds], np.int64)[sources]
    least, most = np.full(len(rows), len(known)), np.full(len(rows), -1)
    np.minimum.at(least, owners[codes >= 0], codes[codes >= 0])
    np.maximum.at(most, owners[codes >= 0], codes[codes >= 0])
    return known, np.where(least == most, most, -1)


def _kind(vocabulary: str, main: Set[str]) -> str:
    """What a vocabulary holds beside the main others of a terminology."""
    if main == _MEDIC:
        return "Disease"
    group = group_of_id(vocabulary)
    return "Condition" if group == Group.DISEASE | Group.PHENOTYPE else single_kind(group)


def is_of_unknown_kind(terminology: Terminology) -> bool:
    """Whether neither types nor vocabularies say what the concepts are, though they may be diseases or chemicals."""
    types = MentionTypes(terminology).names
    if types:
        return not group_of_type(types)
    groups = [group_of_id(name) for name in terminology.source_names]
    return not groups or any(not group or group & (Group.DISEASE | Group.CHEMICAL) for group in groups)
