"""Uploading, listing and opening documents."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, File, Form, Query, UploadFile
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError

from linnet.annotate.api.access import App, CurrentManager, CurrentUser
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.history import PageOptions, read_log
from linnet.annotate.api.schemas.base import Cursor, Id, Offset
from linnet.annotate.api.schemas.documents import (
    AnnotationPage,
    Changes,
    DocumentChange,
    DocumentList,
    DocumentSummary,
    DocumentView,
)
from linnet.annotate.api.schemas.history import LogPage
from linnet.annotate.api.schemas.imports import FileReport, ImportReport
from linnet.annotate.api.sheet_changes import SheetName
from linnet.annotate.api.views import annotation_page, changes_view, document_summary, document_view
from linnet.annotate.disk import disk_full, is_full
from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.annotations.editor import Editor, find_editor, open_editor
from linnet.annotate.domain.assignments.distribution import distribute, lacks_people
from linnet.annotate.domain.documents.listing import list_documents, summarise
from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.projects.finding import find_document, find_project
from linnet.annotate.domain.projects.visibility import seen_by
from linnet.annotate.domain.sheets import Target, readable
from linnet.annotate.domain.states import JobKind, State
from linnet.annotate.domain.uploads.adding import add_documents, hold_out
from linnet.annotate.domain.uploads.reading import ReadOptions, Report, read_received
from linnet.annotate.domain.uploads.receiving import Upload, receive
from linnet.annotate.refusals import Invalid
from linnet.annotate.store.log import log
from linnet.annotate.store.storable import unstorable
from linnet.annotate.store.tables import Document
from linnet.corpora import readers
from linnet.errors import UnknownNameError
from linnet.plural import counted

__all__ = ["router"]

router = APIRouter(tags=["documents"])

_Answer = TypeVar("_Answer")
_Limit = Annotated[int, Query(ge=1, le=500)]
_Most = Annotated[int, Query(ge=1, le=100_000)]
_Word = Annotated[str, Form(max_length=200)]


@router.post("/projects/{project}/documents", status_code=201)
def upload(
    app: App,
    user: CurrentManager,
    project: Id,
    files: Annotated[
        list[UploadFile], File(description="Corpus files or texts, also as gzip files or in zip archives.")
    ],
    format: Annotated[_Word, Form(description="From `GET /api/formats`; left out: from the content.")] = "",
    column: Annotated[_Word, Form(description="Column of the text, in a table.")] = "",
    id_column: Annotated[_Word, Form(description="Column of the document's id, in a table.")] = "",
    by_line: Annotated[bool, Form(description="Each line of a plain text is a document.")] = False,
    annotations: Annotated[
        Literal["keep", "drop"], Form(description="What to do with annotations in the files.")
    ] = "keep",
    complete: Annotated[
        bool,
        Form(
            description="In documents that come with annotations, every mention is annotated: accept them, unless a part of "
            "their file cannot be read."
        ),
    ] = False,
) -> ImportReport:
    """Upload documents; a job then predicts in them. Without `format`, it is detected from the content."""
    if format and format not in readers:
        raise UnknownNameError("corpus format", format, readers)
    options = ReadOptions(format or None, column or None, id_column or None, by_line, annotations == "keep")
    with app.database.read() as session:
        terminology = app.terminologies.open(find_project(session, project).terminology)
        last = session.scalar(select(func.max(Document.id)).where(Document.project_id == project)) or 0
    reports: list[Report] = []
    try:
        with tempfile.TemporaryDirectory(prefix="linnet-upload-", ignore_cleanup_errors=True) as folder:
            uploads = (Upload(file.filename or "file", file.file) for file in files)
            for received in receive(uploads, Path(folder)):
                reports.append(report := Report(name=received.name))
                add_documents(
                    app.database,
                    project,
                    read_received(received, options, report),
                    report,
                    by=user.name,
                    terminology=terminology,
                    complete=complete,
                )
    except (OSError, DBAPIError) as error:
        if not is_full(error):
            raise
        predicted = _predict_on_full_disk(app, project, user, reports)
        raise disk_full(_kept(reports, predicted=predicted)) from error
    held_out = hold_out(app.database, project, last) if _added(reports) else 0
    if _added(reports):
        _assign(app, project, user)
    job = _predict(app, project, user) if _added(reports) else None
    return ImportReport(
        documents=_added(reports),
        mentions=sum(report.mentions for report in reports),
        accepted=sum(report.accepted for report in reports),
        held_out=held_out,
        failed=sum(bool(report.refused) and not report.documents for report in reports),
        files=[FileReport.model_validate(report) for report in reports],
        job=job,
    )


@router.get("/projects/{project}/documents")
def all_documents(
    app: App,
    user: CurrentUser,
    project: Id,
    state: Annotated[list[State] | None, Query()] = None,
    held_out: Annotated[bool | None, Query()] = None,
    search: Annotated[str, Query(max_length=200)] = "",
    assigned: Annotated[
        str,
        Query(
            max_length=64,
            description="Only documents assigned to this member; @me for your own; @nobody for those without one.",
        ),
    ] = "",
    order: Annotated[Literal["queue", "name", "confidence", "probability", "id"], Query()] = "queue",
    offset: Annotated[Offset, Query()] = 0,
    limit: _Limit = 50,
) -> DocumentList:
    """List the documents of a project."""
    _check_search(search)
    return _listed(
        app,
        user,
        project,
        list(state or ()),
        offset,
        limit,
        held_out=held_out,
        search=search,
        order=order,
        assigned=assigned,
    )


@router.get("/projects/{project}/queue")
def queue(
    app: App,
    user: CurrentUser,
    project: Id,
    offset: Annotated[Offset, Query()] = 0,
    limit: _Limit = 50,
) -> DocumentList:
    """List the open documents in the order of the project's strategy, held-out ones last; where documents are assigned, yours."""
    return _listed(app, user, project, [State.OPEN], offset, limit, assigned="@me")


