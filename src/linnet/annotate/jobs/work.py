"""One job, done."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable

from sqlalchemy.exc import DBAPIError

from linnet.annotate.disk import is_full
from linnet.annotate.jobs import board
from linnet.annotate.jobs.correcting import correct
from linnet.annotate.jobs.predicting import predict
from linnet.annotate.jobs.training import draft_of, train, version_folder
from linnet.annotate.learning.lesson import Told, within
from linnet.annotate.learning.model import ensure_indexes, open_model
from linnet.annotate.settings import Settings
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job, Project
from linnet.annotate.terminologies import Terminologies
from linnet.errors import LinnetError
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex

__all__ = ["Worker"]

_LOG = logging.getLogger("linnet.annotate")
_OFTEN = 0.3  # seconds between two reports, at least


class Worker:
    """Does jobs, one after the other."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._data, self._database = settings.data, database
        self._terminologies = Terminologies(settings.data, settings.terminologies)

    def work(self) -> bool:
        """Do the job that has waited longest; False where none waits. If it fails, its row says why."""
        job = board.take(self._database)
        if job is None:
            return False
        try:
            message, version = self._do(job)
        except board.Cancelled:
            self._end(job, "cancelled", message="Cancelled.")
        except Exception as error:
            if not isinstance(error, LinnetError):
                _LOG.exception("job %d failed", job.id)
            self._end(job, "failed", reason=_reason(error))
        else:
            board.finish(self._database, job.id, "done", message=message, version=version)
        return True

    def _end(self, job: Job, state: str, *, message: str = "", reason: str = "") -> None:
        """Remove what an unfinished job has written, then note how it ended: that may need the room."""
        shutil.rmtree(draft_of(self._data, job), ignore_errors=True)
        try:
            board.finish(self._database, job.id, state, message=message, reason=reason)
        except DBAPIError:
            # It waits again when the server is started anew.
            _LOG.exception("job %d: that it ended could not be noted", job.id)

    def _do(self, job: Job) -> tuple[str, int | None]:
        told = self._told(job.id)
        with self._database.read() as session:
            project = session.get_one(Project, job.project_id)
        told(0.0, "Opening the terminology")
        terminology = self._terminologies.open(project.terminology)
        self._prepare(project, terminology, told)
        if job.kind == "prepare":
            return "The terminology is ready.", None
        if job.kind == "predict":
            return self._predict(job, project.types, terminology, told), None
        if job.kind == "correct":
            version = job.version or correct(
                self._database, self._data, job, terminology, within(told, 0.5, 0.7)
            )
            if version is None:
                return "The model holds nothing that was removed.", None
            return self._predict(job, project.types, terminology, within(told, 0.7, 1.0)), version
        version = job.version or train(self._database, self._data, job, terminology, told)
        return self._predict(job, project.types, terminology, within(told, 0.8, 1.0)), version

    def _predict(self, job: Job, types: list[str], terminology: Terminology, told: Told) -> str:
        with self._database.read() as session:
            number = session.get_one(Project, job.project_id).model
        folder = version_folder(self._database, self._data, job.project_id, number)
        model = open_model(terminology, folder, types=types)
        return predict(
            self._database,
            job.project_id,
            model,
            number,
            told,
            resumed=job.attempts > 1 or bool(job.options.get("fresh")),
        )

    def _prepare(self, project: Project, terminology: Terminology, told: Told) -> None:
        """Build what is missing, and note that the project can be worked with, or that its terminology is another one."""
        if not SearchIndex.exists(terminology):
            told(0.1, "Building the search index")
            SearchIndex.open(terminology)
        told(0.5, "Building the indexes")
        ensure_indexes(terminology)
        if project.ready and project.terminology_digest == terminology.digest:
            return
        with self._database.write() as session:
            kept = session.get_one(Project, project.id)
            if kept.terminology_digest != terminology.digest:
                before, kept.terminology_digest = kept.terminology_digest, terminology.digest
                log(
                    session,
                    "project.terminology",
                    by="",
                    project=kept,
                    changes={"digest": [before, terminology.digest]},
                )
            kept.ready = True

    def _told(self, id: int) -> Callable[[float, str], None]:
        last, doing = 0.0, ""

        def told(progress: float, message: str) -> None:
            nonlocal last, doing
            stage = message.partition(":")[
                0
            ]  # what begins is told at once, and begins only where nobody has stopped it
            if stage != doing or time.monotonic() - last >= _OFTEN:
                last, doing = time.monotonic(), stage
                board.report(self._database, id, progress, message)

        return told


def _reason(error: Exception) -> str:
    """Why a job failed, for people."""
    if is_full(error):
        return (
            "The server's disk is full. Nothing of this job was kept; the previous model stays in use. Free some space, then "
            "start it again."
        )
    if isinstance(error, LinnetError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    return (
        f"Something went wrong inside linnet ({type(error).__name__}: {error}); the server's log says where."
    )
