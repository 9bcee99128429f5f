"""Jobs, model versions, and the event stream."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import lru_cache, partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query
from fastapi.responses import StreamingResponse
from sqlalchemy import select

from linnet.annotate.accounts.sessions import SignedIn
from linnet.annotate.accounts.tokens import signed_in_again
from linnet.annotate.api.access import App, CurrentManager, CurrentUser
from linnet.annotate.api.schemas.base import Id, Offset
from linnet.annotate.api.schemas.events import EVENTS, EventData
from linnet.annotate.api.schemas.learning import (
    Curve,
    CurvePoint,
    Job,
    JobKind,
    Metrics,
    ModelVersion,
    NewJob,
    Rollback,
)
from linnet.annotate.api.schemas.members import Role
from linnet.annotate.app_state import AppState
from linnet.annotate.events import Event
from linnet.annotate.jobs.job_store import cancel, enqueue
from linnet.annotate.learning.learners import choose_learners
from linnet.annotate.members import permitted
from linnet.annotate.projects import find_project
from linnet.annotate.refusals import Forbidden, NotFound
from linnet.annotate.store import tables
from linnet.annotate.store.log import log

__all__ = ["router"]

router = APIRouter(tags=["learning"])

_KEEP_ALIVE = 15  # seconds between keep-alive comments, which stop proxies from closing the stream
_CHECK_INTERVAL = 20.0  # seconds between checks of the session


@router.post("/projects/{project}/jobs", status_code=202)
def new_job(app: App, user: CurrentUser, project: Id, body: NewJob) -> Job:
    """Start a job: train a new version, predict again, or prepare the terminology."""
    options = {}
    with app.database.write() as session:
        row = find_project(session, project)
        if body.kind is JobKind.TRAIN:
            options["learners"] = choose_learners(body.learners or row.learners)
        return _job(enqueue(session, row, body.kind, by=user.name, options=options))


@router.get("/projects/{project}/jobs")
def all_jobs(
    app: App, user: CurrentUser, project: Id, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> list[Job]:
    """List the jobs of a project, newest first."""
    with app.database.read() as session:
        find_project(session, project)
        query = select(tables.Job).where(tables.Job.project_id == project).order_by(tables.Job.id.desc())
        return [_job(job) for job in session.scalars(query.limit(limit))]


@router.get("/jobs/{job}")
def one_job(app: App, user: CurrentUser, job: Id) -> Job:
    """A job and its progress."""
    with app.database.read() as session:
        row = session.get(tables.Job, job)
        if row is None:
            raise NotFound(f"There is no job {job}.")
        return _job(row)


@router.post("/jobs/{job}/cancel")
def cancelled_job(app: App, user: CurrentUser, job: Id) -> Job:
    """Cancel a job: your own, or as a manager any. What it has written stays."""
    with app.database.write() as session:
        row = session.get(tables.Job, job)
        if row is not None and row.created_by != user.name and not user.manages:
            raise Forbidden(f"{row.created_by} started the job. Ask them or a manager to cancel it.")
        return _job(cancel(session, job, by=user.name))


@router.get("/projects/{project}/models")
def all_versions(app: App, user: CurrentUser, project: Id) -> list[ModelVersion]:
    """List the versions of the project's model, newest first; number 0, the terminology alone, comes last."""
    with app.database.read() as session:
        row = find_project(session, project)
        query = select(tables.Version).where(tables.Version.project_id == project)
        versions = session.scalars(query.order_by(tables.Version.number.desc())).all()
        return [
            *(ModelVersion.of(version, current=version.number == row.model) for version in versions),
            _first(row, versions),
        ]


@router.post("/projects/{project}/models/current", status_code=202)
def roll_back(app: App, user: CurrentManager, project: Id, body: Rollback) -> Job:
    """Use another version from now on; a job predicts with it."""
    with app.database.write() as session:
        row = find_project(session, project)
        query = select(tables.Version.id).where(
            tables.Version.project_id == project, tables.Version.number == body.number
        )
        if body.number and session.scalar(query) is None:
            raise NotFound(f"The project has no model version {body.number}.")
        if row.model != body.number:
            before, row.model = row.model, body.number
            session.flush()
            log(
                session,
                "model.rollback",
                by=user.name,
                project=row,
                changes={"version": [before, body.number]},
            )
        return _job(enqueue(session, row, "predict", by=user.name))


@router.get("/projects/{project}/curve")
def curve(app: App, user: CurrentUser, project: Id) -> Curve:
    """The learning curve: scores on the held-out documents by amount of training data.

    Versions made before any held-out document was accepted are left out.
    """
    with app.database.read() as session:
        find_project(session, project)
        query = (
            select(tables.Version).where(tables.Version.project_id == project).order_by(tables.Version.number)
        )
        return Curve(
            points=[
                CurvePoint.of(version, version=version.number, metrics=version.after)
                for version in session.scalars(query)
                if version.after
            ]
        )


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


