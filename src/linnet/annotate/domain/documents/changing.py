"""Changing a document itself, and removing it."""

from __future__ import annotations

from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations.editor import open_editor
from linnet.annotate.domain.documents.listing import Summary, summarise
from linnet.annotate.domain.projects.finding import find_document, find_project
from linnet.annotate.store.log import log

__all__ = ["change_document", "remove_document"]


def change_document(session: Session, id: int, *, held_out: bool, by: str) -> Summary:
    """Hold a document out for measuring, or stop doing so. Raises NotFound."""
    editor = open_editor(session, id, by, lock=False)
    row = editor.document
    if row.held_out != held_out:
        row.held_out = held_out
        changes = {"held_out": [not held_out, held_out]}
        log(session, "document.change", by=by, project=editor.project, document=id, changes=changes)
    [summary] = summarise(session, editor.project, [(row, editor.sheet)])
    return summary


def remove_document(session: Session, id: int, *, by: str) -> None:
    """Remove a document and its annotations; its log entries stay. Raises NotFound."""
    row = find_document(session, id)
    project = find_project(session, row.project_id)
    log(session, "document.remove", by=by, project=project, document=id, changes={"name": row.name})
    session.delete(row)
