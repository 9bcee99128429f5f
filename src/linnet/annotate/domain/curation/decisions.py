"""What a curator decides about a place; the curated sheet is changed as one step, which undo takes back."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations import edits
from linnet.annotate.domain.annotations.collisions import refuse_collisions
from linnet.annotate.domain.annotations.editor import Editor, find_editor, record
from linnet.annotate.domain.annotations.snapshot import NONE, Edit, Snapshot, made_by, snapshot, unlinked
from linnet.annotate.domain.curation.places import ON, DisagreementKind, Mark, Place, align
from linnet.annotate.domain.curation.versions import read_versions
from linnet.annotate.domain.projects.finding import find_document, find_project
from linnet.annotate.domain.states import Mode, State
from linnet.annotate.refusals import Conflict, Invalid, NotFound
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import CURATED, Annotation, Document, LogEntry, Sheet
from linnet.plural import counted

__all__ = ["Settlement", "decide", "open_curated", "set_state"]


class Settlement(StrEnum):
    """take: one annotator's version. merge: every annotation of any version; concepts and attributes of the same span and type together.
    none: there is no mention."""

    TAKE = "take"
    MERGE = "merge"
    NONE = "none"


def open_curated(session: Session, document: int, by: str, *, lock: bool) -> Editor:
    """The curated sheet of a document, made if missing, with what all its annotators agree on.

    Raises NotFound; Invalid in a shared project, and for a document that no annotator has accepted.
    """
    if (editor := find_editor(session, document, by, CURATED, lock=lock)) is not None:
        return editor
    row = find_document(session, document)
    project = find_project(session, row.project_id)
    if project.mode == Mode.SHARED:
        raise Invalid(
            "In this project all annotators share their annotations, so there is nothing to settle."
        )
    session.scalars(select(Document.id).where(Document.id == document).with_for_update()).one()
    if (editor := find_editor(session, document, by, CURATED, lock=lock)) is not None:
        return editor  # another request made it while this one waited
    found = read_versions(session, project.id, document=document)
    if not found:
        raise Invalid("No annotator has accepted this document yet. Wait until one has.")
    sheet = Sheet(document_id=document, owner=CURATED, revision=0, state=State.OPEN)
    session.add(sheet)
    session.flush()
    # Each with what the others have there, which is the same.
    places = [place for place in align(found[0].accepted) if place.kind is DisagreementKind.AGREED]
    agreed = [marks for place in places for marks in zip(*place.versions.values(), strict=True)]
    unchanged = {marks[0].id: all(mark.unchanged for mark in marks) for marks in agreed}
    for id, source in _sources(session, [marks[0] for marks in agreed]).items():
        state = made_by(snapshot(source), "") | {"unchanged": unchanged[id]}
        session.add(Annotation(sheet_id=sheet.id, revision=0, changed=now(), **state))
    session.flush()
    editor = find_editor(session, document, by, CURATED, lock=lock)
    assert editor is not None
    return editor


def decide(editor: Editor, revision: int, start: int, end: int, how: Settlement, annotator: str) -> LogEntry:
    """Settle a place; returns the log entry.

    annotator  whose annotations to take, which may be none

    Replaces what the curated sheet has there. Raises NotFound for another annotator, and Conflict if the place is no longer
    there, because an annotator changed their sheet, or somebody has settled it since `revision`.
    """
    found = read_versions(editor.session, editor.project.id, document=editor.document.id)
    places = [place for versions in found for place in align(dict(sorted(versions.accepted.items())))]
    place = next((place for place in places if (place.start, place.end) == (start, end)), None)
    if place is None:
        raise Conflict(
            "The annotators' versions have changed here in the meantime. Check the current ones.",
            context=editor.key,
        )
    refuse_collisions(editor, revision, spans=[{"start": start, "end": end}])
    wanted = _wanted(editor, place, how, annotator)
    changes = []
    for id, state in editor.snapshots():
        if state["start"] < end and start < state["end"]:
            if state in wanted:
                wanted.remove(state)
            else:
                changes.append(Edit(id, state, None))
    changes += [Edit(None, None, state) for state in wanted]
    return record(editor, f"curation.{how}", changes)


def set_state(editor: Editor, revision: int, state: State) -> LogEntry | None:
    """Accept, skip or reopen a sheet, see `linnet.annotate.domain.annotations.edits.set_state`. Raises Conflict, also for a curated sheet
    that is accepted while a place is open."""
    if editor.sheet.owner == CURATED and state is State.ACCEPTED:
        found = read_versions(editor.session, editor.project.id, document=editor.document.id)
        if count := sum(is_open for versions in found for _, is_open in versions.places()):
            raise Conflict(
                f"{counted(count, 'disagreements are not settled yet')}. Settle what is open, then accept the document."
            )
    return edits.set_state(editor, revision, state)


def _wanted(editor: Editor, place: Place, how: Settlement, annotator: str) -> list[Snapshot]:
    if how is Settlement.TAKE and annotator not in place.versions:
        raise NotFound(
            f"{annotator or 'Nobody'} has not accepted this document. Choose one of: {', '.join(place.versions)}."
        )
    marks: Sequence[Mark] = ()
    if how is Settlement.TAKE:
        marks = place.versions[annotator]
    elif how is Settlement.MERGE:
        marks = place.merged()
    if not marks:
        return [unlinked(place.start, place.end, NONE, editor.by)]
    sources = _sources(editor.session, marks)
    wanted = []
    for mark in marks:
        state = made_by(snapshot(sources[mark.id]), editor.by)
        if state["concepts"] != list(mark.concepts):
            state |= {"concepts": list(mark.concepts), "nil": False, "composite": mark.composite, "extra": {}}
        attributes = {name: True if value == ON else value for name, value in mark.attributes}
        wanted.append(state | {"attributes": attributes})
    return wanted


def _sources(session: Session, marks: Sequence[Mark]) -> dict[int, Annotation]:
    query = select(Annotation).where(Annotation.id.in_([mark.id for mark in marks]))
    return {row.id: row for row in session.scalars(query.order_by(Annotation.start, Annotation.id))}
