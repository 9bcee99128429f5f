"""Mentions in all documents of a project, and changes of many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Query

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.schemas.base import Id, Offset, reply
from linnet.annotate.api.schemas.documents import Annotation
from linnet.annotate.api.schemas.mentions import (
    InconsistentText,
    InconsistentTexts,
    ManyChanges,
    Meaning,
    Mention,
    MentionList,
)
from linnet.annotate.domain.mentions import search
from linnet.annotate.domain.mentions.changes import Change, ManyChanged, Wanted, change_mentions
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import Layer, State

__all__ = ["router"]

router = APIRouter(prefix="/projects/{project}/mentions", tags=["mentions"])

_Words = Annotated[str, Query(max_length=500)]
_Layers = Annotated[list[Layer] | None, Query()]
_States = Annotated[list[State] | None, Query()]
_MEANINGS = 100
_Probability = Annotated[float | None, Query(ge=0, le=1)]


@router.get("")
def find(
    app: App,
    user: CurrentUser,
    project: Id,
    text: _Words = "",
    whole: bool = False,
    concept: Annotated[str, Query(max_length=200)] = "",
    attribute: Annotated[str, Query(max_length=50)] = "",
    value: Annotated[str, Query(max_length=50)] = "",
    layer: _Layers = None,
    state: _States = None,
    unchanged: bool = False,
    least: _Probability = None,
    below: _Probability = None,
    offset: Annotated[Offset, Query()] = 0,
    limit: Annotated[int, Query(ge=1, le=2000)] = 200,
) -> MentionList:
    """Find mentions by text, concept, attribute and its value, layer and probability, on the sheets that you annotate."""
    criteria = search.Criteria(
        text=text,
        whole=whole,
        concept=concept.strip(),
        attribute=attribute,
        value=value,
        layers=layer or (),
        states=state or (),
        unchanged=unchanged,
        least=least,
        below=below,
    )
    with app.database.read() as session:
        row = find_project(session, project)
        found = search.find_mentions(session, row, user.name, criteria, offset=offset, limit=limit)
    names = app.names_of(row)
    return MentionList(
        total=found.total,
        offset=offset,
        documents=found.documents,
        meanings=[_meaning(meaning, names) for meaning in found.meanings[:_MEANINGS]],
        mentions=[_mention(mention, names) for mention in found.mentions],
    )


@router.get("/inconsistent")
def inconsistent(
    app: App,
    user: CurrentUser,
    project: Id,
    layer: _Layers = None,
    offset: Annotated[Offset, Query()] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> InconsistentTexts:
    """Texts whose mentions are linked to different concepts, on the sheets that you annotate."""
    with app.database.read() as session:
        row = find_project(session, project)
        found = search.find_inconsistent(session, row, user.name, search.Criteria(layers=layer or ()))
    names = app.names_of(row)
    return InconsistentTexts(
        total=len(found),
        offset=offset,
        texts=[
            InconsistentText(
                text=variants.text, meanings=[_meaning(meaning, names) for meaning in variants.meanings]
            )
            for variants in found[offset : offset + limit]
        ],
    )


@router.post("/changes", response_model=reply(ManyChanged))
def change(app: App, user: CurrentUser, project: Id, body: ManyChanges) -> ManyChanged:
    """Confirm, remove or link mentions of several documents, or set their attributes: one change per document, which can be undone there.

    A document in which somebody has changed one of the mentions since you saw it stays as it is, and the answer says so. If the
    answer is lost, repeat the request with the same token: what was changed already is reported, and not changed again.
    """
    wanted = [Wanted(each.document, each.revision, each.annotations) for each in body.documents]
    what = Change(action=body.action, concepts=body.concepts, nil=body.nil, attributes=body.attributes)
    return change_mentions(
        app.database, app.terminologies, project, wanted, what, token=body.token, by=user.name
    )


def _meaning(meaning: search.Meaning, names: Callable[[str], str]) -> Meaning:
    concepts, nil = meaning.link
    return Meaning.of(meaning, concepts=list(concepts), names=[names(id) for id in concepts], nil=nil)


def _mention(mention: search.Found, names: Callable[[str], str]) -> Mention:
    shown = [names(id) for id in mention.row.concepts]
    return Mention.of(mention, annotation=Annotation.of(mention.row, text=mention.text, names=shown))
