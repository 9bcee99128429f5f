"""Threads of comments: read, begun, answered and settled.

Whoever sees a thread may answer it and say whether it is settled. In an independent project annotators see the threads that they or
curators began, so they learn nothing of each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Select, case, func, or_, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.projects.finding import find_document, find_project
from linnet.annotate.domain.projects.visibility import seen_by
from linnet.annotate.refusals import Conflict, Forbidden, Invalid, NotFound
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Comment, Document

__all__ = [
    "Discuss",
    "Thread",
    "begin",
    "change",
    "list_threads",
    "remove",
    "reply",
    "threads_of",
]


class Discuss(StrEnum):
    """no: a remark. open: to be discussed. settled: it was discussed."""

    NO = "no"
    OPEN = "open"
    SETTLED = "settled"

    @property
    def stored(self) -> str:
        """As the table has it."""
        return "" if self is Discuss.NO else self.value


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with its replies, the oldest first. text: what it is about; "" for the whole document."""

    first: Comment
    replies: list[Comment]
    document: Document
    text: str


def threads_of(session: Session, user: SignedIn, document: int) -> list[Thread]:
    """The threads of a document that the user sees: those about the whole document first, then in text order. Raises NotFound."""
    row = find_document(session, document)
    order = Comment.start.is_not(None), Comment.start, Comment.end, Comment.id
    query = _seen(session, user, row.project_id).where(Comment.document_id == document).order_by(*order)
    return _threads(session, [(first, row) for first, _ in session.execute(query)])


def list_threads(
    session: Session,
    user: SignedIn,
    project: int,
    *,
    discuss: Discuss | None = None,
    offset: int = 0,
    limit: int = 50,
) -> tuple[int, list[Thread]]:
    """Number of threads of a project that the user sees, and those from `offset` on, the latest first.

    discuss  only those in this state; None for all
    """
    query = _seen(session, user, project)
    if discuss is not None:
        query = query.where(Comment.discuss == discuss.stored)
    total = session.scalar(select(func.count()).select_from(query.subquery())) or 0
    page = query.order_by(Comment.id.desc()).offset(offset).limit(limit)
    return total, _threads(session, [(first, document) for first, document in session.execute(page)])


def begin(
    session: Session, user: SignedIn, document: int, text: str, *, span: tuple[int, int] | None, discuss: bool
) -> Thread:
    """A new thread; the one there is if the same was said last, as when a lost answer is asked for again.

    Raises NotFound, and Invalid for a span outside the text.
    """
    row = find_document(session, document)
    if span is not None and not 0 <= span[0] < span[1] <= row.characters:
        raise Invalid(
            f"The comment's place, {span[0]} to {span[1]}, is not in the text, which has {row.characters:,} characters.",
            fields={"start": "outside the text"},
        )
    start, end = span or (None, None)
    same = select(Comment).where(Comment.document_id == document, Comment.author == user.name)
    last = session.scalars(same.order_by(Comment.id.desc()).limit(1)).one_or_none()
    if last is not None and (last.thread_id, last.start, last.end, last.text) == (None, start, end, text):
        return _thread(session, last)
    first = Comment(
        document_id=document,
        start=start,
        end=end,
        text=text,
        discuss=Discuss.OPEN if discuss else "",
        for_all=user.curates,
        author=user.name,
    )
    _add(session, first, {"text": text, **({"discuss": Discuss.OPEN} if discuss else {})})
    return _thread(session, first)


def reply(session: Session, user: SignedIn, document: int, comment: int, text: str) -> Thread:
    """Answer a thread; as with `begin`, nothing is said twice in a row. Raises NotFound."""
    first = _first(session, user, document, comment)
    thread = _thread(session, first)
    last = thread.replies[-1] if thread.replies else None
    if last is None or (last.author, last.text) != (user.name, text):
        answer = Comment(
            document_id=document,
            thread_id=first.id,
            start=first.start,
            end=first.end,
            text=text,
            author=user.name,
        )
        _add(session, answer, {"to": first.id, "text": text})
    return _thread(session, first)


