"""The log of a project or a document, page by page, as far as a user may see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from fastapi import Depends, Query
from sqlalchemy import case, select
from sqlalchemy.orm import Session

from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.schemas.base import Offset
from linnet.annotate.api.schemas.history import LogEntry, LogPage
from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.projects.visibility import entries_seen
from linnet.annotate.store import tables

__all__ = ["PageOptions", "read_log"]


@dataclass(frozen=True, slots=True)
class _PageOptions:
    before: Annotated[Offset | None, Query()] = None
    limit: Annotated[int, Query(ge=1, le=500)] = 100
    annotations: Annotated[
        int | None, Query(ge=1, le=100_000, description="At most this many per entry.")
    ] = None


PageOptions = Annotated[_PageOptions, Depends()]
"""Query parameters: entries before this id, at most `limit`, each with at most so many annotations."""


def read_log(
    session: Session,
    app: AppState,
    project: tables.Project,
    user: SignedIn,
    options: _PageOptions,
    *,
    document: int | None = None,
) -> LogPage:
    """Entries that the user may see of a project, or of one of its documents, newest first."""
    limit = options.limit
    query = entries_seen(project, user)
    if document is not None:
        query = query.where(tables.LogEntry.document_id == document)
    if options.before is not None:
        query = query.where(tables.LogEntry.id < options.before)
    rows = session.scalars(query.order_by(tables.LogEntry.id.desc()).limit(limit + 1)).all()
    documents = _documents(session, rows[:limit])
    names = app.names_of(project)
    most = options.annotations
    entries = [_entry(row, documents.get(row.document_id or 0), names, most) for row in rows[:limit]]
    return LogPage(entries=entries, before=entries[-1].id if len(rows) > limit else None)


class _Named(NamedTuple):
    name: str
    text: str  # "" if no entry is about its annotations


def _documents(session: Session, rows: Sequence[tables.LogEntry]) -> dict[int, _Named]:
    """Name and text of the documents that still exist, by id."""
    table = tables.Document
    wanted = {row.document_id for row in rows if row.document_id is not None}
    read = {row.document_id for row in rows if row.changes.get("annotations")}
    text = case((table.id.in_(read), table.text), else_="")
    query = select(table.id, table.name, text.label("text")).where(table.id.in_(wanted))
    return {row.id: _Named(row.name, row.text) for row in session.execute(query)}


def _entry(
    row: tables.LogEntry, document: _Named | None, names: Callable[[str], str], most: int | None
) -> LogEntry:
    changes = dict(row.changes)
    changed = changes.get("annotations") or []
    if changed:
        changes["annotations"] = changed[:most]
    states = [state for change in changed[:most] for state in (change["before"], change["after"]) if state]
    ids = {id for state in states for id in state["concepts"]}
    return LogEntry.of(
        row,
        document=row.document_id,
        document_name=document.name if document else "",
        changes=changes,
        annotations=len(changed),
        texts={
            f"{state['start']}-{state['end']}": document.text[state["start"] : state["end"]]
            for state in states
            if document
        },
        names={id: name for id in sorted(ids) if (name := names(id))},
    )