def existing(app: App, project: Id) -> int:
    """The project's id. Raises NotFound before the stream begins."""
    with app.database.read() as session:
        return find_project(session, project).id


_Projects = Annotated[
    list[Id],
    Query(
        alias="project",
        min_length=1,
        max_length=1000,
        description="Projects of which you are no member are left out.",
    ),
]
_After = Annotated[Offset | None, Query(description="Id of the last event seen: missed events come first.")]
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "model": EventData,
        "description": "Server-sent events; this is the data of each.",
        # In place of "string", FastAPI's type for whatever is not JSON.
        "content": {EventStream.media_type: {"schema": {"type": "object"}}},
    }
}
_LastEvent = Annotated[str | None, Header(alias="Last-Event-ID")]


@router.get("/projects/{project}/events", response_class=EventStream, responses=_EVENTS)
async def events(
    app: App, user: CurrentUser, project: Annotated[int, Depends(existing)], last_event_id: _LastEvent = None
) -> EventStream:
    """Events of a project as they happen: `begin`, `job`, `document`, `documents`, `model`, `project`.

    A client that reconnects with the id of the last event it saw first gets what it missed. The stream ends with the session.
    """
    return await _stream(app, user, [project], _last(last_event_id))


@router.get("/events", response_class=EventStream, responses=_EVENTS)
async def events_of_several(
    app: App, user: CurrentUser, projects: _Projects, after: _After = None, last_event_id: _LastEvent = None
) -> EventStream:
    """Events of several projects, so that one stream serves all tabs of a browser."""
    seen = _last(last_event_id)
    return await _stream(app, user, sorted(set(projects)), after if seen is None else seen)


def _last(event_id: str | None) -> int | None:
    return int(event_id) if event_id and re.fullmatch(r"[0-9]{1,9}", event_id) else None


async def _stream(app: AppState, user: SignedIn, projects: Sequence[int], after: int | None) -> EventStream:
    seen = await asyncio.to_thread(_seen, app, user, projects)
    events = app.events.listen(*(seen or {}), after=after)
    return EventStream(
        _written(
            events,
            lambda: _seen(app, user, projects) == seen,
            partial(Event.is_seen_by, name=user.name, independent=_apart(seen or {})),
        ),
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


def _seen(app: AppState, by: SignedIn, projects: Sequence[int]) -> dict[int, tuple[str, str]] | None:
    """Those of the projects that the user sees → the user's role, and the project's mode; None if the session has ended."""
    with app.database.read() as session:
        if (user := signed_in_again(session, by)) is None:
            return None
        roles = permitted(session, user, projects)
        query = select(tables.Project.id, tables.Project.mode).where(tables.Project.id.in_(roles))
        return {id: (roles[id], mode) for id, mode in session.execute(query.order_by(tables.Project.id))}


def _apart(seen: Mapping[int, tuple[str, str]]) -> frozenset[int]:
    """Projects in which the user must not learn of others' sheets."""
    return frozenset(
        id for id, (role, mode) in seen.items() if mode == "independent" and role == Role.ANNOTATOR
    )


async def _written(
    looks: AsyncGenerator[Sequence[Event]],
    may_listen: Callable[[], bool],
    sees: Callable[[Event], bool] = lambda event: True,
) -> AsyncIterator[bytes]:
    """Events as bytes, a batch at a time, with a keep-alive comment now and then, until the session or a membership ends.

    sees  whether the user may know of an event
    """
    silent = 0
    checked = time.monotonic()
    async with aclosing(looks):
        async for look in looks:
            if time.monotonic() - checked >= _CHECK_INTERVAL:
                if not await asyncio.to_thread(may_listen):
                    return
                checked = time.monotonic()
            own = list(filter(sees, look))
            silent = 0 if own else silent + 1
            if own:
                yield b"".join(map(_encoded, own))
            elif silent % _KEEP_ALIVE == 1:
                yield b": still here\n\n"


@lru_cache(maxsize=256)
def _encoded(event: Event) -> bytes:
    """Encoded once for all listeners."""
    data = _job(event.job) if event.job is not None else EVENTS[event.kind](**event.data)
    return f"event: {event.kind}\ndata: {data.model_dump_json()}\nid: {event.id}\n\n".encode()


def _job(row: tables.Job) -> Job:
    return Job.of(row, project=row.project_id)


def _first(project: tables.Project, versions: Sequence[tables.Version]) -> ModelVersion:
    """The terminology alone, measured when the first version was made from it."""
    child = next((version for version in reversed(versions) if version.parent == 0), None)
    return ModelVersion(
        number=0,
        parent=None,
        created=project.created,
        created_by=project.created_by,
        digest=project.terminology_digest,
        documents=0,
        mentions=0,
        learned={},
        before=None,
        after=Metrics(**child.before) if child and child.before else None,
        current=project.model == 0,
    )