@router.get("/documents/{document}")
def one_document(
    app: App,
    user: CurrentUser,
    document: Id,
    sheet: SheetName = None,
    limit: Annotated[
        _Most | None, Query(description="At most this many annotations; without it, all.")
    ] = None,
) -> DocumentView:
    """Open a document. In an independent project this creates your own sheet."""
    return _looked(
        app,
        readable(user, document, sheet),
        lambda editor: document_view(editor, app.names_of(editor.project), limit=limit),
    )


@router.get("/documents/{document}/annotations")
def annotations_of(
    app: App,
    user: CurrentUser,
    document: Id,
    after: Annotated[
        Cursor | None, Query(description="`more` of the previous page; without it, the first.")
    ] = None,
    limit: _Most = 5000,
    sheet: SheetName = None,
) -> AnnotationPage:
    """Page through a document's annotations, in text order."""
    return _looked(
        app,
        readable(user, document, sheet),
        lambda editor: annotation_page(editor, after or "", app.names_of(editor.project), limit=limit),
    )


@router.get("/documents/{document}/changes")
def changes_of(
    app: App,
    user: CurrentUser,
    document: Id,
    since: Annotated[Offset, Query()],
    limit: _Most = 5000,
    sheet: SheetName = None,
) -> Changes:
    """What changed in a document since a revision. If more than `limit` annotations did, `complete` is false and none are listed."""
    return _looked(
        app,
        readable(user, document, sheet),
        lambda editor: changes_view(editor, since, app.names_of(editor.project), limit=limit),
    )


