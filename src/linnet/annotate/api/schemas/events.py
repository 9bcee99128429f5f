"""Data of server-sent events, one model for each kind but `job`, whose data is a `Job`."""

from __future__ import annotations

from linnet.annotate.api.schemas.base import Reply
from linnet.annotate.api.schemas.learning import Job

__all__ = ["EVENTS", "BeginEvent", "CommentEvent", "DocumentEvent", "EventData", "ModelEvent", "ProjectEvent"]


class BeginEvent(Reply):
    """`begin`: from now on no event of these projects is missed."""

    projects: list[int]


class DocumentEvent(Reply):
    """`document`: a document changed. revision: new one of its sheet, None if that did not change; action: as in the log."""

    project: int
    id: int
    revision: int | None
    by: str
    action: str


class CommentEvent(Reply):
    """`comments`: somebody commented on a document. id: of the document; action: as in the log."""

    project: int
    id: int
    by: str
    action: str


class ProjectEvent(Reply):
    """`documents`: documents were added. `project`: settings changed."""

    project: int
    by: str


class ModelEvent(Reply):
    """`model`: the project has another current version."""

    project: int
    number: int


EventData = BeginEvent | CommentEvent | DocumentEvent | ProjectEvent | ModelEvent | Job
EVENTS: dict[str, type[Reply]] = {
    "begin": BeginEvent,
    "comments": CommentEvent,
    "document": DocumentEvent,
    "documents": ProjectEvent,
    "project": ProjectEvent,
    "model": ModelEvent,
}
