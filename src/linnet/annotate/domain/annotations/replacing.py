"""A longer annotation replaces the nested ones."""

from __future__ import annotations

from typing import NamedTuple

from linnet.active.span_index import SpanIndex
from linnet.annotate.domain.annotations.collisions import found_annotation, refuse_collisions
from linnet.annotate.domain.annotations.editor import Editor, record
from linnet.annotate.domain.annotations.first_guess import with_guesses
from linnet.annotate.domain.annotations.occurrences import occurrences
from linnet.annotate.domain.annotations.snapshot import Edit, made_by, snapshot
from linnet.annotate.store.tables import LogEntry

__all__ = ["Replaced", "replace_inside"]


class Replaced(NamedTuple):
    """Number of annotations made and removed. entry: of the log; None if nothing lies inside."""

    made: int
    removed_inside: int
    entry: LogEntry | None


def replace_inside(editor: Editor, revision: int, id: int) -> Replaced:
    """Remove what lies inside an annotation and inside the same text elsewhere in the document, where the annotation is made if it is
    missing; as one change.

    Leaves places that another annotation crosses, and places with nothing inside. Raises Conflict, NotFound.
    """
    model = found_annotation(editor, revision, id)
    refuse_collisions(editor, revision, everything=True)
    template = made_by(snapshot(model), editor.by)
    present = editor.snapshots()
    places = SpanIndex([(state["start"], state["end"]) for _, state in present])
    here = (model.start, model.end)
    found = set(occurrences(editor.document.text, *here, case=False)) | {here}
    edits: list[Edit] = []
    gone: set[int] = set()
    made = 0
    for start, end in sorted(found):
        at = [present[index] for index in places.at(start, end)]
        whole = [(other, state) for other, state in at if (state["start"], state["end"]) == (start, end)]
        inside = [
            (other, state)
            for other, state in at
            if start <= state["start"] and state["end"] <= end and (other, state) not in whole
        ]
        # What lies around it does not cross it.
        crossed = any(
            not (state["start"] <= start and end <= state["end"]) and (other, state) not in inside
            for other, state in at
        )
        if not inside or (crossed and (start, end) != here):
            continue
        for other, state in inside:
            if other not in gone:
                edits.append(Edit(other, state, None))
                gone.add(other)
        if not whole:
            edits.append(Edit(None, None, template | {"start": start, "end": end, "extra": {}}))
            made += 1
    entry = record(editor, "annotation.replace-inside", with_guesses(editor, edits)) if edits else None
    return Replaced(made, len(gone), entry)