@router.patch("/documents/{document}")
def changed_document(app: App, user: CurrentManager, document: Id, body: DocumentChange) -> DocumentSummary:
    """Hold a document out for measuring, or stop doing so."""
    with app.database.write() as session:
        editor = open_editor(session, document, user.name, lock=False)
        if editor.document.held_out != body.held_out:
            editor.document.held_out = body.held_out
            changes = {"held_out": [not body.held_out, body.held_out]}
            log(
                session,
                "document.change",
                by=user.name,
                project=editor.project,
                document=document,
                changes=changes,
            )
        [summary] = summarise(session, editor.project, [(editor.document, editor.sheet)])
        return document_summary(summary, app.names_of(editor.project))


@router.delete("/documents/{document}", status_code=204)
def remove_document(app: App, user: CurrentManager, document: Id) -> None:
    """Remove a document and its annotations. Its log entries stay."""
    with app.database.write() as session:
        row = find_document(session, document)
        project = find_project(session, row.project_id)
        log(
            session,
            "document.remove",
            by=user.name,
            project=project,
            document=document,
            changes={"name": row.name},
        )
        session.delete(row)


@router.get("/documents/{document}/log")
def document_log(app: App, user: CurrentUser, document: Id, options: PageOptions) -> LogPage:
    """Who changed what in a document and when, newest first."""
    with app.database.read() as session:
        project = find_project(session, find_document(session, document).project_id)
        return read_log(session, app, project, user, options, document=document)


def _listed(
    app: AppState, user: SignedIn, project: int, states: list[str], offset: int, limit: int, **options: Any
) -> DocumentList:
    with app.database.read() as session:
        row = find_project(session, project)
        total, summaries = list_documents(
            session, row, user.name, states=states, offset=offset, limit=limit, **options
        )
        hidden = seen_by(row, user) is not None
        names = app.names_of(row)
    documents = [document_summary(summary, names) for summary in summaries]
    if hidden:  # independent annotators do not learn who else annotates a document
        for document in documents:
            document.assigned = [name for name in document.assigned if name == user.name]
    return DocumentList(total=total, offset=offset, documents=documents)


def _added(reports: Sequence[Report]) -> int:
    return sum(report.documents for report in reports)


def _assign(app: AppState, project: int, user: SignedIn) -> None:
    """Assign what was added; where too few people take part, it waits for a manager."""
    with app.database.write() as session:
        row = find_project(session, project)
        if row.per_document and not lacks_people(session, row):
            distribute(session, row, by=user.name)


def _predict(app: AppState, project: int, user: SignedIn) -> int:
    """Start a job that predicts in documents without predictions; returns its id."""
    with app.database.write() as session:
        row = find_project(session, project)
        return enqueue(session, row, JobKind.PREDICT, by=user.name, options={"fresh": True}).id


def _predict_on_full_disk(app: AppState, project: int, user: SignedIn, reports: Sequence[Report]) -> bool:
    """Start predicting in what was added before the disk was full; False if there is no room even for that."""
    if not _added(reports):
        return False
    try:
        _predict(app, project, user)
    except (OSError, DBAPIError) as error:
        if not is_full(error):
            raise
        return False
    return True


def _kept(reports: Sequence[Report], *, predicted: bool) -> str:
    """What was added before the upload stopped. predicted: a job predicts in it."""
    if not (added := _added(reports)):
        return "No document was added."
    predict = "" if predicted else " Then choose “Predict again” on the page Training."
    return (
        f"{counted(added, 'documents')} of the upload had been added by then, to be checked; the others were not. When "
        f"there is room, upload the same files again: documents already in the project are skipped.{predict}"
    )


def _looked(app: AppState, target: Target, look: Callable[[Editor], _Answer]) -> _Answer:
    """Read a sheet; the user's own and the curated one are made when they are first opened."""
    with app.database.read() as session:
        if (editor := find_editor(session, *target)) is not None:
            return look(editor)
    with app.database.write() as session:
        return look(target.open(session, lock=False))


def _check_search(text: str) -> None:
    if character := unstorable(text):
        raise Invalid("The search contains an invalid character.", fields={"search": character})
