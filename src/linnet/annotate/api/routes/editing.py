"""Changing the annotations of a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.schemas.attributes import Guess
from linnet.annotate.api.schemas.base import Id, Offset
from linnet.annotate.api.schemas.documents import (
    AnnotationChange,
    Applied,
    Change,
    NewAnnotation,
    Replaced,
    Revised,
    Same,
    SameDone,
    State,
    StateChange,
    Stepped,
)
from linnet.annotate.api.sheets import SheetName, Target, changeable
from linnet.annotate.api.views import change_view
from linnet.annotate.app_state import AppState
from linnet.annotate.assigning.assignments import refuse_unassigned
from linnet.annotate.attributes import guessing
from linnet.annotate.attributes.definitions import guessed
from linnet.annotate.curation.decisions import refuse_open_places
from linnet.annotate.editing import edits, replacing, undo
from linnet.annotate.editing.concepts import check_concepts
from linnet.annotate.editing.editor import Editor
from linnet.annotate.projects import find_document, find_project
from linnet.annotate.store.tables import CURATED, LogEntry

__all__ = ["changed", "router"]

_Limit = Annotated[
    int | None,
    Query(ge=1, le=100_000, description="If more annotations changed, the answer lists none of them."),
]
router = APIRouter(prefix="/documents/{document}", tags=["annotations"])


@router.post("/annotations", status_code=201)
def make(app: App, user: CurrentUser, document: Id, body: NewAnnotation, sheet: SheetName = None) -> Change:
    """Create an annotation."""

    def work(editor: Editor) -> LogEntry:
        check_concepts(app.terminologies.open(editor.project.terminology), body.concepts)
        return edits.make(editor, body)

    return changed(app, changeable(user, document, sheet), body.revision, work)


@router.get("/guess")
def guess(
    app: App,
    user: CurrentUser,
    document: Id,
    start: Annotated[Offset, Query()],
    end: Annotated[Offset, Query()],
) -> Guess:
    """The attributes that a new annotation of a span gets unless it is made with others: what the assertion rules guess."""
    with app.database.read() as session:
        row = find_document(session, document, text=True)
        names = guessed(find_project(session, row.project_id).attributes)
        fits = start < end <= row.characters
        [values] = guessing.guess(row.text, [(start, end)], names if fits else ())
    return Guess(attributes=values)


@router.patch("/annotations/{annotation}")
def change(
    app: App,
    user: CurrentUser,
    document: Id,
    annotation: Id,
    body: AnnotationChange,
    sheet: SheetName = None,
) -> Change:
    """Change the span, type, concepts or attributes of an annotation. Its layer becomes `user`."""

    def work(editor: Editor) -> LogEntry:
        check_concepts(app.terminologies.open(editor.project.terminology), body.concepts or ())
        return edits.change(editor, annotation, body)

    return changed(app, changeable(user, document, sheet), body.revision, work)


@router.delete("/annotations/{annotation}")
def remove(
    app: App,
    user: CurrentUser,
    document: Id,
    annotation: Id,
    revision: Annotated[Offset, Query()],
    sheet: SheetName = None,
) -> Change:
    """Remove an annotation. The model will not predict it again on this sheet."""
    target = changeable(user, document, sheet)
    return changed(app, target, revision, lambda editor: edits.remove(editor, revision, annotation))


@router.post("/annotations/{annotation}/same")
def apply_to_same(
    app: App,
    user: CurrentUser,
    document: Id,
    annotation: Id,
    body: Same,
    limit: _Limit = None,
    sheet: SheetName = None,
) -> Applied:
    """Apply an annotation to all mentions in the document with the same text, as one change."""
    done: list[edits.Applied] = []

    def work(editor: Editor) -> LogEntry | None:
        done.append(
            edits.apply_to_same(
                editor, body.revision, annotation, case=body.case, relink=body.relink, missing=body.missing
            )
        )
        return done[0].entry

    change = changed(app, changeable(user, document, sheet), body.revision, work, limit)
    return Applied(**change.model_dump(), made=done[0].made, relinked=done[0].relinked)


@router.post("/annotations/{annotation}/inside")
def replace_inside(
    app: App,
    user: CurrentUser,
    document: Id,
    annotation: Id,
    body: Revised,
    limit: _Limit = None,
    sheet: SheetName = None,
) -> Replaced:
    """Let an annotation replace those inside it, also where the same text is elsewhere in the document, as one change."""
    done: list[replacing.Replaced] = []

    def work(editor: Editor) -> LogEntry | None:
        done.append(replacing.replace_inside(editor, body.revision, annotation))
        return done[0].entry

    change = changed(app, changeable(user, document, sheet), body.revision, work, limit)
    return Replaced(**change.model_dump(), made=done[0].made, removed_inside=done[0].removed)


@router.post("/annotations/{annotation}/same/confirm")
def confirm_same(
    app: App,
    user: CurrentUser,
    document: Id,
    annotation: Id,
    body: Revised,
    limit: _Limit = None,
    sheet: SheetName = None,
) -> SameDone:
    """Confirm all predictions of the document with the same text, type and concepts, as one change."""
    return _all_same(app, changeable(user, document, sheet), annotation, body, limit, edits.confirm_same)


@router.post("/annotations/{annotation}/same/remove")
def remove_same(
    app: App,
    user: CurrentUser,
    document: Id,
    annotation: Id,
    body: Revised,
    limit: _Limit = None,
    sheet: SheetName = None,
) -> SameDone:
    """Remove all annotations of the document with the same text, as one change. The model will not predict them again here."""
    return _all_same(app, changeable(user, document, sheet), annotation, body, limit, edits.remove_same)


def _all_same(
    app: AppState,
    target: Target,
    annotation: int,
    body: Revised,
    limit: int | None,
    edit: Callable[[Editor, int, int], edits.SameDone],
) -> SameDone:
    done: list[edits.SameDone] = []

    def work(editor: Editor) -> LogEntry | None:
        done.append(edit(editor, body.revision, annotation))
        return done[0].entry

    change = changed(app, target, body.revision, work, limit)
    return SameDone(**change.model_dump(), done=done[0].done, left=done[0].left)


@router.post("/state")
def set_state(
    app: App,
    user: CurrentUser,
    document: Id,
    body: StateChange,
    limit: _Limit = None,
    sheet: SheetName = None,
) -> Change:
    """Accept, skip or reopen the document. Accepting turns its predictions into user annotations."""

    def work(editor: Editor) -> LogEntry | None:
        if editor.sheet.owner == CURATED and body.state == State.ACCEPTED:
            refuse_open_places(editor)
        return edits.set_state(editor, body.revision, body.state)

    return changed(app, changeable(user, document, sheet), body.revision, work, limit)


@router.post("/undo")
def undo_last(
    app: App,
    user: CurrentUser,
    document: Id,
    body: Revised,
    limit: _Limit = None,
    sheet: SheetName = None,
) -> Stepped:
    """Undo your own last change in this document; the answer says what it was."""
    return _stepped(app, changeable(user, document, sheet), body.revision, "undo", limit)


@router.post("/redo")
def redo_last(
    app: App,
    user: CurrentUser,
    document: Id,
    body: Revised,
    limit: _Limit = None,
    sheet: SheetName = None,
) -> Stepped:
    """Redo the change you undid last; the answer says what it was."""
    return _stepped(app, changeable(user, document, sheet), body.revision, "redo", limit)


def _stepped(
    app: AppState,
    target: Target,
    revision: int,
    direction: Literal["undo", "redo"],
    limit: int | None,
) -> Stepped:
    done: list[undo.Stepped] = []

    def work(editor: Editor) -> LogEntry:
        entry = undo.step(editor, revision, direction)
        done.append(undo.stepped(editor, entry))
        return entry

    change = changed(app, target, revision, work, limit)
    return Stepped(**change.model_dump(), **done[0]._asdict())


def changed(
    app: AppState,
    target: Target,
    since: int,
    work: Callable[[Editor], LogEntry | None],
    limit: int | None = None,
) -> Change:
    """Change a sheet in one transaction. work: returns the log entry it made."""
    with app.database.write() as session:
        editor = target.open(session, lock=True)
        refuse_unassigned(session, editor.project, target.document, target.by)
        return change_view(editor, since, work(editor), app.names_of(editor.project), limit=limit)
