"""What users do: create, change and remove annotations, apply one to all same mentions; accept, skip, reopen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from linnet.active.span_index import SpanIndex
from linnet.annotate.domain.annotations.collisions import found_annotation, refuse_collisions
from linnet.annotate.domain.annotations.editor import Editor, record
from linnet.annotate.domain.annotations.fields import Fields, check_concepts, with_fields
from linnet.annotate.domain.annotations.first_guess import guess_at, with_guesses
from linnet.annotate.domain.annotations.occurrences import occurrences
from linnet.annotate.domain.annotations.snapshot import (
    NONE,
    Edit,
    Snapshot,
    is_unchecked,
    made_by,
    overlap,
    same_meaning,
    snapshot,
    unlinked,
)
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.limits import ANNOTATIONS
from linnet.annotate.refusals import Conflict, Invalid
from linnet.annotate.store.tables import CURATED, LogEntry
from linnet.terminology import Terminology

__all__ = [
    "Applied",
    "Fields",
    "SameDone",
    "apply_to_same",
    "change",
    "confirm_same",
    "make",
    "remove",
    "remove_same",
    "set_state",
]


class Applied(NamedTuple):
    """Number of annotations made and relinked. entry: of the log; None if nothing changed."""

    made: int
    relinked: int
    entry: LogEntry | None


class SameDone(NamedTuple):
    """Number of annotations confirmed or removed, and of those with the same text that were left. entry: of the log."""

    done: int
    left: int
    entry: LogEntry | None


_ACTIONS = {State.ACCEPTED: "document.accept", State.SKIPPED: "document.skip", State.OPEN: "document.reopen"}


def make(editor: Editor, revision: int, fields: Fields, terminology: Terminology) -> LogEntry:
    """Create an annotation; returns the log entry, as the other functions do. Raises Conflict, Invalid."""
    check_concepts(terminology, fields.concepts or ())
    wanted = with_fields(editor, unlinked(0, 0, Layer.USER, editor.by), fields)
    if fields.attributes is None:
        wanted["attributes"] = guess_at(editor, [wanted])[0]
    _refuse_more(editor.count() + 1)
    refuse_collisions(editor, revision, spans=[wanted])
    _refuse_twins(editor, wanted)
    # An annotation contradicts a curator's note that there is no mention.
    present = editor.snapshots() if editor.sheet.owner == CURATED else []
    noted = [(id, state) for id, state in present if state["layer"] == NONE and overlap(state, wanted)]
    notes = [Edit(id, state, None) for id, state in noted]
    return record(editor, "annotation.create", [*notes, Edit(None, None, wanted)])


def change(editor: Editor, revision: int, id: int, fields: Fields, terminology: Terminology) -> LogEntry:
    """Change an annotation; the user becomes its author. Raises Conflict, Invalid, NotFound."""
    check_concepts(terminology, fields.concepts or ())
    before = snapshot(found_annotation(editor, revision, id))
    after = with_fields(editor, made_by(before, editor.by), fields)
    moved = (before["start"], before["end"]) != (after["start"], after["end"])
    refuse_collisions(editor, revision, ids=[id], spans=[after] if moved else [])
    _refuse_twins(editor, after, besides=id)
    return record(editor, "annotation.change", [Edit(id, before, after)])


def remove(editor: Editor, revision: int, id: int) -> LogEntry:
    """Remove an annotation. Raises Conflict, NotFound."""
    kept = found_annotation(editor, revision, id)
    refuse_collisions(editor, revision, ids=[id])
    return record(editor, "annotation.remove", [Edit(id, snapshot(kept), None)])


def apply_to_same(
    editor: Editor, revision: int, id: int, *, case: bool, relink: bool, missing: bool
) -> Applied:
    """Give all mentions with the same text the type and concepts of an annotation, as one change.

    case     distinguish upper and lower case      relink   change existing annotations
    missing  create missing annotations, unless they would overlap another one

    Attributes are not copied, because they depend on the place. Raises Conflict, NotFound.
    """
    model = found_annotation(editor, revision, id)
    refuse_collisions(editor, revision, everything=True)
    template = made_by(snapshot(model), editor.by)
    present = editor.snapshots()
    places = SpanIndex([(state["start"], state["end"]) for _, state in present])
    edits: list[Edit] = []
    if is_unchecked(snapshot(model)):  # applying it confirms it
        edits.append(Edit(id, snapshot(model), template))
    made = relinked = 0
    for start, end in occurrences(editor.document.text, model.start, model.end, case=case):
        place = template | {"start": start, "end": end}
        here = [present[index] for index in places.at(start, end)]
        there = [(other, state) for other, state in here if (state["start"], state["end"]) == (start, end)]
        if missing and not here:
            edits.append(Edit(None, None, place))
            made += 1
        for other, state in there if relink else ():
            if other != id and not same_meaning(state, template):
                kept: Snapshot = place | {"extra": state["extra"], "attributes": state["attributes"]}
                edits.append(Edit(other, state, kept))
                relinked += 1
    _refuse_more(len(present) + made)
    entry = record(editor, "annotation.same", with_guesses(editor, edits)) if edits else None
    return Applied(made, relinked, entry)


def confirm_same(editor: Editor, revision: int, id: int) -> SameDone:
    """Confirm all predictions with the text, in upper or lower case, and the type and concepts of an annotation, as one change.

    Predictions of the text that mean something else are left. Raises Conflict, NotFound.
    """
    model = snapshot(found_annotation(editor, revision, id))
    refuse_collisions(editor, revision, everything=True)
    edits, left = [], 0
    for other, state in _with_same_text(editor, model):
        if not is_unchecked(state):
            continue
        if not same_meaning(state, model):
            left += 1
        else:
            edits.append(Edit(other, state, made_by(state, editor.by)))
    return SameDone(len(edits), left, record(editor, "annotation.confirm-same", edits) if edits else None)


def remove_same(editor: Editor, revision: int, id: int) -> SameDone:
    """Remove all annotations with the text of one, in upper or lower case, whatever they mean, as one change.

    The model will not predict them again on this sheet. Raises Conflict, NotFound.
    """
    model = snapshot(found_annotation(editor, revision, id))
    refuse_collisions(editor, revision, everything=True)
    edits = [Edit(other, state, None) for other, state in _with_same_text(editor, model)]
    return SameDone(len(edits), 0, record(editor, "annotation.remove-same", edits))


def _with_same_text(editor: Editor, model: Snapshot) -> Iterator[tuple[int, Snapshot]]:
    def words(state: Snapshot) -> str:
        return " ".join(editor.document.text[state["start"] : state["end"]].casefold().split())

    wanted = words(model)
    for id, state in editor.snapshots():
        if state["layer"] != NONE and words(state) == wanted:
            yield id, state


def set_state(editor: Editor, revision: int, state: State) -> LogEntry | None:
    """Accept, skip or reopen. Accepting turns predictions into user annotations that are marked as accepted unchanged and keep their
    probability, as one change. Raises Conflict.

    Returns None if the sheet has that state already.
    """
    refuse_collisions(editor, revision, everything=True)
    if editor.sheet.state == state:
        return None
    edits = []
    if state == State.ACCEPTED:
        for id, before in editor.snapshots():
            if before["layer"] == Layer.PRED:
                after = before | {"layer": Layer.USER, "author": editor.by, "unchanged": True}
                edits.append(Edit(id, before, after))
    return record(editor, _ACTIONS[state], edits, state=state)


def _refuse_more(count: int) -> None:
    if count > ANNOTATIONS:
        raise Invalid(
            f"The document would have {count:,} annotations; expected at most {ANNOTATIONS:,}. Remove some, or upload "
            "the document in several parts."
        )


def _refuse_twins(editor: Editor, wanted: Snapshot, *, besides: int | None = None) -> None:
    twin = editor.twin(wanted["start"], wanted["end"], wanted["type"], besides=besides)
    if twin is not None:
        raise Conflict(
            "This span already has an annotation of this type. Change that one instead.",
            by=twin.author,
            context=editor.key,
        )
