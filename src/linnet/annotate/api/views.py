"""Documents, annotations and changes as replies, made of rows of the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import Row

from linnet.annotate.api.schemas.documents import (
    Annotation,
    AnnotationPage,
    Change,
    Changes,
    DocumentSummary,
    DocumentView,
    PredictedMention,
    Section,
)
from linnet.annotate.domain.annotations.collisions import entries_since
from linnet.annotate.domain.annotations.editor import BULK, Editor
from linnet.annotate.domain.annotations.undo import stacks, stacks_after
from linnet.annotate.domain.assignments.assignments import may_annotate
from linnet.annotate.domain.documents.listing import Summary, neighbours, summarise, summary_of
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.store import tables
from linnet.annotate.store.columns import LARGEST
from linnet.read.sections import sections

__all__ = [
    "annotation_page",
    "annotation_view",
    "change_view",
    "changes_view",
    "document_summary",
    "document_view",
]

Names = Callable[[str], str]


def annotation_view(row: tables.Annotation | Row[Any], text: str, names: Names) -> Annotation:
    """An annotation with the text of its span and the names of its concepts."""
    return Annotation.of(row, text=text[row.start : row.end], names=[names(id) for id in row.concepts])


def document_summary(summary: Summary, names: Names) -> DocumentSummary:
    """A document in a list."""
    return DocumentSummary.of(
        summary.document,
        project=summary.document.project_id,
        state=summary.state,
        probability=summary.probability,
        gold=summary.counts[Layer.GOLD],
        user=summary.counts[Layer.USER],
        predicted=summary.counts[Layer.PRED],
        annotators=summary.annotators,
        assigned=summary.assigned,
        revision=summary.revision,
        predictions=[
            PredictedMention.of(row, names=[names(id) for id in row.concepts]) for row in summary.predictions
        ],
    )


def document_view(editor: Editor, names: Names, *, limit: int | None = None) -> DocumentView:
    """A document to work on, with at most `limit` annotations."""
    annotations, last = editor.shown(limit=limit)
    if last is None:
        summary = summary_of(editor, annotations)
    else:
        [summary] = summarise(editor.session, editor.project, [(editor.document, editor.sheet)])
    waiting = stacks(editor)
    before, after = neighbours(editor)
    return DocumentView(
        **dict(document_summary(summary, names)) | {"assigned": []},
        text=editor.document.text,
        sections=[Section.model_validate(at) for at in sections(editor.document.text)],
        annotations=_views(editor, annotations, names),
        more=_cursor(last),
        can_undo=bool(waiting.undo),
        can_redo=bool(waiting.redo),
        previous=before,
        next=after,
        yours=may_annotate(editor.session, editor.project, editor.document.id, editor.by),
    )


def change_view(
    editor: Editor, since: int, done: tables.LogEntry | None, names: Names, *, limit: int | None = None
) -> Change:
    """What changed on a sheet after a revision.

    done   the entry that this request logged, if any
    limit  if more annotations changed, none are listed
    """
    alone = done is not None and since == editor.sheet.revision - 1
    complete = since <= editor.sheet.revision
    changed: Sequence[tables.Annotation | Row[Any]] = ()
    gone: set[int] = set()
    if complete and (limit is None or _changes(editor, since, done if alone else None) <= limit):
        entries = [done] if done is not None and alone else entries_since(editor, since)
        touched = {change["id"] for entry in entries for change in entry.changes.get("annotations", ())}
        if alone and len(touched) <= BULK:  # the session has these rows already
            rows = [row for id in touched if (row := editor.annotation(id)) is not None]
            changed = sorted(rows, key=lambda row: (row.start, row.id))
        else:
            changed = editor.shown_since(since)
        gone = touched.union(*(entry.changes.get("removed", ()) for entry in entries))
    else:
        complete = False
    waiting = stacks_after(editor, done)
    return Change(
        revision=editor.sheet.revision,
        state=State(editor.sheet.state),
        changed=_views(editor, changed, names),
        removed=sorted(gone - {row.id for row in changed}),
        complete=complete,
        can_undo=bool(waiting.undo),
        can_redo=bool(waiting.redo),
    )


def _changes(editor: Editor, since: int, done: tables.LogEntry | None) -> int:
    """Number of annotations that changed: by one entry of the log, or since a revision."""
    if done is not None:
        return len(done.changes.get("annotations", ()))
    return editor.count(since=since)


def annotation_page(editor: Editor, after: str, names: Names, *, limit: int) -> AnnotationPage:
    """A page of at most `limit` annotations. after: end of the previous page, "" for the first page."""
    place = None
    if after:
        start, end, id = (min(int(number), LARGEST) for number in after.split("."))
        place = start, end, id
    rows, last = editor.shown(limit=limit, after=place)
    return AnnotationPage(
        revision=editor.sheet.revision, annotations=_views(editor, rows, names), more=_cursor(last)
    )


def changes_view(editor: Editor, since: int, names: Names, *, limit: int) -> Changes:
    """What changed on a sheet after a revision. limit: as for `change_view`."""
    before, after = neighbours(editor)
    return Changes(**dict(change_view(editor, since, None, names, limit=limit)), previous=before, next=after)


def _cursor(last: tuple[int, int, int] | None) -> str | None:
    return ".".join(map(str, last)) if last is not None else None


def _views(editor: Editor, rows: Iterable[tables.Annotation | Row[Any]], names: Names) -> list[Annotation]:
    text = editor.document.text
    return [annotation_view(row, text, names) for row in rows]
