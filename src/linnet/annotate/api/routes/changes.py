"""What has happened in a project, for the pages that show it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.schemas.base import Id
from linnet.annotate.api.schemas.history import Event, ProjectChanges
from linnet.annotate.api.schemas.learning import Job
from linnet.annotate.domain.projects.events import happened
from linnet.annotate.domain.projects.finding import find_project

__all__ = ["router"]

router = APIRouter(tags=["learning"])

_Since = Annotated[
    str | None, Query(pattern="^[0-9]{1,9}-[0-9]{1,10}$", description="`since` of the previous answer.")
]


@router.get("/projects/{project}/changes")
def changes(app: App, user: CurrentUser, project: Id, since: _Since = None) -> ProjectChanges:
    """What happened since the previous answer, whose `since` is repeated; jobs as long as they wait or run, and once they have ended.

    Without `since`, the answer has no events. Sessions are not prolonged: pages ask every second or two by themselves.
    """
    with app.database.read() as session:
        found = happened(session, find_project(session, project), user, since)
    return ProjectChanges(
        since=found.since,
        events=[Event.of(entry, kind=kind, document=entry.document_id) for kind, entry in found.events],
        jobs=[Job.of(job, project=project) for job in found.jobs],
    )
