"""Reading the log."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.api.schemas.history import LogEntry, LogPage
from linnet.annotate.store import tables

__all__ = ["read_log"]


def read_log(
    session: Session,
    *,
    project: int | None = None,
    document: int | None = None,
    before: int | None = None,
    limit: int = 100,
) -> LogPage:
    """Entries of a project or document, newest first, from before an id on."""
    query = select(tables.LogEntry)
    if project is not None:
        query = query.where(tables.LogEntry.project_id == project)
    if document is not None:
        query = query.where(tables.LogEntry.document_id == document)
    if before is not None:
        query = query.where(tables.LogEntry.id < before)
    rows = session.scalars(query.order_by(tables.LogEntry.id.desc()).limit(limit + 1)).all()
    entries = [
        LogEntry(
            id=row.id,
            at=row.at,
            by=row.by,
            action=row.action,
            document=row.document_id,
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
