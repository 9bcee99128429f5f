"""What one person works on: a sheet, opened in a transaction, and how it is changed and logged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Row, String, and_, bindparam, case, func, select
from sqlalchemy.orm import Session, undefer

from linnet.annotate.editing.bulk import apply_in_bulk
from linnet.annotate.editing.snapshot import FIELDS, Edit, Snapshot, snapshot
from linnet.annotate.refusals import NotFound
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Annotation, Document, LogEntry, Project, Sheet

__all__ = ["BULK", "Editor", "EditorKey", "Shown", "find_editor", "open_editor", "owner_of", "record"]

BULK = 50  # annotations that are read and changed together rather than one by one

# Put together once: of the time of a short query, half is SQLAlchemy's for its text.
_OWNER = case((Project.mode == "independent", bindparam("by", type_=String)), else_="")
_SHEET = (
    select(Document, Project, Sheet)
    .join(Project, Project.id == Document.project_id)
    .join(Sheet, and_(Sheet.document_id == Document.id, Sheet.owner == _OWNER))
    .where(Document.id == bindparam("document"))
    .options(undefer(Document.text))
)
_LOCKED_SHEET = _SHEET.with_for_update(of=Sheet)
# In text order; of those that begin together the longer first, then the older.
_IN_ORDER = (Annotation.start, Annotation.end.desc(), Annotation.id)
# What is shown of them: columns, which take half the time of objects.
_SHOWN = select(
    *(column for column in Annotation.__table__.columns if column.name not in ("sheet_id", "extra"))
).where(Annotation.sheet_id == bindparam("sheet"))
_SHOWN = _SHOWN.order_by(*_IN_ORDER)
_SINCE = _SHOWN.where(Annotation.revision > bindparam("revision"))
_FIRST = _SHOWN.limit(bindparam("limit"))
_NEXT = _FIRST.where(
    Annotation.start >= bindparam("start"),  # what an index is for; the rest is about those that begin there
    (Annotation.start > bindparam("start"))
    | (Annotation.end < bindparam("end"))
    | ((Annotation.end == bindparam("end")) & (Annotation.id > bindparam("id"))),
)
_STATES = select(Annotation.id, *(getattr(Annotation, name) for name in FIELDS))
_STATES = _STATES.where(Annotation.sheet_id == bindparam("sheet"))
_STATES = _STATES.order_by(*_IN_ORDER)
_COUNT = select(func.count()).where(
    Annotation.sheet_id == bindparam("sheet"), Annotation.revision > bindparam("revision")
)
_TWIN = (
    select(Annotation)
    .where(
        Annotation.sheet_id == bindparam("sheet"),
        Annotation.start == bindparam("start"),
        Annotation.end == bindparam("end"),
        Annotation.type == bindparam("type"),
        Annotation.id != bindparam("besides"),
    )
    .order_by(Annotation.id)
    .limit(1)
)


class Shown(NamedTuple):
    """Annotations in text order. after: start, end and id of the last of them where there are more, None at the end."""

    rows: Sequence[Row[Any]]
    after: tuple[int, int, int] | None


class EditorKey(NamedTuple):
    """A document by number, and who works on it."""

    document: int
    by: str


@dataclass(frozen=True, slots=True)
class Editor:
    """A sheet somebody works on. by: the name of the account, "" for the model."""

    session: Session
    project: Project
    document: Document
    sheet: Sheet
    by: str

    @property
    def key(self) -> EditorKey:
        """What the editor is for, when its transaction is over."""
        return EditorKey(self.document.id, self.by)

    def snapshots(self) -> list[tuple[int, Snapshot]]:
        """Ids and states of all annotations, in text order."""
        rows = self.session.execute(_STATES, {"sheet": self.sheet.id})
        return [(id, dict(zip(FIELDS, state, strict=True))) for id, *state in rows]

    def shown(self, *, limit: int | None = None, after: tuple[int, int, int] | None = None) -> Shown:
        """The same as rows without what is not shown, for those who only look.

        limit  at most so many, None for all
        after  only those after this start, end and id; needs a limit
        """
        asked: dict[str, int] = {"sheet": self.sheet.id}
        if limit is None:
            return Shown(self.session.execute(_SHOWN, asked).all(), None)
        query = _FIRST
        asked["limit"] = limit + 1
        if after is not None:
            query = _NEXT
            asked["start"], asked["end"], asked["id"] = after
        rows = self.session.execute(query, asked).all()
        last = rows[limit - 1] if len(rows) > limit else None
        return Shown(rows[:limit], (last.start, last.end, last.id) if last is not None else None)

    def shown_since(self, revision: int) -> Sequence[Row[Any]]:
        """The same of those that were made or changed after a revision."""
        return self.session.execute(_SINCE, {"sheet": self.sheet.id, "revision": revision}).all()

    def count(self, *, since: int = -1) -> int:
        """Number of annotations, or of those that were made or changed after a revision."""
        return self.session.scalar(_COUNT, {"sheet": self.sheet.id, "revision": since}) or 0

    def twin(self, start: int, end: int, type: str, *, besides: int | None) -> Annotation | None:
        """The first annotation of this span and type, except for one by its id."""
        place = {"sheet": self.sheet.id, "start": start, "end": end, "type": type, "besides": besides or 0}
        return self.session.scalars(_TWIN, place).one_or_none()

    def annotation(self, id: int) -> Annotation | None:
        """An annotation of this sheet."""
        found = self.session.get(Annotation, id)
        return found if found is not None and found.sheet_id == self.sheet.id else None


def owner_of(project: Project, by: str) -> str:
    """Whose sheets a person works on: everybody's, or their own."""
    return by if project.mode == "independent" else ""


