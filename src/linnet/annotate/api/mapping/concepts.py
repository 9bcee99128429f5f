"""Looking concepts up in the terminologies of the mapping."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import Annotated

from fastapi import APIRouter, Query

from linnet.annotate.api.concept_views import children_view, concept_view, found_view, place_of
from linnet.annotate.api.mapping.access import Review
from linnet.annotate.api.schemas.base import ConceptId, Offset
from linnet.annotate.api.schemas.concepts import ConceptList, ConceptResults, ConceptView
from linnet.annotate.domain.concept_search import proposals

__all__ = ["router"]

router = APIRouter(prefix="/mapping", tags=["concepts"])


@router.get("/concepts")
def search(
    review: Review,
    q: Annotated[str, Query(max_length=200)],
    k: Annotated[int, Query(ge=1, le=100)] = 20,
) -> ConceptResults:
    """Search as you type by words, word beginnings or id; of several terminologies, the best results of each in turn."""
    linker, indexes = review.opened.searching()
    lists = [
        [found_view(index.terminology, found) for found in proposals(index, linker, q, k=k, allowed=None)]
        for index in indexes
    ]
    mixed = [found for found in chain(*zip_longest(*lists)) if found is not None]
    concepts = list({found.id: found for found in reversed(mixed)}.values())[::-1][:k]
    return ConceptResults(total=len(concepts), offset=0, concepts=concepts, elsewhere=[])


@router.get("/concept")
def one_concept(review: Review, id: Annotated[ConceptId, Query()]) -> ConceptView:
    """Details of a concept; a retired id gives the concept that replaced it."""
    terminology = review.opened.terminology_of(id)
    return concept_view(terminology, place_of(terminology, id))


@router.get("/concept/children")
def children(
    review: Review,
    id: Annotated[
        str,
        Query(
            max_length=200, description='A concept; "" for those of the first terminology without a parent.'
        ),
    ] = "",
    offset: Annotated[Offset, Query()] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> ConceptList:
    """Page through the narrower concepts, by name."""
    terminology = review.opened.terminology_of(id) if id else review.opened.terminologies[0]
    return children_view(terminology, id, offset=offset, limit=limit)
