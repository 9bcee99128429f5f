"""Concepts of a terminology as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.annotate.api.schemas.concepts import (
    CandidateConcept,
    ConceptList,
    ConceptSummary,
    ConceptView,
    Found,
)
from linnet.annotate.domain.concept_search import Proposed
from linnet.annotate.refusals import NotFound
from linnet.terminology import Terminology, browsing
from linnet.types import Candidate

__all__ = ["candidate_view", "children_view", "concept_view", "found_view", "place_of", "summary_view"]


def summary_view(terminology: Terminology, place: int) -> ConceptSummary:
    """In a list. place: row of the concept."""
    return ConceptSummary(**browsing.summary(terminology, place))


def candidate_view(terminology: Terminology, candidate: Candidate) -> CandidateConcept | None:
    """A candidate of the linker; None if the terminology does not have it."""
    place = terminology.row(candidate.concept)
    if place < 0:
        return None
    return CandidateConcept(
        **browsing.summary(terminology, place),
        found=candidate.name,
        score=candidate.score,
        origin=candidate.origin,
    )


def found_view(terminology: Terminology, proposal: Proposed) -> Found:
    """A search result."""
    return Found(
        **browsing.summary(terminology, proposal.concept),
        found=proposal.name,
        match=proposal.match,
        score=proposal.score,
        origin=proposal.origin,
    )


def concept_view(
    terminology: Terminology, place: int, *, learned: Sequence[str] = (), annotations: int = 0
) -> ConceptView:
    """Its details. learned, annotations: names learnt and mentions of the project."""
    concept = terminology.concept(place)
    return ConceptView(
        **browsing.summary(terminology, place),
        names=list(concept.names),
        learned=list(learned),
        xrefs=list(concept.xrefs),
        sources=list(concept.sources),
        parents=[summary_view(terminology, int(parent)) for parent in terminology.parents(place)],
        path=[summary_view(terminology, step) for step in browsing.path(terminology, place)],
        annotations=annotations,
    )


def children_view(terminology: Terminology, id: str, *, offset: int, limit: int) -> ConceptList:
    """Narrower concepts by name; of "", the concepts without a parent. Raises NotFound."""
    rows = browsing.children(terminology, place_of(terminology, id)) if id else browsing.roots(terminology)
    shown = np.asarray(rows)[offset : offset + limit]
    return ConceptList(
        total=len(rows), offset=offset, concepts=[summary_view(terminology, int(place)) for place in shown]
    )


def place_of(terminology: Terminology, id: str) -> int:
    """Row of a concept, or of the one that replaced it. Raises NotFound."""
    current = terminology.resolve(id)
    if not current:
        raise NotFound(f"The terminology has no concept '{id}'.")
    return terminology.row(current[0])
