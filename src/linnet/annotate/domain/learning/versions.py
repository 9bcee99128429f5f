"""Versions of a project's model, and their folders."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.states import JobKind
from linnet.annotate.refusals import NotFound
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job, Project, Version

__all__ = ["draft_of", "folder_of", "roll_back", "version_folder", "versions_of"]


def draft_of(data: Path, job: Job) -> Path:
    """Folder in which a job makes its version."""
    return data / folder_of(job.project_id) / f"job{job.id}"


def folder_of(project_id: int) -> str:
    """Folder of a project's versions, relative to the data folder."""
    return f"projects/{project_id}"


def version_folder(database: Database, data: Path, project_id: int, number: int) -> Path | None:
    """Folder of a version; None for number 0, the terminology alone. Raises NotFound."""
    if not number:
        return None
    with database.read() as session:
        query = select(Version.folder).where(Version.project_id == project_id, Version.number == number)
        folder = session.scalar(query)
    if folder is None:
        raise NotFound(f"The project has no model version {number}.")
    return data / folder


def versions_of(session: Session, project: Project) -> list[Version]:
    """The versions of a project, newest first; the last one, number 0, is the terminology alone, measured when the first version was
    made from it."""
    query = select(Version).where(Version.project_id == project.id).order_by(Version.number.desc())
    versions = session.scalars(query).all()
    child = next((version for version in reversed(versions) if version.parent == 0), None)
    first = Version(
        number=0,
        created=project.created,
        created_by=project.created_by,
        digest=project.terminology_digest,
        documents=0,
        mentions=0,
        learned={},
        after=child.before if child else None,
    )
    return [*versions, first]


def roll_back(session: Session, project: Project, number: int, *, by: str) -> Job:
    """Use another version from now on; returns the job that predicts with it. Raises NotFound."""
    if number not in {version.number for version in versions_of(session, project)}:
        raise NotFound(f"The project has no model version {number}.")
    if project.model != number:
        before, project.model = project.model, number
        session.flush()
        log(session, "model.rollback", by=by, project=project, changes={"version": [before, number]})
    return enqueue(session, project, JobKind.PREDICT, by=by)
