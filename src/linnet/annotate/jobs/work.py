"""A job that runs, with what it needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from linnet.active.training_data import Progress, stage
from linnet.annotate.domain.learning.versions import draft_of, version_folder
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Job, Project
from linnet.terminology import Terminology

__all__ = ["Work"]


@dataclass(frozen=True, slots=True)
class Work:
    """A job that runs.

    terminology  of its project, with its indexes
    pipeline     by which it links: the name that the project had when the job began, see `linnet.active.model.pipeline_of`
    progress     raises Cancelled once a user has cancelled the job
    """

    database: Database
    data: Path
    terminologies: Terminologies
    job: Job
    terminology: Terminology
    pipeline: str
    progress: Progress

    def project(self) -> Project:
        """The project as it is now."""
        with self.database.read() as session:
            return session.get_one(Project, self.job.project_id)

    def version_folder(self, number: int) -> Path | None:
        """Folder of a version of the project's model; None for number 0. Raises NotFound."""
        return version_folder(self.database, self.data, self.job.project_id, number)

    @property
    def draft(self) -> Path:
        """Folder in which the job makes a version."""
        return draft_of(self.data, self.job)

    def stage(self, low: float, high: float) -> Work:
        """The same for a stage of the job, whose progress runs from `low` to `high`."""
        return replace(self, progress=stage(self.progress, low, high))
