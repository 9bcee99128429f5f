"""Creating and finding projects."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Document, Project
from linnet.terminology import Terminology

__all__ = ["create_project", "find_document", "find_project", "refuse_taken"]


def find_project(session: Session, id: int) -> Project:
    """A project. Raises NotFound."""
    row = session.get(Project, id)
    if row is None:
        raise NotFound(f"There is no project {id}. It may have been removed.")
    return row


def find_document(session: Session, id: int, *, text: bool = False) -> Document:
    """A document. text: with its text. Raises NotFound."""
    row = session.get(Document, id, options=[undefer(Document.text)] if text else [])
    if row is None:
        raise NotFound(f"There is no document {id}. It may have been removed.")
    return row


def refuse_taken(session: Session, name: str) -> None:
    """Raise Conflict if a project has that name."""
    if session.scalar(select(Project.id).where(Project.name == name)) is not None:
        raise Conflict(f"A project '{name}' already exists. Choose another name.")


def create_project(
    session: Session,
    terminology: Terminology,
    *,
    by: str,
    name: str,
    description: str,
    terminology_name: str,
    mode: str,
    types: Sequence[str],
    labels: Sequence[str],
    strategy: str,
    held_out: float,
) -> Project:
    """A new project. Raises Conflict if the name is taken, RequestError for types that the terminology does not have.

    Without labels, the types linked to become the labels.
    """
    refuse_taken(session, name)
    terminology.select(types=list(types) or None)
    project = Project(
        name=name,
        description=description,
        terminology=terminology_name,
        terminology_digest=terminology.digest,
        mode=mode,
        types=list(dict.fromkeys(types)),
        labels=list(dict.fromkeys(labels)) or list(types) or terminology.type_names,
        strategy=strategy,
        held_out=held_out,
        created_by=by,
    )
    session.add(project)
    session.flush()
    log(
        session,
        "project.create",
        by=by,
        project=project,
        changes={"name": name, "terminology": terminology_name},
    )
    return project
