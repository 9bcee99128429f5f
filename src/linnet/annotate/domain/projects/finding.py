"""Projects and documents by id."""

from __future__ import annotations

from sqlalchemy.orm import Session, undefer

from linnet.annotate.refusals import NotFound
from linnet.annotate.store.tables import Document, Project

__all__ = ["find_document", "find_project"]


def find_project(session: Session, id: int) -> Project:
    """A project. Raises NotFound."""
    row = session.get(Project, id)
    if row is None:
        raise NotFound(f"There is no project {id}. It may have been removed.")
    return row


def find_document(session: Session, id: int, *, text: bool = False) -> Document:
    """A document. text: with its text. Raises NotFound."""
    row = session.get(Document, id, options=[undefer(Document.text)] if text else [])
    if row is None:
        raise NotFound(f"There is no document {id}. It may have been removed.")
    return row
