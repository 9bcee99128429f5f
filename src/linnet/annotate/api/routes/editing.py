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
    StateChange,
    Stepped,
)
from linnet.annotate.api.sheet_changes import ChangeableSheet, SheetChanges
from linnet.annotate.domain.annotations import edits, replacing, undo
from linnet.annotate.domain.annotations.concepts import check_concepts
from linnet.annotate.domain.annotations.editor import Editor
from linnet.annotate.domain.annotations.first_guess import guess_in
from linnet.annotate.domain.curation import decisions
from linnet.annotate.store.tables import LogEntry

__all__ = ["router"]

router = APIRouter(prefix="/documents/{document}", tags=["annotations"])


@router.post("/annotations", status_code=201)
def make(sheet: ChangeableSheet, body: NewAnnotation) -> Change:
    """Create an annotation."""

    def work(editor: Editor) -> LogEntry:
        check_concepts(sheet.app.terminologies.open(editor.project.terminology), body.concepts)
        return edits.make(editor, body.revision, _fields(body))

    return sheet.make(body.revision, work)


def _fields(body: NewAnnotation | AnnotationChange) -> edits.Fields:
    return edits.Fields(**body.model_dump(exclude={"revision"}))


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
        return Guess(attributes=guess_in(session, document, start, end))


@router.patch("/annotations/{annotation}")
def change(sheet: ChangeableSheet, annotation: Id, body: AnnotationChange) -> Change:
    """Change the span, type, concepts or attributes of an annotation. Its layer becomes `user`."""

    def work(editor: Editor) -> LogEntry:
        check_concepts(sheet.app.terminologies.open(editor.project.terminology), body.concepts or ())
        return edits.change(editor, body.revision, annotation, _fields(body))

    return sheet.make(body.revision, work)


@router.delete("/annotations/{annotation}")
def remove(sheet: ChangeableSheet, annotation: Id, revision: Annotated[Offset, Query()]) -> Change:
    """Remove an annotation. The model will not predict it again on this sheet."""
    return sheet.make(revision, lambda editor: edits.remove(editor, revision, annotation))


@router.post("/annotations/{annotation}/same")
def apply_to_same(sheet: ChangeableSheet, annotation: Id, body: Same) -> Applied:
    """Apply an annotation to all mentions in the document with the same text, as one change."""

    def work(editor: Editor) -> tuple[LogEntry | None, edits.Applied]:
        applied = edits.apply_to_same(
            editor, body.revision, annotation, case=body.case, relink=body.relink, missing=body.missing
        )
        return applied.entry, applied

    change, applied = sheet.make_and_tell(body.revision, work)
    return Applied(**change.model_dump(), made=applied.made, relinked=applied.relinked)


@router.post("/annotations/{annotation}/inside")
def replace_inside(sheet: ChangeableSheet, annotation: Id, body: Revised) -> Replaced:
    """Let an annotation replace those inside it, also where the same text is elsewhere in the document, as one change."""

    def work(editor: Editor) -> tuple[LogEntry | None, replacing.Replaced]:
        replaced = replacing.replace_inside(editor, body.revision, annotation)
        return replaced.entry, replaced

    change, replaced = sheet.make_and_tell(body.revision, work)
    return Replaced(**change.model_dump(), made=replaced.made, removed_inside=replaced.removed)


@router.post("/annotations/{annotation}/same/confirm")
def confirm_same(sheet: ChangeableSheet, annotation: Id, body: Revised) -> SameDone:
    """Confirm all predictions of the document with the same text, type and concepts, as one change."""
    return _all_same(sheet, annotation, body.revision, edits.confirm_same)


@router.post("/annotations/{annotation}/same/remove")
def remove_same(sheet: ChangeableSheet, annotation: Id, body: Revised) -> SameDone:
    """Remove all annotations of the document with the same text, as one change. The model will not predict them again here."""
    return _all_same(sheet, annotation, body.revision, edits.remove_same)


def _all_same(
    sheet: SheetChanges, annotation: int, revision: int, edit: Callable[[Editor, int, int], edits.SameDone]
) -> SameDone:
    def work(editor: Editor) -> tuple[LogEntry | None, edits.SameDone]:
        result = edit(editor, revision, annotation)
        return result.entry, result

    change, result = sheet.make_and_tell(revision, work)
    return SameDone(**change.model_dump(), done=result.done, left=result.left)


@router.post("/state")
def set_state(sheet: ChangeableSheet, body: StateChange) -> Change:
    """Accept, skip or reopen the document. Accepting turns its predictions into user annotations."""
    return sheet.make(body.revision, lambda editor: decisions.set_state(editor, body.revision, body.state))


@router.post("/undo")
def undo_last(sheet: ChangeableSheet, body: Revised) -> Stepped:
    """Undo your own last change in this document; the answer says what it was."""
    return _stepped(sheet, body.revision, "undo")


@router.post("/redo")
def redo_last(sheet: ChangeableSheet, body: Revised) -> Stepped:
    """Redo the change you undid last; the answer says what it was."""
    return _stepped(sheet, body.revision, "redo")


def _stepped(sheet: SheetChanges, revision: int, direction: Literal["undo", "redo"]) -> Stepped:
    def work(editor: Editor) -> tuple[LogEntry, undo.Stepped]:
        entry = undo.step(editor, revision, direction)
        return entry, undo.stepped(editor, entry)

    change, stepped = sheet.make_and_tell(revision, work)
    return Stepped(**change.model_dump(), **stepped._asdict())
