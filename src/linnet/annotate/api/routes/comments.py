"""Comments on documents and mentions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.schemas.base import Id, Offset
from linnet.annotate.api.schemas.comments import (
    Comment,
    CommentChange,
    CommentList,
    NewComment,
    NewReply,
    Thread,
)
from linnet.annotate.domain import comments
from linnet.annotate.domain.comments import Discuss

__all__ = ["router"]

router = APIRouter(tags=["comments"])


@router.get("/projects/{project}/comments")
def of_project(
    app: App,
    user: CurrentUser,
    project: Id,
    discuss: Annotated[Discuss | None, Query(description="Only threads in this state.")] = None,
    offset: Annotated[Offset, Query()] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> CommentList:
    """List the threads of a project, the latest first. In an independent project, annotators get those that they or curators began."""
    with app.database.read() as session:
        total, found = comments.list_threads(
            session, user, project, discuss=discuss, offset=offset, limit=limit
        )
        waiting, _ = comments.list_threads(session, user, project, discuss=Discuss.OPEN, limit=1)
        return CommentList(
            total=total, offset=offset, open=waiting, threads=[_thread(thread) for thread in found]
        )


@router.get("/documents/{document}/comments")
def of_document(app: App, user: CurrentUser, document: Id) -> list[Thread]:
    """List the threads of a document: those about the whole of it first, then in text order."""
    with app.database.read() as session:
        found = comments.threads_of(session, user, document)
        return [_thread(thread) for thread in found]


@router.post("/documents/{document}/comments", status_code=201)
def begun(app: App, user: CurrentUser, document: Id, body: NewComment) -> Thread:
    """Comment on a document, or on a place in its text. The same again, right after, changes nothing."""
    with app.database.write() as session:
        return _thread(
            comments.begin(session, user, document, body.text, span=body.span, discuss=body.discuss)
        )


@router.post("/documents/{document}/comments/{comment}/replies", status_code=201)
def answered(app: App, user: CurrentUser, document: Id, comment: Id, body: NewReply) -> Thread:
    """Answer a thread. The same again, right after, changes nothing."""
    with app.database.write() as session:
        return _thread(comments.reply(session, user, document, comment, body.text))


@router.patch("/documents/{document}/comments/{comment}")
def changed(app: App, user: CurrentUser, document: Id, comment: Id, body: CommentChange) -> Thread:
    """Change your own comment, or whether a thread is to be discussed."""
    with app.database.write() as session:
        return _thread(
            comments.change(session, user, document, comment, text=body.text, discuss=body.discuss)
        )


@router.delete("/documents/{document}/comments/{comment}", status_code=204)
def removed(app: App, user: CurrentUser, document: Id, comment: Id) -> None:
    """Remove your own comment, unless others have answered it; managers remove any, with its answers. The log keeps the text."""
    with app.database.write() as session:
        comments.remove(session, user, document, comment)


def _thread(thread: comments.Thread) -> Thread:
    first = thread.first
    return Thread.of(
        first,
        document=first.document_id,
        name=thread.document.name,
        about=thread.text,
        discuss=Discuss(first.discuss or Discuss.NO),
        comments=[Comment.of(comment) for comment in (first, *thread.replies)],
    )