def change(
    session: Session,
    user: SignedIn,
    document: int,
    comment: int,
    *,
    text: str | None = None,
    discuss: Discuss | None = None,
) -> Thread:
    """Change a comment's text, or whether its thread is to be discussed.

    Raises NotFound, Forbidden for the text of somebody else, and Invalid for a reply's `discuss`.
    """
    row = _seen_comment(session, user, document, comment)
    changes: dict[str, object] = {"comment": row.id}
    if text is not None and text != row.text:
        if row.author != user.name:
            raise Forbidden(f"Only {row.author} can change this comment. Answer it instead.")
        changes["text"], row.text, row.changed = [row.text, text], text, now()
    if discuss is not None and discuss.stored != row.discuss:
        if row.thread_id is not None:
            raise Invalid("A reply is not discussed by itself: change the first comment of its thread.")
        changes["discuss"], row.discuss = [row.discuss or Discuss.NO, discuss], discuss.stored
    if len(changes) > 1:
        _log(session, "comment.change", user.name, row, changes)
    return _thread(session, _first(session, user, document, comment))


def remove(session: Session, user: SignedIn, document: int, comment: int) -> None:
    """Remove a comment. Raises NotFound, Forbidden for that of somebody else, Conflict for one that others have answered."""
    row = _seen_comment(session, user, document, comment)
    if row.author != user.name and not user.manages:
        raise Forbidden(f"Only {row.author} or a manager can remove this comment.")
    others = select(Comment.id).where(Comment.thread_id == row.id, Comment.author != row.author).limit(1)
    if not user.manages and session.scalar(others) is not None:
        raise Conflict(
            "Others have answered this comment. Mark it as settled instead, or ask a manager to remove it."
        )
    changes: dict[str, object] = {"comment": row.id, "author": row.author, "text": row.text}
    _log(session, "comment.remove", user.name, row, changes)
    session.delete(row)
    session.flush()


def _seen(session: Session, user: SignedIn, project: int) -> Select[Comment, Document]:
    """A query for the first comments, with their documents, that the user sees."""
    query = select(Comment, Document).join(Document)
    query = query.where(Document.project_id == project, Comment.thread_id.is_(None))
    if seen_by(find_project(session, project), user) is not None:
        query = query.where(or_(Comment.author == user.name, Comment.for_all))
    return query


def _seen_comment(session: Session, user: SignedIn, document: int, comment: int) -> Comment:
    row = session.get(Comment, comment)
    if row is not None and row.document_id == document:
        seen = _seen(session, user, find_document(session, document).project_id)
        if session.execute(seen.where(Comment.id == (row.thread_id or row.id))).first() is not None:
            return row
    raise NotFound(f"There is no comment {comment} on this document. It may have been removed.")


def _first(session: Session, user: SignedIn, document: int, comment: int) -> Comment:
    row = _seen_comment(session, user, document, comment)
    return row if row.thread_id is None else session.get_one(Comment, row.thread_id)


def _add(session: Session, comment: Comment, changes: dict[str, object]) -> None:
    session.add(comment)
    session.flush()
    _log(session, "comment.add", comment.author, comment, {"comment": comment.id, **changes})


def _log(session: Session, action: str, by: str, comment: Comment, changes: dict[str, object]) -> None:
    row = find_document(session, comment.document_id)
    project = find_project(session, row.project_id)
    log(session, action, by=by, project=project, document=row.id, changes=changes)


def _thread(session: Session, first: Comment) -> Thread:
    [thread] = _threads(session, [(first, find_document(session, first.document_id))])
    return thread


def _threads(session: Session, firsts: Sequence[tuple[Comment, Document]]) -> list[Thread]:
    ids = [first.id for first, _ in firsts]
    replies: dict[int, list[Comment]] = {}
    for row in session.scalars(select(Comment).where(Comment.thread_id.in_(ids)).order_by(Comment.id)):
        replies.setdefault(row.thread_id or 0, []).append(row)
    about = case(
        (Comment.start.is_(None), ""),
        else_=func.substr(Document.text, Comment.start + 1, Comment.end - Comment.start),
    )
    query = select(Comment.id, about).join(Document)
    texts: dict[int, str] = dict(session.execute(query.where(Comment.id.in_(ids))).all())
    return [Thread(first, replies.get(first.id, []), document, texts[first.id]) for first, document in firsts]
