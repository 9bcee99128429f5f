"""The jobs table: who wants what done, and how far it is."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store import Database
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job, Project

__all__ = [
    "ATTEMPTS",
    "Cancelled",
    "cancel",
    "enqueue",
    "finish",
    "recover",
    "report_progress",
    "take",
]

ATTEMPTS = 3  # a job that the trainer died of twice will kill it a third time, too, but not a fourth
_WAITING = ("queued", "running")


class Cancelled(Exception):
    """Somebody asked the job to stop."""


def enqueue(
    session: Session, project: Project, kind: str, *, by: str, options: dict[str, Any] | None = None
) -> Job:
    """A new job, or the one of the same kind that waits in the project already.

    Raises Conflict where a training is under way.
    """
    query = select(Job).where(Job.project_id == project.id, Job.kind == kind, Job.state.in_(_WAITING))
    waiting = session.scalars(query.order_by(Job.id)).all()
    if kind == "train" and waiting:
        raise Conflict(
            "The model is being trained already. Wait until that is done, or cancel it.",
            by=waiting[0].created_by,
        )
    same = [job for job in waiting if job.state == "queued" and job.options == (options or {})]
    if same:
        return same[0]
    job = Job(project_id=project.id, kind=kind, state="queued", options=options or {}, created_by=by)
    session.add(job)
    session.flush()
    log(session, f"job.{kind}", by=by, project=project, changes={"job": job.id, **(options or {})})
    return job


def cancel(session: Session, id: int, *, by: str) -> Job:
    """Ask a job to stop: at once where it waits, else as soon as it reports. Raises NotFound."""
    job = session.get(Job, id, with_for_update=True)
    if job is None:
        raise NotFound(f"There is no job {id}.")
    if job.state in _WAITING:
        job.wanted = "cancel"
        if job.state == "queued":
            job.state, job.ended, job.message = "cancelled", now(), f"Cancelled by {by}."
        log(
            session,
            "job.cancel",
            by=by,
            project=session.get(Project, job.project_id),
            changes={"job": job.id},
        )
    return job


def take(database: Database) -> Job | None:
    """Begin the job that has waited longest; None where none waits. No two callers take the same one."""
    with database.read() as session:
        waiting = session.scalars(select(Job.id).where(Job.state == "queued").order_by(Job.id)).all()
    for id in waiting:
        with database.write() as session:
            # PostgreSQL checks the condition again once another writer is done with the row.
            taken: CursorResult[Any] = session.execute(  # type: ignore[assignment]
                update(Job)
                .where(Job.id == id, Job.state == "queued")
                .values(state="running", started=now(), beat=now(), attempts=Job.attempts + 1, progress=0.0)
            )
            if taken.rowcount:
                return session.get_one(Job, id)
    return None


def report_progress(database: Database, id: int, progress: float, message: str) -> None:
    """Note how far a job is. Raises Cancelled where it shall stop."""
    with database.write() as session:
        job = session.get(Job, id)
        if job is None or job.wanted == "cancel":
            raise Cancelled
        job.progress, job.message, job.beat = max(0.0, min(progress, 1.0)), message, now()


def finish(
    database: Database,
    id: int,
    state: str,
    *,
    message: str = "",
    reason: str = "",
    version: int | None = None,
) -> None:
    """Note how a job ended."""
    with database.write() as session:
        job = session.get(Job, id)
        if job is None:
            return
        job.state, job.ended, job.reason, job.version = state, now(), reason, version
        job.message = message or job.message
        if state == "done":
            job.progress = 1.0


def recover(database: Database) -> None:
    """After the trainer died: queue its running job again, or fail it after too many attempts."""
    with database.write() as session:
        for job in session.scalars(select(Job).where(Job.state == "running")):
            if job.wanted == "cancel":
                job.state, job.ended = "cancelled", now()
            elif job.attempts >= ATTEMPTS:
                job.state, job.ended = "failed", now()
                job.reason = (
                    f"The trainer died {job.attempts} times doing this, last at '{job.message}'. "
                    "Is there enough memory? Start it again when there is."
                )
            else:
                job.state = "queued"
