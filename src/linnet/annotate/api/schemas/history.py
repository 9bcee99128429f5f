"""The log, and what has happened in a project, as an open page is told it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from linnet.annotate.api.schemas.base import Reply
from linnet.annotate.api.schemas.learning import Job
from linnet.annotate.domain.projects.events import EventKind

__all__ = ["Event", "LogEntry", "LogPage", "ProjectChanges"]


class LogEntry(Reply):
    """An entry of the append-only log."""

    id: int
    at: datetime
    by: str
    token: str
    action: str
    document: int | None
    document_name: str
    revision: int | None
    model: int | None
    model_digest: str
    terminology_digest: str
    changes: Any
    annotations: int
    texts: dict[str, str]
    names: dict[str, str]
    undoes: int | None


class LogPage(Reply):
    """Entries, newest first. before: `before` for older entries; None at the end."""

    entries: list[LogEntry]
    before: int | None


class Event(Reply):
    """Something that happened."""

    kind: EventKind
    document: int | None
    revision: int | None
    by: str
    action: str


class ProjectChanges(Reply):
    """What happened since the previous answer."""

    since: str
    events: list[Event]
    jobs: list[Job]
