"""Changes many mentions at once: one change per document, in a transaction of its own, that can be undone there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations.collisions import entry_with_token, refuse_collisions
from linnet.annotate.domain.annotations.editor import Editor, find_editor, open_editor, record
from linnet.annotate.domain.annotations.fields import check_concepts
from linnet.annotate.domain.annotations.snapshot import NONE, Edit, Snapshot, is_unchecked, made_by, snapshot
from linnet.annotate.domain.assignments.assignments import refuse_unassigned
from linnet.annotate.domain.attributes.definitions import Value, changed_values
from linnet.annotate.domain.projects.finding import find_document, find_project
from linnet.annotate.domain.states import Layer
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.refusals import Conflict, Forbidden, NotFound
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Annotation, Document, Project, Sheet

__all__ = [
    "Change",
    "ManyAction",
    "ManyChanged",
    "Outcome",
    "OutcomeOfDocument",
    "Wanted",
    "change_document",
    "change_mentions",
]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What to do with mentions: confirm them, remove them, give them `concepts` or say that they are NIL, or change `attributes`."""

    action: ManyAction
    concepts: Sequence[str] = ()
    nil: bool = False
    attributes: Mapping[str, Value | None] = field(default_factory=dict)


class Wanted(NamedTuple):
    """Annotations of a document, as a search showed them at a revision."""

    document: int
    revision: int
    annotations: Sequence[int]


class Outcome(NamedTuple):
    """What became of a document. mentions: number of those that were changed; message: why none was, else ""."""

    document: int
    name: str
    outcome: OutcomeOfDocument
    mentions: int
    message: str


class ManyChanged(NamedTuple):
    """Numbers of changed mentions and documents, and what became of each document, in the order of the request."""

    mentions: int
    documents: int
    outcomes: list[Outcome]


def change_mentions(
    database: Database,
    terminologies: Terminologies,
    project: int,
    wanted: Sequence[Wanted],
    change: Change,
    *,
    token: str,
    by: str,
) -> ManyChanged:
    """Change mentions of several documents, each document in a transaction of its own. Order kept.

    token  of the request: one that is repeated, because its answer was lost, changes nothing twice

    Raises NotFound, and Invalid for concepts, attributes and values that the project does not have: then nothing is changed.
    """
    with database.read() as session:
        row = find_project(session, project)
        changed_values(row.attributes, {}, change.attributes)
    check_concepts(terminologies.open(row.terminology), change.concepts)
    change = replace(change, concepts=list(dict.fromkeys(change.concepts)))
    outcomes = [_outcome(database, project, each, change, token, by) for each in wanted]
    return ManyChanged(
        sum(outcome.mentions for outcome in outcomes),
        sum(outcome.outcome is OutcomeOfDocument.CHANGED for outcome in outcomes),
        outcomes,
    )


def _outcome(
    database: Database, project: int, wanted: Wanted, change: Change, token: str, by: str
) -> Outcome:
    try:
        with database.write() as session:
            return change_document(
                session, find_project(session, project), wanted, change, token=token, by=by
            )
    except (Conflict, Forbidden, NotFound) as refusal:
        with database.read() as session:
            row = session.get(Document, wanted.document)
        name = row.name if row is not None and row.project_id == project else ""
        return Outcome(wanted.document, name, OutcomeOfDocument.REFUSED, 0, str(refusal))


def change_document(
    session: Session, project: Project, wanted: Wanted, change: Change, *, token: str, by: str
) -> Outcome:
    """Change annotations on the user's sheet of a document; all of them or, with an exception, none. Those that need no change stay as
    they are.

    Raises Conflict if somebody has changed one since the revision, NotFound, and Forbidden for a document that is assigned to others.
    """
    id, revision, ids = wanted
    document = find_document(session, id)
    if document.project_id != project.id:
        raise NotFound(f"There is no document {id} in this project.")
    refuse_unassigned(session, project, id, by)
    existing = find_editor(session, id, by, lock=True)
    if existing is not None and (done := entry_with_token(existing, revision, token)) is not None:
        return _changed(id, document.name, len(done.changes["annotations"]))
    editor = existing or open_editor(session, id, by, lock=True)
    if existing is not None:
        refuse_collisions(editor, revision, ids=ids)
    edits = []
    for annotation, before in _kept(editor, ids, revision):
        after = None if change.action is ManyAction.REMOVE else _after(editor, before, change)
        if after != before:
            edits.append(Edit(annotation, before, after))
    if edits:
        record(replace(editor, token=token), f"mentions.{change.action}", edits)
    return _changed(id, document.name, len(edits))


def _changed(id: int, name: str, mentions: int) -> Outcome:
    outcome = OutcomeOfDocument.CHANGED if mentions else OutcomeOfDocument.UNCHANGED
    return Outcome(id, name, outcome, mentions, "")


def _kept(editor: Editor, ids: Sequence[int], revision: int) -> list[tuple[int, Snapshot]]:
    """Ids and states of the annotations on the sheet, in text order.

    An annotator of an independent project who had no sheet yet was shown those of the base sheet: their copies on the own sheet
    are meant. Raises Conflict where one is missing or was changed after `revision`.
    """
    present = editor.snapshots()
    states = dict(present)
    if strangers := [id for id in dict.fromkeys(ids) if id not in states]:
        base = (
            select(Annotation).join(Sheet).where(Sheet.document_id == editor.document.id, Sheet.owner == "")
        )
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


def _after(editor: Editor, before: Snapshot, change: Change) -> Snapshot:
    concepts, nil = list(change.concepts), change.nil
    if change.action is ManyAction.CONFIRM:
        return made_by(before, editor.by) if is_unchecked(before) else before
    if change.action is ManyAction.ATTRIBUTES:
        values = changed_values(editor.project.attributes, before["attributes"], change.attributes)
        if values == before["attributes"]:
            return before
        return made_by(before, editor.by) | {"attributes": values}
    if (
        not is_unchecked(before)
        and before["layer"] == Layer.USER
        and (before["concepts"], before["nil"]) == (concepts, nil)
    ):
        return before
    # What a file says of parts of a composite applies to its concepts only.
    same = before["concepts"] == concepts
    return made_by(before, editor.by) | {
        "concepts": concepts,
        "nil": nil,
        "composite": before["composite"] if same else len(concepts) > 1,
        "extra": before["extra"] if same else {},
    }
