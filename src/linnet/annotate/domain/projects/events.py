"""What has happened in a project, for the pages that show it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session, defer

from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.projects.visibility import entries_seen
from linnet.annotate.domain.states import JobState
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import Job, LogEntry, Project

__all__ = ["Event", "EventKind", "Happened", "happened"]

_MOST = 500  # entries in an answer; the next answer has those after them
_COMMIT = 10  # seconds from a job's end until every reader sees it, at most


class EventKind(StrEnum):
    """document: a document or its annotations changed. comments: somebody commented on a document. documents: some were added or
    assigned. project: settings changed. model: there is another current version."""

    DOCUMENT = "document"
    COMMENTS = "comments"
    DOCUMENTS = "documents"
    PROJECT = "project"
    MODEL = "model"


class Event(NamedTuple):
    """Something that happened."""

    kind: EventKind
    entry: LogEntry


class Happened(NamedTuple):
    """since: for the next question; jobs: those that wait or run, and those that ended lately."""

    since: str
    events: list[Event]
    jobs: Sequence[Job]


_KINDS = {
    "model.train": EventKind.MODEL,
    "model.correct": EventKind.MODEL,
    "model.rollback": EventKind.MODEL,
    "document.upload": EventKind.DOCUMENTS,
    "document.accept": EventKind.DOCUMENTS,  # accepted on upload
    "documents.assign": EventKind.DOCUMENTS,
    "project.change": EventKind.PROJECT,
}


def happened(session: Session, project: Project, user: SignedIn, since: str | None) -> Happened:
    """What happened since the previous answer, as far as the user may see it; without `since`, no events."""
    moment = now()
    wanted: list[ColumnElement[bool]] = [Job.state.in_((JobState.QUEUED, JobState.RUNNING))]
    entries: list[LogEntry] = []
    if since is None:
        newest = select(func.max(LogEntry.id)).where(LogEntry.project_id == project.id)
        last = session.scalar(newest) or 0
    else:
        last, before = map(int, since.split("-"))
        query = entries_seen(project, user).where(LogEntry.id > last).order_by(LogEntry.id)
        entries = list(session.scalars(query.options(defer(LogEntry.changes)).limit(_MOST)))
        wanted.append(Job.ended >= datetime.fromtimestamp(before - _COMMIT, UTC))
    jobs = select(Job).where(Job.project_id == project.id, or_(*wanted)).order_by(Job.id)
    return Happened(
        f"{entries[-1].id if entries else last}-{int(moment.timestamp())}",
        [Event(kind, entry) for entry in entries if (kind := _kind(entry)) is not None],
        session.scalars(jobs).all(),
    )


def _kind(entry: LogEntry) -> EventKind | None:
    """None for what no page shows at once."""
    if entry.document_id is None or entry.action.startswith("model."):
        return _KINDS.get(entry.action)
    return EventKind.COMMENTS if entry.action.startswith("comment.") else EventKind.DOCUMENT
