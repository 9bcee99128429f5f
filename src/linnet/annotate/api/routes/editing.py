"""Changing the annotations of a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from linnet.annotate.accounts.sessions import SignedIn
from linnet.annotate.api.access import Shared, Who
from linnet.annotate.api.schemas.base import Id, Offset
from linnet.annotate.api.schemas.documents import (
    AnnotationChange,
    Applied,
    Change,
    NewAnnotation,
    Revised,
    Same,
    StateChange,
    Stepped,
)
from linnet.annotate.api.views import change_view
from linnet.annotate.editing import edits, undo
from linnet.annotate.editing.concepts import check_concepts
from linnet.annotate.editing.desk import Desk, open_desk
from linnet.annotate.store.tables import LogEntry
from linnet.annotate.tool import Tool

__all__ = ["router"]

_Limit = Annotated[
    int | None,
    Query(ge=1, le=100_000, description="Where more annotations changed, none of them are in the answer."),
]
router = APIRouter(prefix="/documents/{document}", tags=["annotations"])


@router.post("/annotations", status_code=201)
def make(tool: Shared, who: Who, document: Id, body: NewAnnotation) -> Change:
    """Make an annotation."""
    wish = edits.Wish(body.start, body.end, body.type, tuple(body.concepts), body.nil, body.composite)

    def work(desk: Desk) -> LogEntry:
        check_concepts(tool.terminologies.open(desk.project.terminology), body.concepts)
        return edits.make(desk, body.revision, wish)

    return _changed(tool, who, document, body.revision, work)


@router.patch("/annotations/{annotation}")
def change(tool: Shared, who: Who, document: Id, annotation: Id, body: AnnotationChange) -> Change:
    """Change the span, type or concepts of an annotation; it is the user's from then on."""
    concepts = None if body.concepts is None else tuple(body.concepts)
    wish = edits.Wish(body.start, body.end, body.type, concepts, body.nil, body.composite)

    def work(desk: Desk) -> LogEntry:
        check_concepts(tool.terminologies.open(desk.project.terminology), concepts or ())
        return edits.change(desk, body.revision, annotation, wish)

    return _changed(tool, who, document, body.revision, work)


@router.delete("/annotations/{annotation}")
def remove(
    tool: Shared, who: Who, document: Id, annotation: Id, revision: Annotated[Offset, Query()]
) -> Change:
    """Remove an annotation. The model will not predict it again on this sheet."""
    return _changed(tool, who, document, revision, lambda desk: edits.remove(desk, revision, annotation))


@router.post("/annotations/{annotation}/same")
def apply_to_same(
    tool: Shared, who: Who, document: Id, annotation: Id, body: Same, limit: _Limit = None
) -> Applied:
    """Apply an annotation to all mentions of the document with its text, as one change."""
    done: list[edits.Applied] = []

    def work(desk: Desk) -> LogEntry | None:
        done.append(
            edits.apply_to_same(
                desk, body.revision, annotation, case=body.case, relink=body.relink, missing=body.missing
            )
        )
        return done[0].entry

    change = _changed(tool, who, document, body.revision, work, limit)
    return Applied(**change.model_dump(), made=done[0].made, relinked=done[0].relinked)


@router.post("/state")
def set_state(tool: Shared, who: Who, document: Id, body: StateChange, limit: _Limit = None) -> Change:
    """Accept, skip or reopen the document. Accepting makes its predictions the user's."""
    return _changed(
        tool,
        who,
        document,
        body.revision,
        lambda desk: edits.set_state(desk, body.revision, body.state),
        limit,
    )


@router.post("/undo")
def undo_last(tool: Shared, who: Who, document: Id, body: Revised, limit: _Limit = None) -> Stepped:
    """Undo one's own last change of this document; the answer says which one that was."""
    return _stepped(tool, who, document, body.revision, "undo", limit)


@router.post("/redo")
def redo_last(tool: Shared, who: Who, document: Id, body: Revised, limit: _Limit = None) -> Stepped:
    """Redo what one undid last; the answer says which change that was."""
    return _stepped(tool, who, document, body.revision, "redo", limit)


def _stepped(
    tool: Tool,
    who: SignedIn,
    document: int,
    revision: int,
    direction: Literal["undo", "redo"],
    limit: int | None,
) -> Stepped:
    done: list[undo.Stepped] = []

    def work(desk: Desk) -> LogEntry:
        entry = undo.step(desk, revision, direction)
        done.append(undo.stepped(desk, entry))
        return entry

    change = _changed(tool, who, document, revision, work, limit)
    return Stepped(**change.model_dump(), **done[0]._asdict())


def _changed(
    tool: Tool,
    who: SignedIn,
    document: int,
    since: int,
    work: Callable[[Desk], LogEntry | None],
    limit: int | None = None,
) -> Change:
    """Do some work at a desk, in one transaction, and answer with what changed. work: returns what it logged."""
    with tool.database.write() as session:
        desk = open_desk(session, document, who.name, lock=True)
        return change_view(desk, since, work(desk), tool.names_of(desk.project), limit=limit)
