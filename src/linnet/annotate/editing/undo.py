"""Undoing and redoing one's own changes, from the log."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sqlalchemy import select

from linnet.annotate.editing.collisions import refuse_collisions
from linnet.annotate.editing.desk import Desk, Edit, record
from linnet.annotate.editing.snapshot import snapshot
from linnet.annotate.refusals import Conflict
from linnet.annotate.store.tables import LogEntry

__all__ = ["Stacks", "stacks", "step"]


class Stacks(NamedTuple):
    """Ids of the entries that can be undone and redone, the next one last."""

    undo: list[int]
    redo: list[int]


def stacks(desk: Desk) -> Stacks:
    """What whoever is at the desk can undo and redo on its sheet. A new change empties the redo stack."""
    query = select(LogEntry.id, LogEntry.action, LogEntry.undoes).where(
        LogEntry.sheet_id == desk.sheet.id, LogEntry.by == desk.by
    )
    undo: list[int] = []
    redo: list[int] = []
    for id, action, undoes in desk.session.execute(query.order_by(LogEntry.id)):
        if action in ("undo", "redo"):
            source, goal = (undo, redo) if action == "undo" else (redo, undo)
            if undoes in source:
                source.remove(undoes)
                goal.append(undoes)
        else:
            undo.append(id)
            redo.clear()
    return Stacks(undo, redo)


def step(desk: Desk, revision: int, direction: Literal["undo", "redo"]) -> None:
    """Undo one's last change, or redo the one undone last.

    Raises Conflict where there is none, or where somebody has changed the same annotations since.
    """
    refuse_collisions(
        desk, min(revision, desk.sheet.revision) if revision <= desk.sheet.revision else revision
    )
    waiting = getattr(stacks(desk), direction)
    if not waiting:
        raise Conflict(f"There is nothing to {direction}.", context=desk.place)
    entry = desk.session.get_one(LogEntry, waiting[-1])
    back = direction == "undo"
    edits = []
    for change in entry.changes["annotations"]:
        edit = Edit(change["id"], change["before"], change["after"])
        if back:
            edit = Edit(edit.id, edit.after, edit.before)
        present = desk.annotation(change["id"])
        if (snapshot(present) if present is not None else None) != edit.before:
            raise Conflict(
                f"The annotation was changed since; {direction} would overwrite that.", context=desk.place
            )
        edits.append(edit)
    state = None
    if "state" in entry.changes:
        old, new = entry.changes["state"]
        expected, state = (new, old) if back else (old, new)
        if desk.sheet.state != expected:
            raise Conflict(
                f"The document's state was changed since; {direction} would overwrite that.",
                context=desk.place,
            )
    # Last first, so that what was removed makes room for what comes back.
    record(desk, direction, edits[::-1] if back else edits, state=state, undoes=entry.id)
