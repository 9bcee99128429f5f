"""Jobs and model versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import select

from linnet.active.learners import choose_learners
from linnet.annotate.api.access import App, CurrentManager, CurrentUser
from linnet.annotate.api.schemas.base import Id
from linnet.annotate.api.schemas.learning import (
    Curve,
    CurvePoint,
    Job,
    Metrics,
    ModelVersion,
    NewJob,
    Rollback,
)
from linnet.annotate.domain.learning.job_store import cancel, enqueue
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import JobKind
from linnet.annotate.refusals import Forbidden, NotFound
from linnet.annotate.store import tables
from linnet.annotate.store.log import log

__all__ = ["router"]

router = APIRouter(tags=["learning"])


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
        return _job(enqueue(session, row, JobKind.PREDICT, by=user.name))


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
