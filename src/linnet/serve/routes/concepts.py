"""Concepts: searched as the user types, or looked up by id."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Depends, Query
from fastapi.params import Path
from fastapi.responses import Response
from pydantic import BaseModel

from linnet.errors import RequestError, UnknownNameError
from linnet.http.refusals import NotFound, Unavailable
from linnet.serve.dependencies import CurrentSnapshot, check_parameters, unknown_type
from linnet.serve.response_models import ConceptReply, SearchReply
from linnet.serve.snapshot import Snapshot
from linnet.terminology import Terminology, browsing
from linnet.terminology.search import Found

__all__ = ["matches", "router"]

router = APIRouter(prefix="/v1/concepts", tags=["concepts"], dependencies=[Depends(check_parameters)])
_MATCHES = ("id", "exact", "prefix", "words", "some")  # the best first


@router.get("", response_model=SearchReply)
def search(
    snapshot: CurrentSnapshot,
    q: Annotated[str, Query(max_length=100, description="Words, beginnings of words, or an id.")],
    k: Annotated[int, Query(ge=1, le=100)] = 20,
    types: Annotated[list[str] | None, Query(max_length=100, description="Concepts of these types.")] = None,
) -> Response:
    """Search as you type: words, beginnings of words ("myocard inf"), or an id."""
    hits = matches(snapshot, q, k, types)
    concepts = []
    for terminology, hit in hits:
        found = {"found": terminology.names[hit.name], "match": hit.match}
        place = {"terminology": terminology.path.resolve().name}
        concepts.append(browsing.summary(terminology, hit.concept) | found | place)
    return _answer(SearchReply.model_validate({"concepts": concepts, "served": snapshot.served}))


@router.get("/{id:path}", response_model=ConceptReply)
def concept(
    snapshot: CurrentSnapshot,
    id: Annotated[str, Path(max_length=500, examples=["MESH:D003920"])],
    offset: Annotated[int, Query(ge=0, le=2**31 - 1, description="Of the narrower concepts.")] = 0,
    limit: Annotated[int, Query(ge=0, le=500, description="Of the narrower concepts.")] = 100,
) -> Response:
    """All that is known of a concept; a retired id gives the concept that replaced it."""
    for terminology in snapshot.terminologies:
        current = terminology.resolve(id)
        if current:
            row = terminology.row(current[0])
            record = terminology.concept(row)
            narrower = browsing.children(terminology, row)[offset : offset + limit]
            fields = {name: getattr(record, name) for name in ("names", "sources", "xrefs")} | {
                "parents": [browsing.summary(terminology, int(each)) for each in terminology.parents(row)],
                "narrower": [browsing.summary(terminology, int(each)) for each in np.asarray(narrower)],
                "terminology": terminology.path.resolve().name,
                "served": snapshot.served,
            }
            return _answer(ConceptReply.model_validate(browsing.summary(terminology, row) | fields))
    raise NotFound(
        f"There is no concept '{id[:200]}'.",
        expected="Expected an id as links have it, e.g. MESH:D003920.",
        next_step="Search for its name: /v1/concepts?q=NAME",
    )


def matches(
    snapshot: Snapshot, q: str, k: int, types: list[str] | None = None
) -> list[tuple[Terminology, Found]]:
    """At most k concepts for words, beginnings of words, or an id, of these types, the best first.

    Raises Unavailable without a search index, Invalid for an unknown type.
    """
    hits: list[tuple[Terminology, Found]] = []
    for terminology, index in zip(snapshot.terminologies, snapshot.searches, strict=True):
        if index is None:
            raise Unavailable(
                "Concepts cannot be searched: the terminology has no search index.",
                next_step="Whoever runs the server finds in /ready what to do.",
                retry_after=60,
            )
        allowed = None
        if types:
            try:
                allowed = terminology.select(types=types)
            except RequestError:
                continue  # no concept of these types here
        hits += [(terminology, hit) for hit in index.search(q, k=k, allowed=allowed)]
    if types:
        _check_types(snapshot, types)
    hits.sort(key=lambda entry: _MATCHES.index(entry[1].match))
    return hits[:k]


def _check_types(snapshot: Snapshot, types: list[str]) -> None:
    known = {
        name.casefold(): name for terminology in snapshot.terminologies for name in terminology.type_names
    }
    missing = [name for name in types if name.casefold() not in known]
    if missing:
        raise unknown_type(UnknownNameError("type of concepts", missing[0][:100], known.values()))


def _answer(reply: BaseModel) -> Response:
    """Written in this thread: FastAPI would check the reply once more, in another."""
    return Response(reply.model_dump_json(), media_type="application/json")
