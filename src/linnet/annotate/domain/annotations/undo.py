"""Undo and redo of a user's own changes, from the log."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sqlalchemy import bindparam, select

from linnet.annotate.domain.annotations.collisions import refuse_collisions
from linnet.annotate.domain.annotations.editor import BULK, Editor, record
from linnet.annotate.domain.annotations.snapshot import Edit, logged, snapshot
from linnet.annotate.domain.states import State
from linnet.annotate.refusals import Conflict
from linnet.annotate.store.tables import LogEntry

__all__ = ["Stacks", "Stepped", "stacks", "stacks_after", "step"]

_Direction = Literal["undo", "redo"]
_STEPS = ("undo", "redo")
_OWN = (
    select(LogEntry.id, LogEntry.action, LogEntry.undoes)
    .where(LogEntry.sheet_id == bindparam("sheet"), LogEntry.by == bindparam("by"))
    .order_by(LogEntry.id)
)


class Stacks(NamedTuple):
    """Ids of the log entries that can be undone and redone, the next one last."""

    undo: list[int]
    redo: list[int]


class Stepped(NamedTuple):
    """A change that was undone or redone: its action in the log, the first annotation that it changed and its text, None and ""
    where it was about the document, and how many it changed. entry: of the log, for the step itself."""

    action: str
    annotation: int | None
    text: str
    number: int
    entry: LogEntry


def stacks(editor: Editor) -> Stacks:
    """What the user can undo and redo on the sheet. A new change empties the redo stack."""
    undo: list[int] = []
    redo: list[int] = []
    for id, action, undoes in editor.session.execute(_OWN, {"sheet": editor.sheet.id, "by": editor.by}):
        if action in _STEPS:
            source, goal = (undo, redo) if action == "undo" else (redo, undo)
            if undoes in source:
                source.remove(undoes)
                goal.append(undoes)
        else:
            undo.append(id)
            redo.clear()
    return Stacks(undo, redo)


def stacks_after(editor: Editor, done: LogEntry | None) -> Stacks:
    """The same right after the user's own change `done`; only whether each stack is empty is reliable.

    After a change, it can be undone and nothing can be redone, so the log need not be read.
    """
    return stacks(editor) if done is None or done.action in _STEPS else Stacks([done.id], [])


def step(editor: Editor, revision: int, direction: _Direction) -> Stepped:
    """Undo the user's last change, or redo the one undone last.

    Raises Conflict if there is none, or if somebody has changed the same annotations, or the document's state, since.
    """
    refuse_collisions(editor, revision)
    waiting = getattr(stacks(editor), direction)
    if not waiting:
        raise Conflict(f"There is nothing to {direction}.", context=editor.key)
    entry = editor.session.get_one(LogEntry, waiting[-1])
    edits, state = _edits(editor, entry, direction), _state(editor, entry, direction)
    # In reverse, so that an annotation is removed before another comes back in its place.
    ordered = edits[::-1] if direction == "undo" else edits
    return _stepped(editor, entry, record(editor, direction, ordered, state=state, undoes=entry.id))


def _edits(editor: Editor, entry: LogEntry, direction: _Direction) -> list[Edit]:
    """The edits of an entry, backwards to undo it. Raises Conflict if an annotation is not as the entry left it."""
    changes = entry.changes["annotations"]
    all_states = dict(editor.snapshots()) if len(changes) > BULK else None
    edits = []
    for change in changes:
        before, after = (logged(change[side], entry.action) for side in ("before", "after"))
        edit = Edit(change["id"], before, after)
        if direction == "undo":
            edit = Edit(edit.id, edit.after, edit.before)
        if all_states is not None:
            now = all_states.get(change["id"])
        else:
            annotation = editor.annotation(change["id"])
            now = None if annotation is None else snapshot(annotation)
        logged_as = change["after" if direction == "undo" else "before"]
        if now and edit.before and "unchanged" not in logged_as:
            now = now | {"unchanged": edit.before["unchanged"]}  # an entry of an earlier linnet cannot say
        if now != edit.before:
            raise Conflict(
                f"Somebody has changed the annotation since; {direction} would overwrite that.",
                context=editor.key,
            )
        edits.append(edit)
    return edits


def _state(editor: Editor, entry: LogEntry, direction: _Direction) -> State | None:
    """The state that the document gets, None if the entry did not change it. Raises Conflict if it has changed since."""
    if "state" not in entry.changes:
        return None
    before, after = entry.changes["state"]
    expected, wanted = (after, before) if direction == "undo" else (before, after)
    if editor.sheet.state != expected:
        raise Conflict(
            f"Somebody has changed the document's state since; {direction} would overwrite that.",
            context=editor.key,
        )
    return State(wanted)


def _stepped(editor: Editor, original: LogEntry, entry: LogEntry) -> Stepped:
    touched = original.changes["annotations"]
    if not touched or original.action.startswith("document."):
        return Stepped(original.action, None, "", len(touched), entry)
    first = min(touched, key=lambda change: (change["after"] or change["before"])["start"])
    place = first["after"] or first["before"]
    text = editor.document.text[place["start"] : place["end"]]
    return Stepped(original.action, first["id"], text, len(touched), entry)
