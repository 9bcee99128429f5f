"""One user's sheet of a document, opened in a transaction: read, changed and logged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sqlalchemy import Row, String, and_, bindparam, case, func, select
from sqlalchemy.orm import Session, undefer

from linnet.annotate.domain.annotations.bulk import apply_in_bulk
from linnet.annotate.domain.annotations.snapshot import FIELDS, Edit, Snapshot, snapshot
from linnet.annotate.domain.projects.finding import find_document
from linnet.annotate.domain.states import Mode, State
from linnet.annotate.refusals import NotFound
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Annotation, Document, LogEntry, Project, Sheet

__all__ = ["BULK", "Editor", "EditorKey", "Shown", "find_editor", "open_editor", "owner_of", "record"]

BULK = 50  # with more annotations, statements cover all of them at once

# Built once: SQLAlchemy spends half the time of a short query on building it.
_OWNER = func.coalesce(
    bindparam("owner", type_=String),
    case((Project.mode == Mode.INDEPENDENT, bindparam("by", type_=String)), else_=""),
)
_SHEET = (
    select(Document, Project, Sheet)
    .join(Project, Project.id == Document.project_id)
    .join(Sheet, and_(Sheet.document_id == Document.id, Sheet.owner == _OWNER))
    .where(Document.id == bindparam("document"))
    .options(undefer(Document.text))
)
_LOCKED_SHEET = _SHEET.with_for_update(of=Sheet)
# Text order; at the same start the longer first, then the older.
_IN_ORDER = (Annotation.start, Annotation.end.desc(), Annotation.id)
# Columns rather than objects: half the time.
_SHOWN = select(
    *(column for column in Annotation.__table__.columns if column.name not in ("sheet_id", "extra"))
).where(Annotation.sheet_id == bindparam("sheet"))
_SHOWN = _SHOWN.order_by(*_IN_ORDER)
_SINCE = _SHOWN.where(Annotation.revision > bindparam("revision"))
_FIRST = _SHOWN.limit(bindparam("limit"))
_NEXT = _FIRST.where(
    Annotation.start >= bindparam("start"),  # uses the index; the rest decides among those at the same start
    (Annotation.start > bindparam("start"))
    | (Annotation.end < bindparam("end"))
    | ((Annotation.end == bindparam("end")) & (Annotation.id > bindparam("id"))),
)
_STATES = select(Annotation.id, *(getattr(Annotation, name) for name in FIELDS))
_STATES = _STATES.where(Annotation.sheet_id == bindparam("sheet")).order_by(*_IN_ORDER)
_COUNT = select(func.count()).where(
    Annotation.sheet_id == bindparam("sheet"), Annotation.revision > bindparam("revision")
)
_TWIN = select(Annotation).order_by(Annotation.id).limit(1)
_TWIN = _TWIN.where(Annotation.sheet_id == bindparam("sheet"), Annotation.id != bindparam("besides"))
_TWIN = _TWIN.where(*(getattr(Annotation, name) == bindparam(name) for name in ("start", "end", "type")))


class Shown(NamedTuple):
    """Annotations in text order. after: start, end and id of the last one if more follow, else None."""

    rows: Sequence[Row[Any]]
    after: tuple[int, int, int] | None


class EditorKey(NamedTuple):
    """Which document, user and sheet; stays valid after the transaction."""

    document: int
    by: str
    owner: str


@dataclass(frozen=True, slots=True)
class Editor:
    """A sheet that a user works on. by: name of the account, "" for the model. token: by which a repeated request finds its change."""

    session: Session
    project: Project
    document: Document
    sheet: Sheet
    by: str
    token: str = ""

    @property
    def key(self) -> EditorKey:
        """Opens the same sheet again, in another transaction."""
        return EditorKey(self.document.id, self.by, self.sheet.owner)

    def snapshots(self) -> list[tuple[int, Snapshot]]:
        """Ids and states of all annotations, in text order."""
        rows = self.session.execute(_STATES, {"sheet": self.sheet.id})
        return [(id, cast(Snapshot, dict(zip(FIELDS, state, strict=True)))) for id, *state in rows]

    def shown(self, *, limit: int | None = None, after: tuple[int, int, int] | None = None) -> Shown:
        """Annotations as rows of the columns that are shown: faster, read-only.

        limit  at most this many; None for all
        after  only those after this start, end and id; needs a limit
        """
        parameters: dict[str, int] = {"sheet": self.sheet.id}
        if limit is None:
            return Shown(self.session.execute(_SHOWN, parameters).all(), None)
        query = _FIRST
        parameters["limit"] = limit + 1
        if after is not None:
            query = _NEXT
            parameters["start"], parameters["end"], parameters["id"] = after
        rows = self.session.execute(query, parameters).all()
        last = rows[limit - 1] if len(rows) > limit else None
        return Shown(rows[:limit], (last.start, last.end, last.id) if last is not None else None)

    def shown_since(self, revision: int) -> Sequence[Row[Any]]:
        """The rows of annotations made or changed after a revision."""
        return self.session.execute(_SINCE, {"sheet": self.sheet.id, "revision": revision}).all()

    def count(self, *, since: int = -1) -> int:
        """Number of annotations, or of those made or changed after a revision."""
        return self.session.scalar(_COUNT, {"sheet": self.sheet.id, "revision": since}) or 0

    def twin(self, start: int, end: int, type: str, *, besides: int | None) -> Annotation | None:
        """The first annotation with this span and type. besides: id of an annotation to ignore."""
        place = {"sheet": self.sheet.id, "start": start, "end": end, "type": type, "besides": besides or 0}
        return self.session.scalars(_TWIN, place).one_or_none()

    def annotation(self, id: int) -> Annotation | None:
        """An annotation of this sheet."""
        row = self.session.get(Annotation, id)
        return row if row is not None and row.sheet_id == self.sheet.id else None


def owner_of(project: Project, by: str) -> str:
    """Owner of the sheets that a user works on: "" for the shared ones."""
    return by if project.mode == Mode.INDEPENDENT else ""


def find_editor(
    session: Session, document_id: int, by: str, owner: str | None = None, *, lock: bool = False
) -> Editor | None:
    """The user's sheet of a document; None if the document does not exist, or the user has no sheet of it yet.

    owner  whose sheet; None for the one that the user annotates
    lock   nobody else can change the sheet until the transaction ends
    """
    query = _LOCKED_SHEET if lock else _SHEET
    row = session.execute(query, {"document": document_id, "by": by, "owner": owner}).one_or_none()
    if row is None:
        return None
    document, project, sheet = row
    return Editor(session, project, document, sheet, by)


def open_editor(
    session: Session, document_id: int, by: str, owner: str | None = None, *, lock: bool
) -> Editor:
    """The same, but in an independent project the user's missing sheet is created.

    Raises NotFound, also for a missing sheet of somebody else.
    """
    if (editor := find_editor(session, document_id, by, owner, lock=lock)) is not None:
        return editor
    if owner is not None:
        raise NotFound(f"{owner} has no sheet of document {document_id}.")
    document = find_document(session, document_id, text=True)
    project = session.get_one(Project, document.project_id)
    return Editor(session, project, document, _own_sheet(session, document, owner_of(project, by)), by)


def _own_sheet(session: Session, document: Document, owner: str) -> Sheet:
    """A new sheet with the uploaded annotations and the model's predictions."""
    sheets = select(Sheet).where(Sheet.document_id == document.id)
    base = session.scalars(sheets.where(Sheet.owner == "").with_for_update()).one()
    if sheet := session.scalars(sheets.where(Sheet.owner == owner)).one_or_none():
        return sheet  # another request created it while this one waited
    sheet = Sheet(
        document_id=document.id, owner=owner, revision=base.revision, state=State.OPEN, model=base.model
    )
    session.add(sheet)
    session.flush()
    own = {"sheet_id": sheet.id, "revision": sheet.revision, "changed": now()}
    for annotation in session.scalars(select(Annotation).where(Annotation.sheet_id == base.id)).all():
        session.add(Annotation(**own, **snapshot(annotation)))
    session.flush()
    return sheet


def record(
    editor: Editor,
    action: str,
    edits: Sequence[Edit],
    *,
    state: State | None = None,
    undoes: int | None = None,
) -> LogEntry:
    """Apply edits and the sheet's new state, if any; raise its revision, and log the change.

    New annotations get their ids in the order of `edits`.
    """
    sheet, session = editor.sheet, editor.session
    sheet.revision += 1
    ids = _apply(editor, edits)
    logged = [
        {"id": id, "before": each.before, "after": each.after} for id, each in zip(ids, edits, strict=True)
    ]
    changes: dict[str, Any] = {"annotations": logged}
    if editor.token:
        changes["token"] = editor.token
    if state is not None:
        changes["state"] = [sheet.state, state]
        sheet.state = state
        sheet.accepted = now() if state == State.ACCEPTED else None
    session.flush()
    place = {"document": editor.document.id, "sheet": sheet.id, "revision": sheet.revision}
    return log(session, action, by=editor.by, project=editor.project, changes=changes, undoes=undoes, **place)


def _apply(editor: Editor, edits: Sequence[Edit]) -> list[int]:
    """Ids of the annotations, in the order of `edits`."""
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
