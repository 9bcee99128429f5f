"""Uploading, listing and opening documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, File, Form, Query, UploadFile

from linnet.annotate.api.access import App, CurrentManager, CurrentUser
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.history import PageOptions, read_log
from linnet.annotate.api.schemas.base import Cursor, Id, Offset, reply
from linnet.annotate.api.schemas.documents import (
    AnnotationPage,
    Changes,
    DocumentChange,
    DocumentList,
    DocumentSummary,
    DocumentView,
)
from linnet.annotate.api.schemas.history import LogPage
from linnet.annotate.api.sheet_changes import SheetName
from linnet.annotate.api.views import annotation_page, changes_view, document_summary, document_view
from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.annotations.editor import Editor, find_editor
from linnet.annotate.domain.documents.changing import change_document
from linnet.annotate.domain.documents.changing import remove_document as delete_document
from linnet.annotate.domain.documents.listing import list_documents
from linnet.annotate.domain.projects.finding import find_document, find_project
from linnet.annotate.domain.sheets import Target, readable
from linnet.annotate.domain.states import State
from linnet.annotate.domain.uploads.reading import ReadOptions
from linnet.annotate.domain.uploads.receiving import Upload
from linnet.annotate.domain.uploads.upload import ImportReport
from linnet.annotate.domain.uploads.upload import upload as add_upload

__all__ = ["router"]

router = APIRouter(tags=["documents"])

_Answer = TypeVar("_Answer")
_Limit = Annotated[int, Query(ge=1, le=500)]
_Most = Annotated[int, Query(ge=1, le=100_000)]
_Word = Annotated[str, Form(max_length=200)]


@router.post("/projects/{project}/documents", status_code=201, response_model=reply(ImportReport))
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
    options = ReadOptions(format or None, column or None, id_column or None, by_line, annotations == "keep")
    uploads = (Upload(file.filename or "file", file.file) for file in files)
    return add_upload(
        app.database, app.terminologies, project, uploads, options, complete=complete, by=user.name
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
    options = {"held_out": held_out, "search": search, "order": order, "assigned": assigned}
    return _listed(app, user, project, offset, states=state or (), limit=limit, **options)


@router.get("/projects/{project}/queue")
def queue(
    app: App,
    user: CurrentUser,
    project: Id,
    offset: Annotated[Offset, Query()] = 0,
    limit: _Limit = 50,
) -> DocumentList:
    """List the open documents in the order of the project's strategy, held-out ones last; where documents are assigned, yours."""
    return _listed(app, user, project, offset, states=[State.OPEN], limit=limit, assigned="@me")


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
        summary = change_document(session, document, held_out=body.held_out, by=user.name)
        project = find_project(session, summary.document.project_id)
        return document_summary(summary, app.names_of(project))


@router.delete("/documents/{document}", status_code=204)
def remove_document(app: App, user: CurrentManager, document: Id) -> None:
    """Remove a document and its annotations. Its log entries stay."""
    with app.database.write() as session:
        delete_document(session, document, by=user.name)


@router.get("/documents/{document}/log")
def document_log(app: App, user: CurrentUser, document: Id, options: PageOptions) -> LogPage:
    """Who changed what in a document and when, newest first."""
    with app.database.read() as session:
        project = find_project(session, find_document(session, document).project_id)
        return read_log(session, app, project, user, options, document=document)


def _listed(app: AppState, user: SignedIn, project: int, offset: int, **options: Any) -> DocumentList:
    with app.database.read() as session:
        row = find_project(session, project)
        total, summaries = list_documents(session, row, user, offset=offset, **options)
        names = app.names_of(row)
    documents = [document_summary(summary, names) for summary in summaries]
    return DocumentList(total=total, offset=offset, documents=documents)


def _looked(app: AppState, target: Target, look: Callable[[Editor], _Answer]) -> _Answer:
    """Read a sheet; the user's own and the curated one are made when they are first opened."""
    with app.database.read() as session:
        if (editor := find_editor(session, *target)) is not None:
            return look(editor)
    with app.database.write() as session:
        return look(target.open(session, lock=False))
