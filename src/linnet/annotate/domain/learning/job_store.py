"""The `jobs` table: adding, taking, cancelling and finishing jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from linnet.active.learners import choose_learners
from linnet.annotate.domain.states import JobKind, JobState
from linnet.annotate.refusals import Conflict, Forbidden, NotFound
from linnet.annotate.store import Database
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job, Project

__all__ = [
    "ATTEMPTS",
    "Cancelled",
    "cancel",
    "enqueue",
    "find_job",
    "finish",
    "list_jobs",
    "recover",
    "report_progress",
    "start",
    "take",
]

ATTEMPTS = 3  # a job that kills the trainer this often has failed
_WAITING = (JobState.QUEUED, JobState.RUNNING)


class Cancelled(Exception):
    """A user cancelled the job."""


def enqueue(
    session: Session, project: Project, kind: JobKind, *, by: str, options: dict[str, Any] | None = None
) -> Job:
    """Add a job; returns the one of the same kind and options that is already queued in the project, if any.

    Raises Conflict if a training is queued or running.
    """
    query = select(Job).where(Job.project_id == project.id, Job.kind == kind, Job.state.in_(_WAITING))
    waiting = session.scalars(query.order_by(Job.id)).all()
    if kind == JobKind.TRAIN and waiting:
        raise Conflict(
            "A training is already queued or running. Wait until it is done, or cancel it.",
            by=waiting[0].created_by,
        )
    same = [job for job in waiting if job.state == JobState.QUEUED and job.options == (options or {})]
    if same:
        return same[0]
    job = Job(project_id=project.id, kind=kind, state=JobState.QUEUED, options=options or {}, created_by=by)
    session.add(job)
    session.flush()
    log(session, f"job.{kind}", by=by, project=project, changes={"job": job.id, **(options or {})})
    return job


def start(session: Session, project: Project, kind: JobKind, learners: Sequence[str], *, by: str) -> Job:
    """Add a job that a user asks for. learners: of a training; () for the project's. Raises as `enqueue` and `choose_learners` do."""
    options = {"learners": choose_learners(learners or project.learners)} if kind is JobKind.TRAIN else {}
    return enqueue(session, project, kind, by=by, options=options)


def list_jobs(session: Session, project: Project, *, limit: int) -> Sequence[Job]:
    """The last jobs of a project, newest first."""
    query = select(Job).where(Job.project_id == project.id).order_by(Job.id.desc())
    return session.scalars(query.limit(limit)).all()


def find_job(session: Session, id: int, *, lock: bool = False) -> Job:
    """A job. lock: until the transaction ends. Raises NotFound."""
    job = session.get(Job, id, with_for_update=lock or None)
    if job is None:
        raise NotFound(f"There is no job {id}.")
    return job


def cancel(session: Session, id: int, *, by: str, manages: bool = True) -> Job:
    """Cancel a job: at once if it is queued, else at its next progress report. manages: also the jobs of others.

    Raises NotFound, Forbidden.
    """
    job = find_job(session, id, lock=True)
    if job.created_by != by and not manages:
        raise Forbidden(f"{job.created_by} started the job. Ask them or a manager to cancel it.")
    if job.state in _WAITING:
        job.wanted = "cancel"
        if job.state == JobState.QUEUED:
            job.state, job.ended, job.message = JobState.CANCELLED, now(), f"Cancelled by {by}."
        project = session.get(Project, job.project_id)
        log(session, "job.cancel", by=by, project=project, changes={"job": job.id})
    return job


def take(database: Database) -> Job | None:
    """Start the job that has waited longest; None if none is queued. No two callers get the same job."""
    with database.read() as session:
        waiting = session.scalars(select(Job.id).where(Job.state == JobState.QUEUED).order_by(Job.id)).all()
    for id in waiting:
        with database.write() as session:
            # PostgreSQL checks the condition again once another writer is done with the row.
            taken: CursorResult[Any] = session.execute(  # type: ignore[assignment]
                update(Job)
                .where(Job.id == id, Job.state == JobState.QUEUED)
                .values(
                    state=JobState.RUNNING, started=now(), beat=now(), attempts=Job.attempts + 1, progress=0.0
                )
            )
            if taken.rowcount:
                return session.get_one(Job, id)
    return None


def report_progress(database: Database, id: int, progress: float, message: str) -> None:
    """Record the progress of a job, and that its trainer is alive. Raises Cancelled if it was cancelled."""
    with database.write() as session:
        job = session.get(Job, id)
        if job is None or job.wanted == "cancel":
            raise Cancelled
        job.progress, job.message, job.beat = max(0.0, min(progress, 1.0)), message, now()


def finish(
    database: Database,
    id: int,
    state: JobState,
    *,
    message: str = "",
    reason: str = "",
    version: int | None = None,
) -> None:
    """Record how a job ended."""
    with database.write() as session:
        job = session.get(Job, id)
        if job is None:
            return
        job.state, job.ended, job.reason, job.version = state, now(), reason, version
        job.message = message or job.message
        if state == JobState.DONE:
            job.progress = 1.0


def recover(database: Database) -> None:
    """After the trainer died: queue its running job again, or fail it after too many attempts."""
    with database.write() as session:
        for job in session.scalars(select(Job).where(Job.state == JobState.RUNNING)):
            if job.wanted == "cancel":
                job.state, job.ended = JobState.CANCELLED, now()
            elif job.attempts >= ATTEMPTS:
                job.state, job.ended = JobState.FAILED, now()
                job.reason = (
                    f"The trainer died {job.attempts} times during this job, last at '{job.message}'. "
                    "Check that the server has enough memory, then start the job again."
                )
            else:
                job.state = JobState.QUEUED
