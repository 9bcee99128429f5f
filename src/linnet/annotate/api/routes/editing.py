"""Changing the annotations of a document."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.schemas.attributes import Guess
from linnet.annotate.api.schemas.base import Id, Label, Offset
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
from linnet.annotate.domain.annotations.editor import Editor
from linnet.annotate.domain.annotations.first_guess import guess_in
from linnet.annotate.domain.curation import decisions
from linnet.terminology import Terminology

__all__ = ["router"]

router = APIRouter(prefix="/documents/{document}", tags=["annotations"])


@router.post("/annotations", status_code=201)
def make(sheet: ChangeableSheet, body: NewAnnotation) -> Change:
    """Create an annotation."""
    return sheet.make(
        body.revision, lambda editor: edits.make(editor, body.revision, *_wanted(sheet, editor, body))
    )


def _wanted(
    sheet: SheetChanges, editor: Editor, body: NewAnnotation | AnnotationChange
) -> tuple[edits.Fields, Terminology]:
    terminology = sheet.app.terminologies.open(editor.project.terminology)
    return edits.Fields(**body.model_dump(exclude={"revision"})), terminology


@router.get("/guess")
def guess(
    app: App,
    user: CurrentUser,
    document: Id,
    start: Annotated[Offset, Query()],
    end: Annotated[Offset, Query()],
    type: Annotated[Label, Query()] = "",
) -> Guess:
    """The attributes that a new annotation of a span gets unless it is made with others: what the assertion rules guess."""
    with app.database.read() as session:
        return Guess(attributes=guess_in(session, document, start, end, type))


@router.patch("/annotations/{annotation}")
def change(sheet: ChangeableSheet, annotation: Id, body: AnnotationChange) -> Change:
    """Change the span, type, concepts or attributes of an annotation. Its layer becomes `user`."""
    return sheet.make(
        body.revision,
        lambda editor: edits.change(editor, body.revision, annotation, *_wanted(sheet, editor, body)),
    )


@router.delete("/annotations/{annotation}")
def remove(sheet: ChangeableSheet, annotation: Id, revision: Annotated[Offset, Query()]) -> Change:
    """Remove an annotation. The model will not predict it again on this sheet."""
    return sheet.make(revision, lambda editor: edits.remove(editor, revision, annotation))


@router.post("/annotations/{annotation}/same")
def apply_to_same(sheet: ChangeableSheet, annotation: Id, body: Same) -> Applied:
    """Apply an annotation to all mentions in the document with the same text, as one change."""
    work = partial(edits.apply_to_same, case=body.case, relink=body.relink, missing=body.missing)
    return sheet.make_and_tell(Applied, body.revision, lambda editor: work(editor, body.revision, annotation))


@router.post("/annotations/{annotation}/inside")
def replace_inside(sheet: ChangeableSheet, annotation: Id, body: Revised) -> Replaced:
    """Let an annotation replace those inside it, also where the same text is elsewhere in the document, as one change."""
    return sheet.make_and_tell(
        Replaced,
        body.revision,
        lambda editor: replacing.replace_inside(editor, body.revision, annotation),
    )


@router.post("/annotations/{annotation}/same/confirm")
def confirm_same(sheet: ChangeableSheet, annotation: Id, body: Revised) -> SameDone:
    """Confirm all predictions of the document with the same text, type and concepts, as one change."""
    return sheet.make_and_tell(
        SameDone, body.revision, lambda editor: edits.confirm_same(editor, body.revision, annotation)
    )


@router.post("/annotations/{annotation}/same/remove")
def remove_same(sheet: ChangeableSheet, annotation: Id, body: Revised) -> SameDone:
    """Remove all annotations of the document with the same text, as one change. The model will not predict them again here."""
    return sheet.make_and_tell(
        SameDone, body.revision, lambda editor: edits.remove_same(editor, body.revision, annotation)
    )


@router.post("/state")
def set_state(sheet: ChangeableSheet, body: StateChange) -> Change:
    """Accept, skip or reopen the document. Accepting turns its predictions into user annotations."""
    return sheet.make(body.revision, lambda editor: decisions.set_state(editor, body.revision, body.state))


@router.post("/undo")
def undo_last(sheet: ChangeableSheet, body: Revised) -> Stepped:
    """Undo your own last change in this document; the answer says what it was."""
    return sheet.make_and_tell(
        Stepped, body.revision, lambda editor: undo.step(editor, body.revision, "undo")
    )


@router.post("/redo")
def redo_last(sheet: ChangeableSheet, body: Revised) -> Stepped:
    """Redo the change you undid last; the answer says what it was."""
    return sheet.make_and_tell(
        Stepped, body.revision, lambda editor: undo.step(editor, body.revision, "redo")
    )
