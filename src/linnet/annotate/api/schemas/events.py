"""What has happened in a project, as an open page is told it."""

from __future__ import annotations

from enum import StrEnum

from linnet.annotate.api.schemas.base import Reply
from linnet.annotate.api.schemas.learning import Job

__all__ = ["Event", "EventKind", "ProjectChanges"]


class EventKind(StrEnum):
    """document: a document or its annotations changed. comments: somebody commented on a document. documents: some were added or
    assigned. project: settings changed. model: there is another current version."""

    DOCUMENT = "document"
    COMMENTS = "comments"
    DOCUMENTS = "documents"
    PROJECT = "project"
    MODEL = "model"


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
