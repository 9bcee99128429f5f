"""Reading the log."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.accounts.sessions import SignedIn
from linnet.annotate.api.schemas.history import LogEntry, LogPage
from linnet.annotate.store import tables

__all__ = ["read_log", "seen_by"]


def seen_by(project: tables.Project, who: SignedIn) -> list[str] | None:
    """Owners of the sheets that somebody may see, None for all: of independent annotators, admins alone see what others did."""
    return None if project.mode == "shared" or who.admin else ["", who.name]


def read_log(
    session: Session,
    *,
    project: int | None = None,
    document: int | None = None,
    before: int | None = None,
    limit: int = 100,
    owners: Collection[str] | None = None,
) -> LogPage:
    """Entries of a project or document, newest first, from before an id on.

    owners  of sheets that are not left out, None for all: whoever annotates on their own is not to see what others did
    """
    query = select(tables.LogEntry)
    if project is not None:
        query = query.where(tables.LogEntry.project_id == project)
    if document is not None:
        query = query.where(tables.LogEntry.document_id == document)
    if owners is not None:
        seen = select(tables.Sheet.id).where(tables.Sheet.owner.in_(owners))
        query = query.where(tables.LogEntry.sheet_id.is_(None) | tables.LogEntry.sheet_id.in_(seen))
    if before is not None:
        query = query.where(tables.LogEntry.id < before)
    rows = session.scalars(query.order_by(tables.LogEntry.id.desc()).limit(limit + 1)).all()
    wanted = {row.document_id for row in rows if row.document_id is not None}
    named = select(tables.Document.id, tables.Document.name).where(tables.Document.id.in_(wanted))
    names = {row.id: row.name for row in session.execute(named)}
    entries = [
        LogEntry(
            id=row.id,
            at=row.at,
            by=row.by,
            action=row.action,
            document=row.document_id,
            document_name=names.get(row.document_id or 0, ""),
            revision=row.revision,
            model=row.model,
            model_digest=row.model_digest,
            terminology_digest=row.terminology_digest,
            changes=row.changes,
            undoes=row.undoes,
        )
        for row in rows[:limit]
    ]
    return LogPage(entries=entries, before=entries[-1].id if len(rows) > limit else None)
