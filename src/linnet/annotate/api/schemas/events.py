"""What has happened in a project, as an open page is told it."""

from __future__ import annotations

from linnet.annotate.api.schemas.base import Reply
from linnet.annotate.api.schemas.learning import Job
from linnet.annotate.domain.projects.events import EventKind

__all__ = ["Event", "ProjectChanges"]


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
