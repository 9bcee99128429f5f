"""An upload: received, read, added, held out in part, assigned, and predicted in."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError

from linnet.annotate.disk import disk_full, is_full
from linnet.annotate.domain.assignments.distribution import distribute, lacks_people
from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import JobKind
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.domain.uploads.adding import add_documents, hold_out
from linnet.annotate.domain.uploads.reading import FileReport, ReadOptions, read_received
from linnet.annotate.domain.uploads.receiving import Upload, receive
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Document
from linnet.corpora import readers
from linnet.errors import UnknownNameError
from linnet.plural import counted

__all__ = ["ImportReport", "upload"]


class ImportReport(NamedTuple):
    """Result of an upload."""

    documents: int
    mentions: int
    accepted: int
    held_out: int
    failed: int
    files: list[FileReport]
    job: int | None


def upload(
    database: Database,
    terminologies: Terminologies,
    id: int,
    uploads: Iterable[Upload],
    options: ReadOptions,
    *,
    complete: bool,
    by: str,
) -> ImportReport:
    """Add files to a project; a job then predicts in them. complete: see `add_documents`.

    Raises NotFound, UnknownNameError for an unknown format, TooLarge, and DiskFull, which says what was added before.
    """
    if options.format and options.format not in readers:
        raise UnknownNameError("corpus format", options.format, readers)
    with database.read() as session:
        terminology = terminologies.open(find_project(session, id).terminology)
        last = session.scalar(select(func.max(Document.id)).where(Document.project_id == id)) or 0
    reports: list[FileReport] = []
    try:
        with tempfile.TemporaryDirectory(prefix="linnet-upload-", ignore_cleanup_errors=True) as folder:
            for received in receive(uploads, Path(folder)):
                reports.append(report := FileReport(name=received.name))
                documents = read_received(received, options, report)
                add_documents(
                    database, id, documents, report, by=by, terminology=terminology, complete=complete
                )
    except (OSError, DBAPIError) as error:
        if not is_full(error):
            raise
        raise disk_full(_kept(database, id, reports, by)) from error
    added = _added(reports)
    held_out = hold_out(database, id, last) if added else 0
    return ImportReport(
        documents=added,
        mentions=sum(report.mentions for report in reports),
        accepted=sum(report.accepted for report in reports),
        held_out=held_out,
        failed=sum(bool(report.refused) and not report.documents for report in reports),
        files=reports,
        job=_follow_up(database, id, by) if added else None,
    )


def _added(reports: Sequence[FileReport]) -> int:
    return sum(report.documents for report in reports)


def _follow_up(database: Database, id: int, by: str) -> int:
    """Assign what was added, unless too few people take part, and start a job that predicts in it; returns its id."""
    with database.write() as session:
        project = find_project(session, id)
        if project.per_document and not lacks_people(session, project):
            distribute(session, project, by=by)
        return enqueue(session, project, JobKind.PREDICT, by=by, options={"fresh": True}).id


def _kept(database: Database, id: int, reports: Sequence[FileReport], by: str) -> str:
    """What was added before the disk was full; a job predicts in it if there is room for that."""
    if not (added := _added(reports)):
        return "No document was added."
    predict = ""
    try:
        with database.write() as session:
            project = find_project(session, id)
            enqueue(session, project, JobKind.PREDICT, by=by, options={"fresh": True})
    except (OSError, DBAPIError) as error:
        if not is_full(error):
            raise
        predict = " Then choose “Predict again” on the page Training."
    return (
        f"{counted(added, 'documents')} of the upload had been added by then, to be checked; the others were not. When "
        f"there is room, upload the same files again: documents already in the project are skipped.{predict}"
    )
