"""Jobs and model versions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from linnet.annotate.api.access import App, CurrentManager, CurrentUser
from linnet.annotate.api.schemas.base import Id
from linnet.annotate.api.schemas.learning import Curve, CurvePoint, Job, ModelVersion, NewJob, Rollback
from linnet.annotate.domain.learning import job_store
from linnet.annotate.domain.learning.versions import roll_back as set_back
from linnet.annotate.domain.learning.versions import versions_of
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.store import tables

__all__ = ["router"]

router = APIRouter(tags=["learning"])


@router.post("/projects/{project}/jobs", status_code=202)
def new_job(app: App, user: CurrentUser, project: Id, body: NewJob) -> Job:
    """Start a job: train a new version, predict again, or prepare the terminology."""
    with app.database.write() as session:
        row = find_project(session, project)
        return _job(job_store.start(session, row, body.kind, body.learners, by=user.name))


@router.get("/projects/{project}/jobs")
def all_jobs(
    app: App, user: CurrentUser, project: Id, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> list[Job]:
    """List the jobs of a project, newest first."""
    with app.database.read() as session:
        jobs = job_store.list_jobs(session, find_project(session, project), limit=limit)
        return [_job(job) for job in jobs]


@router.get("/jobs/{job}")
def one_job(app: App, user: CurrentUser, job: Id) -> Job:
    """A job and its progress."""
    with app.database.read() as session:
        return _job(job_store.find_job(session, job))


@router.post("/jobs/{job}/cancel")
def cancelled_job(app: App, user: CurrentUser, job: Id) -> Job:
    """Cancel a job: your own, or as a manager any. What it has written stays."""
    with app.database.write() as session:
        return _job(job_store.cancel(session, job, by=user.name, manages=user.manages))


@router.get("/projects/{project}/models")
def all_versions(app: App, user: CurrentUser, project: Id) -> list[ModelVersion]:
    """List the versions of the project's model, newest first; number 0, the terminology alone, comes last."""
    with app.database.read() as session:
        row = find_project(session, project)
        versions = versions_of(session, row)
        return [ModelVersion.of(version, current=version.number == row.model) for version in versions]


@router.post("/projects/{project}/models/current", status_code=202)
def roll_back(app: App, user: CurrentManager, project: Id, body: Rollback) -> Job:
    """Use another version from now on; a job predicts with it."""
    with app.database.write() as session:
        return _job(set_back(session, find_project(session, project), body.number, by=user.name))


@router.get("/projects/{project}/curve")
def curve(app: App, user: CurrentUser, project: Id) -> Curve:
    """The learning curve: scores on the held-out documents by amount of training data.

    Versions made before any held-out document was accepted are left out.
    """
    with app.database.read() as session:
        versions = versions_of(session, find_project(session, project))[:-1]
        points = [
            CurvePoint.of(version, version=version.number, metrics=version.after)
            for version in reversed(versions)
            if version.after
        ]
    return Curve(points=points)


def _job(row: tables.Job) -> Job:
    return Job.of(row, project=row.project_id)
