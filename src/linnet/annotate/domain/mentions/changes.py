"""Changes many mentions at once: one change per document, in a transaction of its own, that can be undone there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations.collisions import entry_with_token, refuse_collisions
from linnet.annotate.domain.annotations.editor import Editor, find_editor, open_editor, record
from linnet.annotate.domain.annotations.snapshot import NONE, Edit, Snapshot, is_unchecked, made_by, snapshot
from linnet.annotate.domain.assignments.assignments import refuse_unassigned
from linnet.annotate.domain.attributes.definitions import Value, changed_values
from linnet.annotate.domain.projects.finding import find_document
from linnet.annotate.domain.states import Layer
from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store.tables import Annotation, Project, Sheet

__all__ = ["ManyAction", "Outcome", "OutcomeOfDocument", "change_mentions"]


class ManyAction(StrEnum):
    """confirm: predictions become user annotations. remove: remove them. link: give them concepts, or say that they are NIL.
    attributes: give them attributes, or take them away."""

    CONFIRM = "confirm"
    REMOVE = "remove"
    LINK = "link"
    ATTRIBUTES = "attributes"


class OutcomeOfDocument(StrEnum):
    """changed: all mentions that needed it. unchanged: none needed it. refused: none was changed; the message says why."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


class Outcome(NamedTuple):
    """A document, and how many of its mentions were changed, by this or an earlier request with the same token."""

    document: int
    name: str
    mentions: int


def change_mentions(
    session: Session,
    project: Project,
    document_id: int,
    by: str,
    ids: Sequence[int],
    *,
    revision: int,
    token: str,
    action: ManyAction,
    concepts: Sequence[str] = (),
    nil: bool = False,
    attributes: Mapping[str, Value | None] | None = None,
) -> Outcome:
    """Change annotations on the user's sheet of a document; all of them or, with an exception, none.

    ids       of annotations as the search shows them; nobody may have changed them since `revision`
    token     of the request: one that is repeated, because its answer was lost, changes nothing twice
    action    confirm: predictions, and what was accepted unchanged, become user annotations that were checked. link: gives them
              `concepts`, or says that they are NIL. attributes: gives or takes away these.
              Annotations that need no change stay as they are

    Raises Conflict, NotFound, and Forbidden for a document that is assigned to others; Invalid for attributes and values that the project
    does not have.
    """
    document = find_document(session, document_id)
    if document.project_id != project.id:
        raise NotFound(f"There is no document {document_id} in this project.")
    refuse_unassigned(session, project, document_id, by)
    existing = find_editor(session, document_id, by, lock=True)
    if existing is not None and (done := entry_with_token(existing, revision, token)) is not None:
        return Outcome(document_id, document.name, len(done.changes["annotations"]))
    editor = existing or open_editor(session, document_id, by, lock=True)
    if existing is not None:
        refuse_collisions(editor, revision, ids=ids)
    edits = []
    for id, before in _kept(editor, ids, revision):
        after = (
            None
            if action is ManyAction.REMOVE
            else _changed(editor, before, action, list(concepts), nil, attributes or {})
        )
        if after != before:
            edits.append(Edit(id, before, after))
    if edits:
        record(replace(editor, token=token), f"mentions.{action}", edits)
    return Outcome(document_id, document.name, len(edits))


def _kept(editor: Editor, ids: Sequence[int], revision: int) -> list[tuple[int, Snapshot]]:
    """Ids and states of the annotations on the sheet, in text order.

    An annotator of an independent project who had no sheet yet was shown those of the base sheet: their copies on the own sheet
    are meant. Raises Conflict where one is missing or was changed after `revision`.
    """
    present = editor.snapshots()
    states = dict(present)
    if strangers := [id for id in dict.fromkeys(ids) if id not in states]:
        base = select(Annotation).join(Sheet, Sheet.id == Annotation.sheet_id)
        base = base.where(Sheet.document_id == editor.document.id, Sheet.owner == "")
        base = base.where(Annotation.id.in_(strangers), Annotation.revision <= revision)
        found = {row.id: snapshot(row) for row in editor.session.scalars(base)}
        taken = set(ids)
        for id in strangers:
            own = next((own for own, state in present if own not in taken and state == found.get(id)), None)
            if own is None:
                raise Conflict(
                    "Some of the mentions were changed or removed in the meantime. Search again, and repeat your change "
                    "if you still want it.",
                    context=editor.key,
                )
            taken.add(own)
        ids = [*(taken & states.keys())]
    wanted = set(ids)
    return [(id, state) for id, state in present if id in wanted and state["layer"] != NONE]


def _changed(
    editor: Editor,
    before: Snapshot,
    action: ManyAction,
    concepts: list[str],
    nil: bool,
    attributes: Mapping[str, Value | None],
) -> Snapshot:
    if action is ManyAction.CONFIRM:
        return made_by(before, editor.by) if is_unchecked(before) else before
    if action is ManyAction.ATTRIBUTES:
        values = changed_values(editor.project.attributes, before["attributes"], attributes)
        same = values == before["attributes"]
        return before if same else made_by(before, editor.by) | {"attributes": values}
    link = {"concepts": concepts, "nil": nil, "composite": len(concepts) > 1}
    if (
        not is_unchecked(before)
        and before["layer"] == Layer.USER
        and (before["concepts"], before["nil"]) == (concepts, nil)
    ):
        return before
    # What a file says of parts of a composite applies to its concepts only.
    extra = before["extra"] if before["concepts"] == concepts else {}
    if before["concepts"] == concepts:
        link["composite"] = before["composite"]
    return made_by(before, editor.by) | link | {"extra": extra}
