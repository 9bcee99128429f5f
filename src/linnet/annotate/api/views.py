"""From rows to replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Row, select

from linnet.annotate.api.schemas.documents import (
    Annotation,
    Change,
    DocumentSummary,
    DocumentView,
    Layer,
    State,
)
from linnet.annotate.editing.collisions import entries_since
from linnet.annotate.editing.desk import Desk
from linnet.annotate.editing.listing import Summary, neighbours, summary_of
from linnet.annotate.editing.undo import stacks, stacks_after
from linnet.annotate.store import tables

__all__ = ["annotation_view", "change_view", "document_summary", "document_view"]

Names = Callable[[str], str]


def annotation_view(row: tables.Annotation | Row[Any], text: str, names: Names) -> Annotation:
    """An annotation with the text of its span and the names of its concepts."""
    return Annotation(
        id=row.id,
        start=row.start,
        end=row.end,
        text=text[row.start : row.end],
        layer=Layer(row.layer),
        type=row.type,
        concepts=row.concepts,
        names=[names(id) for id in row.concepts],
        nil=row.nil,
        composite=row.composite,
        confidence=row.confidence,
        probability=row.probability,
        author=row.author,
        model=row.model,
        revision=row.revision,
        changed=row.changed,
    )


def document_summary(summary: Summary) -> DocumentSummary:
    """A document in a list."""
    document = summary.document
    return DocumentSummary(
        id=document.id,
        project=document.project_id,
        name=document.name,
        title=document.title,
        characters=document.characters,
        state=State(summary.state),
        held_out=document.held_out,
        confidence=document.confidence,
        gold=summary.counts.get("gold", 0),
        user=summary.counts.get("user", 0),
        predicted=summary.counts.get("pred", 0),
        annotators=summary.annotators,
        revision=summary.revision,
    )


def document_view(desk: Desk, names: Names) -> DocumentView:
    """A document to work on."""
    annotations = desk.shown()
    waiting = stacks(desk)
    before, after = neighbours(desk)
    return DocumentView(
        **dict(document_summary(summary_of(desk, annotations))),
        text=desk.document.text,
        annotations=_views(desk, annotations, names),
        can_undo=bool(waiting.undo),
        can_redo=bool(waiting.redo),
        previous=before,
        next=after,
    )


def change_view(desk: Desk, since: int, done: tables.LogEntry | None, names: Names) -> Change:
    """What changed on a sheet after a revision. done: the last of it, what the desk's own request logged, if anything."""
    alone = done is not None and since == desk.sheet.revision - 1
    entries = [done] if done is not None and alone else entries_since(desk, since)
    touched = {one["id"] for entry in entries for one in entry.changes.get("annotations", ())}
    if alone:  # what was touched is in the session's hands
        rows = [row for id in touched if (row := desk.annotation(id)) is not None]
        changed = sorted(rows, key=lambda row: (row.start, row.id))
    else:
        query = select(tables.Annotation).where(
            tables.Annotation.sheet_id == desk.sheet.id, tables.Annotation.revision > since
        )
        ordered = query.order_by(tables.Annotation.start, tables.Annotation.id)
        changed = list(desk.session.scalars(ordered))
    gone = touched.union(*(entry.changes.get("removed", ()) for entry in entries))
    waiting = stacks_after(desk, done)
    return Change(
        revision=desk.sheet.revision,
        state=State(desk.sheet.state),
        changed=_views(desk, changed, names),
        removed=sorted(gone - {one.id for one in changed}),
        can_undo=bool(waiting.undo),
        can_redo=bool(waiting.redo),
    )


def _views(desk: Desk, rows: Iterable[tables.Annotation | Row[Any]], names: Names) -> list[Annotation]:
    text = desk.document.text
    return [annotation_view(row, text, names) for row in rows]
