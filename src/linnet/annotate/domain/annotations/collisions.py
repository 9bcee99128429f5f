"""Conflicts: somebody else has changed what a request is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import select

from linnet.annotate.domain.annotations.editor import Editor
from linnet.annotate.domain.annotations.snapshot import Span, overlap
from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store.tables import Annotation, LogEntry

__all__ = ["entries_since", "entry_with_token", "found_annotation", "refuse_collisions"]


def entries_since(editor: Editor, revision: int) -> Sequence[LogEntry]:
    """Log entries of the sheet after a revision, oldest first."""
    query = select(LogEntry).where(LogEntry.sheet_id == editor.sheet.id, LogEntry.revision > revision)
    return editor.session.scalars(query.order_by(LogEntry.revision)).all()


def entry_with_token(editor: Editor, revision: int, token: str) -> LogEntry | None:
    """The user's change after a revision that a request with this token made; None for "" and if there is none."""
    entries = entries_since(editor, revision) if token else ()
    return next(
        (each for each in entries if each.by == editor.by and each.changes.get("token") == token), None
    )


def refuse_collisions(
    editor: Editor,
    revision: int,
    *,
    ids: Collection[int] = (),
    spans: Sequence[Span] = (),
    everything: bool = False,
) -> None:
    """Raise Conflict if the sheet changed after `revision`, the one the user saw, in a way that affects the request.

    ids         annotations that the request changes: nobody may have changed them
    spans       where the request puts annotations: nobody may have changed annotations there
    everything  the request is about the whole sheet: no other person may have changed anything
    """
    if revision > editor.sheet.revision:
        raise Conflict(
            f"The document is at revision {editor.sheet.revision}; the request names {revision}. Load it again.",
            context=editor.key,
        )
    if revision == editor.sheet.revision:
        return
    for entry in entries_since(editor, revision):
        if everything and entry.by != editor.by:
            raise _conflict(editor, entry.by)
        for change in entry.changes.get("annotations", ()):
            touched = [state for state in (change["before"], change["after"]) if state]
            if change["id"] in ids or any(overlap(state, span) for state in touched for span in spans):
                raise _conflict(editor, entry.by)
        if any(id in ids for id in entry.changes.get("removed", ())):
            raise _conflict(editor, entry.by)


def found_annotation(editor: Editor, revision: int, id: int) -> Annotation:
    """An annotation of the sheet. Raises Conflict if it was removed after `revision`, else NotFound."""
    annotation = editor.annotation(id)
    if annotation is None:
        refuse_collisions(editor, revision, ids=[id])
        raise NotFound(f"The document has no annotation {id}.")
    return annotation


def _conflict(editor: Editor, by: str) -> Conflict:
    who = f"{by} has" if by and by != editor.by else "You have" if by else "The model has"
    where = " in another window" if by and by == editor.by else ""
    return Conflict(
        f"{who} changed this{where} in the meantime. Check the current version, and repeat your change if you still want it.",
        by=by,
        context=editor.key,
    )
