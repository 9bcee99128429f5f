"""The log, agreement of annotators, and restored backups."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from linnet.annotate.api.schemas.base import Reply

__all__ = [
    "LogEntry",
    "LogPage",
]


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
