"""Assignment of documents, and progress of people."""

from __future__ import annotations

import csv
import io
from datetime import datetime

from fastapi import APIRouter
from fastapi.responses import Response
from sqlalchemy.orm import Session

from linnet.annotate.api.access import App, CurrentManager, CurrentUser
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.attachments import downloads
from linnet.annotate.api.schemas.assigning import AssignmentChange, Distribution, Moved
from linnet.annotate.api.schemas.base import Id, reply
from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.assignments import distribution
from linnet.annotate.domain.assignments.progress import Person, TeamProgress, read_progress
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.visibility import seen_by
from linnet.annotate.store.tables import Project

__all__ = ["router"]

router = APIRouter(prefix="/projects/{project}", tags=["assigning"])

_COLUMNS = (
    "name", "role", "assigned", "accepted", "skipped", "left", "mentions", "hours", "mentions_per_hour", "hours_left", "last",
    "unchanged", "curated",
)  # fmt: skip


@router.get("/progress", response_model=reply(TeamProgress))
def progress(app: App, user: CurrentUser, project: Id) -> TeamProgress:
    """How far the members are. Independent annotators see themselves only."""
    row, people = _seen(app, user, project)
    return TeamProgress(people=people, lacking=_lacking(app, row) if user.manages else 0)


@router.get("/progress.csv", response_class=Response, responses=downloads("text/csv"))
def progress_table(app: App, user: CurrentUser, project: Id) -> Response:
    """The same as a CSV file; hours are decimal, times are in UTC."""
    _, people = _seen(app, user, project)
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(_COLUMNS)
    for person in people:
        writer.writerow([_short(getattr(person, name)) for name in _COLUMNS])
    return Response(
        "\ufeff" + stream.getvalue(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="progress-{project}.csv"'},
    )


@router.post("/assignments")
def changed_assignments(app: App, user: CurrentManager, project: Id, body: AssignmentChange) -> Moved:
    """Assign documents to members, or take them from members who have not begun them."""
    work = distribution.assign if body.how is distribution.Assigning.GIVE else distribution.take
    with app.database.write() as session:
        row = find_project(session, project)
        moved = work(session, row, body.documents, list(dict.fromkeys(body.members)), by=user.name)
        return _moved(session, row, moved)


@router.post("/assignments/distribute")
def distributed(app: App, user: CurrentManager, project: Id, body: Distribution) -> Moved:
    """Assign what lacks people, or hand over what a member has not begun; those with the least left come first."""
    with app.database.write() as session:
        row = find_project(session, project)
        if body.instead_of is None:
            moved = distribution.distribute(session, row, by=user.name)
        else:
            moved = distribution.hand_over(session, row, body.instead_of, by=user.name)
        answer = _moved(session, row, moved)
        if body.preview:
            session.rollback()
        return answer


def _seen(app: AppState, user: SignedIn, project: int) -> tuple[Project, list[Person]]:
    with app.database.read() as session:
        row = find_project(session, project)
        return row, read_progress(session, row, None if seen_by(row, user) is None else [user.name])


def _lacking(app: AppState, row: Project) -> int:
    if not row.per_document:
        return 0
    with app.database.write() as session:
        return distribution.lacking(session, session.merge(row))


def _moved(session: Session, row: Project, moved: distribution.Moved) -> Moved:
    return Moved.of(moved, lacking=distribution.lacking(session, row))


def _short(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return "" if value is None else round(value, 2) if isinstance(value, float) else value
