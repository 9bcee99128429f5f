"""Reading the log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from sqlalchemy import case, select
from sqlalchemy.orm import Session

from linnet.annotate.accounts.sessions import SignedIn
from linnet.annotate.api.schemas.history import LogEntry, LogPage
from linnet.annotate.store import tables

__all__ = ["read_log", "seen_by"]


def seen_by(project: tables.Project, user: SignedIn) -> list[str] | None:
    """Owners of the sheets that somebody may see, None for all: of independent annotators, admins alone see what others did."""
    return None if project.mode == "shared" or user.admin else ["", user.name]


def read_log(
    session: Session,
    names: Callable[[str], str],
    *,
    project: int | None = None,
    document: int | None = None,
    before: int | None = None,
    limit: int = 100,
    annotations: int | None = None,
    owners: Collection[str] | None = None,
) -> LogPage:
    """Entries of a project or document, newest first, from before an id on.

    names        preferred names of concepts by their ids
    annotations  at most so many of each entry, None for all
    owners       of sheets that are not left out, None for all: whoever annotates on their own is not to see what others did
    """
    query = select(tables.LogEntry)
    if project is not None:
        query = query.where(tables.LogEntry.project_id == project)
    if document is not None:
        query = query.where(tables.LogEntry.document_id == document)
    if owners is not None:
        seen = select(tables.Sheet.id).where(tables.Sheet.owner.in_(owners))
        query = query.where(tables.LogEntry.sheet_id.is_(None) | tables.LogEntry.sheet_id.in_(seen))
    if before is not None:
        query = query.where(tables.LogEntry.id < before)
    rows = session.scalars(query.order_by(tables.LogEntry.id.desc()).limit(limit + 1)).all()
    documents = _documents(session, rows[:limit])
    entries = [_entry(row, documents.get(row.document_id or 0), names, annotations) for row in rows[:limit]]
    return LogPage(entries=entries, before=entries[-1].id if len(rows) > limit else None)


class _Named(NamedTuple):
    name: str
    text: str  # "" where no entry is about its annotations


def _documents(session: Session, rows: Sequence[tables.LogEntry]) -> dict[int, _Named]:
    """Of those that are still there."""
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
