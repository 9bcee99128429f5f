"""What has happened in a project, for the pages that show it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import defer

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.schemas.base import Id
from linnet.annotate.api.schemas.events import Event, EventKind, ProjectChanges
from linnet.annotate.api.schemas.learning import Job
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.visibility import entries_seen
from linnet.annotate.domain.states import JobState
from linnet.annotate.store import tables
from linnet.annotate.store.columns import now

__all__ = ["router"]

router = APIRouter(tags=["learning"])

_MOST = 500  # events in an answer; the next answer has those after them
_COMMIT = 10  # seconds from a job's end until every reader sees it, at most
_KINDS = {
    "model.train": EventKind.MODEL,
    "model.correct": EventKind.MODEL,
    "model.rollback": EventKind.MODEL,
    "document.upload": EventKind.DOCUMENTS,
    "document.accept": EventKind.DOCUMENTS,  # accepted on upload
    "documents.assign": EventKind.DOCUMENTS,
    "project.change": EventKind.PROJECT,
}
_Since = Annotated[
    str | None, Query(pattern="^[0-9]{1,9}-[0-9]{1,10}$", description="`since` of the previous answer.")
]


@router.get("/projects/{project}/changes")
def changes(app: App, user: CurrentUser, project: Id, since: _Since = None) -> ProjectChanges:
    """What happened since the previous answer, whose `since` is repeated; jobs as long as they wait or run, and once they have ended.

    Without `since`, the answer has no events. Sessions are not prolonged: pages ask every second or two by themselves.
    """
    moment = now()
    with app.database.read() as session:
        row = find_project(session, project)
        wanted: list[ColumnElement[bool]] = [tables.Job.state.in_((JobState.QUEUED, JobState.RUNNING))]
        if since is None:
            newest = select(func.max(tables.LogEntry.id)).where(tables.LogEntry.project_id == project)
            last, entries = session.scalar(newest) or 0, []
        else:
            last, before = map(int, since.split("-"))
            query = entries_seen(row, user).where(tables.LogEntry.id > last).order_by(tables.LogEntry.id)
            entries = list(session.scalars(query.options(defer(tables.LogEntry.changes)).limit(_MOST)))
            wanted.append(tables.Job.ended >= datetime.fromtimestamp(before - _COMMIT, UTC))
        jobs = (
            select(tables.Job).where(tables.Job.project_id == project, or_(*wanted)).order_by(tables.Job.id)
        )
        return ProjectChanges(
            since=f"{entries[-1].id if entries else last}-{int(moment.timestamp())}",
            events=[
                Event.of(entry, kind=kind, document=entry.document_id)
                for entry in entries
                if (kind := _kind(entry)) is not None
            ],
            jobs=[Job.of(job, project=project) for job in session.scalars(jobs)],
        )


def _kind(entry: tables.LogEntry) -> EventKind | None:
    """None for what no page shows at once."""
    if entry.document_id is None or entry.action.startswith("model."):
        return _KINDS.get(entry.action)
    return EventKind.COMMENTS if entry.action.startswith("comment.") else EventKind.DOCUMENT
