"""Which documents are assigned to whom, and what follows from it.

Assignments count in projects whose `per_document` is not 0. There, annotators change only documents that are assigned to them, and
whoever takes part has a queue of their own.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Select, select, true
from sqlalchemy.orm import Session

from linnet.annotate.domain.states import ProjectRole, State
from linnet.annotate.refusals import Forbidden
from linnet.annotate.store.tables import Assignment, Document, Member, Project, Sheet, User

__all__ = [
    "assigned_to",
    "finished",
    "in_queue",
    "may_annotate",
    "names_by_document",
    "refuse_unassigned",
]


def in_queue(session: Session, project: Project, by: str) -> ColumnElement[bool]:
    """Whether a document is in a user's queue: it is assigned to them, if they have a queue of their own; else every document is."""
    if not project.per_document:
        return true()
    member = _member(session, project, by)
    if member is None or (member.role != ProjectRole.ANNOTATOR and not member.takes_part):
        return true()
    return Document.id.in_(_assigned(member.user_id))


def assigned_to(name: str) -> ColumnElement[bool]:
    """Whether a document is assigned to a member; name: "@nobody" for to nobody."""
    if name == "@nobody":
        return Document.id.not_in(select(Assignment.document_id))
    holder = select(User.id).where(User.name == name).scalar_subquery()
    return Document.id.in_(select(Assignment.document_id).where(Assignment.user_id == holder))


def _member(session: Session, project: Project, by: str) -> Member | None:
    query = select(Member).join(User).where(Member.project_id == project.id, User.name == by)
    return session.scalars(query).one_or_none()


def _assigned(user: int) -> Select[int]:
    return select(Assignment.document_id).where(Assignment.user_id == user)


def refuse_unassigned(session: Session, project: Project, document: int, by: str) -> None:
    """Raise Forbidden for an annotator who changes a document that is assigned to others only."""
    if may_annotate(session, project, document, by):
        return
    raise Forbidden(
        "This document is not assigned to you. You can read it and comment on it. To annotate it, ask a manager to assign it to you."
    )


def may_annotate(session: Session, project: Project, document: int, by: str) -> bool:
    """Whether a user may change annotations of a document: curators and managers always."""
    if not project.per_document:
        return True
    member = _member(session, project, by)
    if member is None or member.role != ProjectRole.ANNOTATOR:
        return True
    own = _assigned(member.user_id).where(Assignment.document_id == document)
    return session.scalar(own) is not None


def names_by_document(session: Session, documents: Collection[int]) -> dict[int, list[str]]:
    """Names of those to whom documents are assigned, in the order of the alphabet."""
    query = select(Assignment.document_id, User.name).join(User)
    names: dict[int, list[str]] = {}
    query = query.where(Assignment.document_id.in_(documents)).order_by(User.key)
    for document, name in session.execute(query):
        names.setdefault(document, []).append(name)
    return names


def finished(project: Project) -> Select[int, str]:
    """A query for (document, owner) of the sheets on which nothing is left to do: accepted or skipped."""
    query = select(Sheet.document_id, Sheet.owner).join(Document)
    return query.where(Document.project_id == project.id, Sheet.state != State.OPEN)
