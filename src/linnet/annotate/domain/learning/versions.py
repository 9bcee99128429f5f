"""Versions of a project's model, and their folders."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from linnet.annotate.refusals import NotFound
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Job, Version

__all__ = ["draft_of", "folder_of", "version_folder"]


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
