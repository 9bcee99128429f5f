"""Who has begun which documents of a project."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.store.tables import Assignment, Document, LogEntry, Project, User

__all__ = ["begun", "forget_unbegun"]


def begun(session: Session, project: Project, documents: Sequence[int] | None = None) -> set[tuple[int, str]]:
    """(document, name) where somebody has changed something, or accepted or skipped the document. documents: None for all."""
    query = select(LogEntry.document_id, LogEntry.by).where(
        LogEntry.project_id == project.id, LogEntry.sheet_id.is_not(None), LogEntry.by != ""
    )
    if documents is not None:
        query = query.where(LogEntry.document_id.in_(documents))
    return {(document, by) for document, by in session.execute(query.distinct()) if document is not None}


def forget_unbegun(session: Session, project: Project, user: User) -> None:
    """Take the documents that somebody has not begun from them."""
    started = {document for document, who in begun(session, project) if who == user.name}
    own = select(Assignment).join(Document)
    own = own.where(Document.project_id == project.id, Assignment.user_id == user.id)
    for assignment in session.scalars(own).all():
        if assignment.document_id not in started:
            session.delete(assignment)
