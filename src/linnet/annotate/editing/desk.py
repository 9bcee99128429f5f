"""What one person works on: a sheet, opened in a transaction, and how it is changed and logged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Row, String, and_, bindparam, case, func, select
from sqlalchemy.orm import Session, undefer

from linnet.annotate.editing.snapshot import Snapshot, snapshot
from linnet.annotate.refusals import NotFound
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Annotation, Document, LogEntry, Project, Sheet

__all__ = ["Desk", "Edit", "Place", "find_desk", "open_desk", "owner_of", "record"]

# Put together once: of the time of a short query, half is SQLAlchemy's for its text.
_OWNER = case((Project.mode == "independent", bindparam("by", type_=String)), else_="")
_DESK = (
    select(Document, Project, Sheet)
    .join(Project, Project.id == Document.project_id)
    .join(Sheet, and_(Sheet.document_id == Document.id, Sheet.owner == _OWNER))
    .where(Document.id == bindparam("document"))
    .options(undefer(Document.text))
)
_LOCKED_DESK = _DESK.with_for_update(of=Sheet)
_ANNOTATIONS = (
    select(Annotation)
    .where(Annotation.sheet_id == bindparam("sheet"))
    .order_by(Annotation.start, Annotation.end.desc(), Annotation.id)
)
# What is shown of them: columns, which take half the time of objects.
_SHOWN = select(
    *(column for column in Annotation.__table__.columns if column.name not in ("sheet_id", "extra"))
).where(Annotation.sheet_id == bindparam("sheet"))
_SHOWN = _SHOWN.order_by(Annotation.start, Annotation.end.desc(), Annotation.id)
_COUNT = select(func.count()).select_from(Annotation).where(Annotation.sheet_id == bindparam("sheet"))
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


class Edit(NamedTuple):
    """A change of one annotation: made where `before` is None, removed where `after` is, else changed.

    id  None for one that is made for the first time
    """

    id: int | None
    before: Snapshot | None
    after: Snapshot | None


class Place(NamedTuple):
    """A document by number, and who works on it."""

    document: int
    by: str


@dataclass(frozen=True, slots=True)
class Desk:
    """A sheet somebody works on. by: the name of the account, "" for the model."""

    session: Session
    project: Project
    document: Document
    sheet: Sheet
    by: str

    @property
    def place(self) -> Place:
        """What the desk is for, when its transaction is over."""
        return Place(self.document.id, self.by)

    def annotations(self) -> list[Annotation]:
        """In text order; of those that begin together the longer first, then the older."""
        return list(self.session.scalars(_ANNOTATIONS, {"sheet": self.sheet.id}))

    def shown(self) -> Sequence[Row[Any]]:
        """The same as rows without what is not shown, for those who only look."""
        return self.session.execute(_SHOWN, {"sheet": self.sheet.id}).all()

    def count(self) -> int:
        """Number of annotations."""
        return self.session.scalar(_COUNT, {"sheet": self.sheet.id}) or 0

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


def find_desk(session: Session, document_id: int, by: str, *, lock: bool = False) -> Desk | None:
    """The sheet of a document that a person works on; None where there is no such document, or no sheet of theirs yet.

    lock  nobody else changes the sheet until the transaction ends
    """
    query = _LOCKED_DESK if lock else _DESK
    found = session.execute(query, {"document": document_id, "by": by}).one_or_none()
    if found is None:
        return None
    document, project, sheet = found
    return Desk(session, project, document, sheet, by)


def open_desk(session: Session, document_id: int, by: str, *, lock: bool) -> Desk:
    """The same; in an independent project the sheet is made when it is first opened.

    Raises NotFound.
    """
    if (desk := find_desk(session, document_id, by, lock=lock)) is not None:
        return desk
    document = session.get(Document, document_id, options=[undefer(Document.text)])
    if document is None:
        raise NotFound(f"There is no document {document_id}. It may have been removed.")
    project = session.get_one(Project, document.project_id)
    return Desk(session, project, document, _own_sheet(session, document, owner_of(project, by)), by)


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
    desk: Desk,
    action: str,
    edits: Sequence[Edit],
    *,
    state: str | None = None,
    undoes: int | None = None,
) -> LogEntry:
    """Apply edits, and the sheet's new state if there is one, raise its revision, and log both.

    Made annotations get their ids in the order of `edits`.
    """
    sheet, session = desk.sheet, desk.session
    sheet.revision += 1
    logged: list[dict[str, Any]] = []
    for edit in edits:
        kept = session.get(Annotation, edit.id) if edit.id is not None else None
        if edit.after is None:
            if kept is not None:
                session.delete(kept)
        elif kept is None:
            kept = Annotation(
                id=edit.id, sheet_id=sheet.id, revision=sheet.revision, changed=now(), **edit.after
            )
            session.add(kept)
            session.flush()
        else:
            for name, value in edit.after.items():
                setattr(kept, name, value)
            kept.revision, kept.changed = sheet.revision, now()
        logged.append(
            {"id": kept.id if kept is not None else edit.id, "before": edit.before, "after": edit.after}
        )
    changes: dict[str, Any] = {"annotations": logged}
    if state is not None:
        changes["state"] = [sheet.state, state]
        sheet.state = state
        sheet.accepted = now() if state == "accepted" else None
    session.flush()
    return log(
        session,
        action,
        by=desk.by,
        project=desk.project,
        document=desk.document.id,
        sheet=sheet.id,
        revision=sheet.revision,
        changes=changes,
        undoes=undoes,
    )
