"""What recognisers are told of the names of a terminology, and what its concepts are called as mentions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from linnet.arrays import Mask
from linnet.recognise import TerminologyNames
from linnet.recognise.terminology_names import NameLookup
from linnet.terminology import Terminology
from linnet.terminology.mention_types import MentionTypes
from linnet.words.semantic_groups import Group, group_of_id, group_of_type

__all__ = ["recogniser_names"]

# One disease among 54,000 chemicals, as MeSH's tree of chemicals has it, does not make them a terminology of diseases.
_FEW, _RARE = 200, 0.005


def recogniser_names(
    terminology: Terminology,
    lookup: NameLookup,
    *,
    allowed: Mask | None = None,
    qualifies: Callable[[int], bool],
) -> TerminologyNames:
    """The names of a terminology, for recognisers.

    Mentions have the types of `MentionTypes`.

    allowed    (concepts,) which concepts may be linked to; None for all
    qualifies  whether a name row is of a concept that only qualifies others
    """
    labels = MentionTypes(terminology)
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


def _type(terminology: Terminology, labels: MentionTypes, allowed: Mask | None, name_row: int) -> str | None:
    """The type of a name's concept, "" without one; None if the concept may not be linked to."""
    row = int(terminology.name_concepts[name_row])
    return None if allowed is not None and not allowed[row] else labels.of(row)


def _holds_phenotypes(terminology: Terminology) -> bool:
    types, vocabularies = terminology.type_names, terminology.source_names
    kinds = {group_of_type([name]) for name in types} or {group_of_id(name) for name in vocabularies}
    return kinds == {Group.PHENOTYPE}
