"""Adds entries to the append-only log."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.store.tables import LogEntry, Project, Version

__all__ = ["acting_token", "log"]

acting_token: ContextVar[str] = ContextVar("acting_token", default="")
"""Name of the API token that the present request was made with."""


def log(
    session: Session,
    action: str,
    *,
    by: str,
    project: Project | None = None,
    document: int | None = None,
    sheet: int | None = None,
    revision: int | None = None,
    changes: Mapping[str, Any] | None = None,
    undoes: int | None = None,
) -> LogEntry:
    """Add an entry in the session's transaction, with the project's current model and terminology, and `acting_token`."""
    entry = LogEntry(
        by=by,
        token=acting_token.get(),
        action=action,
        document_id=document,
        sheet_id=sheet,
        revision=revision,
        changes=dict(changes or {}),
        undoes=undoes,
    )
    if project is not None:
        entry.project_id, entry.model = project.id, project.model
        entry.terminology_digest = project.terminology_digest
        if project.model:
            digest = select(Version.digest).where(Version.project_id == project.id)
            entry.model_digest = session.scalar(digest.where(Version.number == project.model)) or ""
    session.add(entry)
    session.flush()
    return entry