def find_editor(session: Session, document_id: int, by: str, *, lock: bool = False) -> Editor | None:
    """The sheet of a document that a person works on; None where there is no such document, or no sheet of theirs yet.

    lock  nobody else changes the sheet until the transaction ends
    """
    query = _LOCKED_SHEET if lock else _SHEET
    found = session.execute(query, {"document": document_id, "by": by}).one_or_none()
    if found is None:
        return None
    document, project, sheet = found
    return Editor(session, project, document, sheet, by)


def open_editor(session: Session, document_id: int, by: str, *, lock: bool) -> Editor:
    """The same; in an independent project the sheet is made when it is first opened.

    Raises NotFound.
    """
    if (editor := find_editor(session, document_id, by, lock=lock)) is not None:
        return editor
    document = session.get(Document, document_id, options=[undefer(Document.text)])
    if document is None:
        raise NotFound(f"There is no document {document_id}. It may have been removed.")
    project = session.get_one(Project, document.project_id)
    return Editor(session, project, document, _own_sheet(session, document, owner_of(project, by)), by)


def _own_sheet(session: Session, document: Document, owner: str) -> Sheet:
    """A new sheet with what came with the upload and the model's predictions."""
    sheets = select(Sheet).where(Sheet.document_id == document.id)
    base = session.scalars(sheets.where(Sheet.owner == "").with_for_update()).one()
    if found := session.scalars(sheets.where(Sheet.owner == owner)).one_or_none():
        return found  # made by another request while this one waited
    sheet = Sheet(
        document_id=document.id, owner=owner, revision=base.revision, state="open", model=base.model
    )
    session.add(sheet)
    session.flush()
    for annotation in session.scalars(select(Annotation).where(Annotation.sheet_id == base.id)).all():
        session.add(
            Annotation(sheet_id=sheet.id, revision=sheet.revision, changed=now(), **snapshot(annotation))
        )
    session.flush()
    return sheet


def record(
    editor: Editor,
    action: str,
    edits: Sequence[Edit],
    *,
    state: str | None = None,
    undoes: int | None = None,
) -> LogEntry:
    """Apply edits, and the sheet's new state if there is one, raise its revision, and log both.

    Made annotations get their ids in the order of `edits`.
    """
    sheet, session = editor.sheet, editor.session
    sheet.revision += 1
    ids = _apply(editor, edits)
    changes: dict[str, Any] = {
        "annotations": [
            {"id": id, "before": edit.before, "after": edit.after}
            for id, edit in zip(ids, edits, strict=True)
        ]
    }
    if state is not None:
        changes["state"] = [sheet.state, state]
        sheet.state = state
        sheet.accepted = now() if state == "accepted" else None
    session.flush()
    return log(
        session,
        action,
        by=editor.by,
        project=editor.project,
        document=editor.document.id,
        sheet=sheet.id,
        revision=sheet.revision,
        changes=changes,
        undoes=undoes,
    )


def _apply(editor: Editor, edits: Sequence[Edit]) -> list[int]:
    """Returns the ids of the annotations, in the order of `edits`."""
    sheet, session, moment = editor.sheet, editor.session, now()
    if len(edits) > BULK:
        return apply_in_bulk(session, sheet.id, edits, revision=sheet.revision, moment=moment)
    ids: list[int] = []
    for edit in edits:
        kept = session.get(Annotation, edit.id) if edit.id is not None else None
        if edit.after is None:
            if kept is not None:
                session.delete(kept)
        elif kept is None:
            kept = Annotation(
                id=edit.id, sheet_id=sheet.id, revision=sheet.revision, changed=moment, **edit.after
            )
            session.add(kept)
            session.flush()
        else:
            for name, value in edit.after.items():
                setattr(kept, name, value)
            kept.revision, kept.changed = sheet.revision, moment
        if (id := kept.id if kept is not None else edit.id) is not None:
            ids.append(id)
    return ids
