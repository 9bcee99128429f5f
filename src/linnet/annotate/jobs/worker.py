"""Does the jobs that the store hands out."""

from __future__ import annotations

import logging
import shutil
import time

from sqlalchemy.exc import DBAPIError

from linnet.active.model import ensure_indexes
from linnet.active.training_data import Progress
from linnet.annotate.disk import is_full
from linnet.annotate.domain.learning import job_store
from linnet.annotate.domain.learning.versions import draft_of
from linnet.annotate.domain.states import JobKind, JobState
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.jobs.mapping import map_strings, propose_again, terminology_of
from linnet.annotate.jobs.predicting import predict
from linnet.annotate.jobs.removing import correct
from linnet.annotate.jobs.training import train
from linnet.annotate.jobs.work import Work
from linnet.annotate.refusals import without_folders
from linnet.annotate.settings import Settings
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job, Project
from linnet.errors import LinnetError
from linnet.http.wording import in_service
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex

__all__ = ["Worker"]

_LOG = logging.getLogger("linnet.annotate")
_REPORT_INTERVAL = 0.3  # seconds


class Worker:
    """Does jobs one after the other."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._data, self._database = settings.data, database
        self._terminologies = Terminologies(settings.data, settings.terminologies)

    def work(self) -> bool:
        """Do the job that has waited longest; False where none waits. If it fails, its row says why."""
        job = job_store.take(self._database)
        if job is None:
            return False
        try:
            message, version = self._do(job)
        except job_store.Cancelled:
            self._end(job, JobState.CANCELLED, message="Cancelled.")
        except Exception as error:
            why = in_service(error) if isinstance(error, LinnetError) else error
            _LOG.error("job %d failed: %s", job.id, why, exc_info=why is error)
            self._end(job, JobState.FAILED, reason=_reason(error))
        else:
            job_store.finish(self._database, job.id, JobState.DONE, message=message, version=version)
        return True

    def _end(self, job: Job, state: JobState, *, message: str = "", reason: str = "") -> None:
        """Remove what an unfinished job wrote, then record how it ended, which may need that space."""
        shutil.rmtree(draft_of(self._data, job), ignore_errors=True)
        try:
            job_store.finish(self._database, job.id, state, message=message, reason=reason)
        except DBAPIError:
            # The next trainer finds it as running, and queues it again.
            _LOG.exception("job %d: its end could not be recorded", job.id)

    def _do(self, job: Job) -> tuple[str, int | None]:
        progress = self._progress(job.id)
        with self._database.read() as session:
            project = session.get_one(Project, job.project_id)
        progress(0.0, "Opening the terminology")
        terminology = self._terminologies.open(project.terminology)
        self._prepare(project, terminology, progress)
        # The job links by the pipeline that it has prepared. If somebody changes it meanwhile, another job predicts again.
        pipeline, data, terminologies = project.pipeline, self._data, self._terminologies
        work = Work(self._database, data, terminologies, job, terminology, pipeline, progress)
        if job.kind == JobKind.PREPARE:
            return "The terminology is ready.", None
        if job.kind == JobKind.MAP:
            _build(terminologies.open(terminology_of(work)), pipeline, progress)
            return map_strings(work), None
        if job.kind == JobKind.PREDICT:
            return predict(work), None
        if job.kind == JobKind.CORRECT:
            version = job.version or correct(work.stage(0.5, 0.7))
            if version is None:
                return "The model contains nothing that was removed.", None
            return predict(work.stage(0.7, 1.0)), version
        version = job.version or train(work)
        message = predict(work.stage(0.8, 1.0))
        propose_again(work)
        return message, version

    def _prepare(self, project: Project, terminology: Terminology, progress: Progress) -> None:
        """Build missing indexes, mark the project as ready, and log a changed terminology."""
        _build(terminology, project.pipeline, progress)
        if project.ready and project.terminology_digest == terminology.digest:
            return
        with self._database.write() as session:
            kept = session.get_one(Project, project.id, with_for_update=True)
            if kept.terminology_digest != terminology.digest:
                changes = {"digest": [kept.terminology_digest, terminology.digest]}
                kept.terminology_digest = terminology.digest
                log(session, "project.terminology", by="", project=kept, changes=changes)
            if kept.pipeline == project.pipeline:
                kept.ready = True

    def _progress(self, id: int) -> Progress:
        last_report, last_step = 0.0, ""

        def report(share: float, message: str) -> None:
            nonlocal last_report, last_step
            step = message.partition(":")[0]
            # A new step is reported at once, so that it does not begin in a job that was cancelled.
            if step != last_step or time.monotonic() - last_report >= _REPORT_INTERVAL:
                last_report, last_step = time.monotonic(), step
                job_store.report_progress(self._database, id, share, message)

        return report


def _build(terminology: Terminology, pipeline: str, progress: Progress) -> None:
    """Build missing indexes."""
    if not SearchIndex.exists(terminology):
        progress(0.1, "Building the search index")
        SearchIndex.open(terminology)
    progress(0.5, "Building the indexes")

    def report(step: str, done: int, total: int) -> None:
        progress(0.5 + 0.5 * done / max(total, 1), f"Building the indexes: {step}, {done:,} of {total:,}")

    ensure_indexes(terminology, pipeline, progress=report)


def _reason(error: Exception) -> str:
    """Why the job failed, as users read it."""
    if is_full(error):
        return (
            "The server's disk is full. The job's result was discarded; the previous model stays in use. Free some space, then "
            "start the job again."
        )
    if isinstance(error, LinnetError):
        return without_folders(in_service(error))
    if isinstance(error, MemoryError):
        return "The server has too little memory for this job."
    return f"linnet failed ({type(error).__name__}: {without_folders(str(error))}). The server's log has the details."
