"""What people do to annotations: make, change, remove, apply to all same mentions; accept, skip, reopen."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from linnet.annotate.editing.collisions import refuse_collisions
from linnet.annotate.editing.desk import Desk, record
from linnet.annotate.editing.overlaps import Overlaps
from linnet.annotate.editing.snapshot import Edit, Snapshot, snapshot
from linnet.annotate.importing.limits import ANNOTATIONS
from linnet.annotate.refusals import Conflict, Invalid, NotFound
from linnet.annotate.store.tables import Annotation, LogEntry

__all__ = ["Applied", "Wish", "apply_to_same", "change", "make", "remove", "set_state"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What an annotation shall be; None leaves it as it is, and for a new one means nothing of the kind.

    composite  None: it is one where it has several concepts
    """

    start: int | None = None
    end: int | None = None
    type: str | None = None
    concepts: tuple[str, ...] | None = None
    nil: bool | None = None
    composite: bool | None = None


class Applied(NamedTuple):
    """Number of annotations made and relinked. entry: of the log, None where there was nothing to do."""

    made: int
    relinked: int
    entry: LogEntry | None


_ACTIONS = {"accepted": "document.accept", "skipped": "document.skip", "open": "document.reopen"}


def make(desk: Desk, revision: int, wish: Wish) -> LogEntry:
    """Make an annotation; returns the log's new entry, as the others do. Raises Conflict, Invalid."""
    fresh: Snapshot = _user_made(desk, {"start": 0, "end": 0, "type": "", "concepts": [], "extra": {}})
    wanted = _wished(desk, fresh | {"nil": False, "composite": False}, wish)
    _refuse_more(desk, desk.count() + 1)
    refuse_collisions(desk, revision, spans=[wanted])
    _refuse_twins(desk, wanted)
    return record(desk, "annotation.create", [Edit(None, None, wanted)])


def change(desk: Desk, revision: int, id: int, wish: Wish) -> LogEntry:
    """Change an annotation; whoever does becomes its author. Raises Conflict, Invalid, NotFound."""
    kept = _kept(desk, revision, id)
    before = snapshot(kept)
    after = _wished(desk, _user_made(desk, before), wish)
    moved = (before["start"], before["end"]) != (after["start"], after["end"])
    refuse_collisions(desk, revision, ids=[id], spans=[after] if moved else [])
    _refuse_twins(desk, after, besides=id)
    return record(desk, "annotation.change", [Edit(id, before, after)])


def remove(desk: Desk, revision: int, id: int) -> LogEntry:
    """Remove an annotation. Raises Conflict, NotFound."""
    kept = _kept(desk, revision, id)
    refuse_collisions(desk, revision, ids=[id])
    return record(desk, "annotation.remove", [Edit(id, snapshot(kept), None)])


def apply_to_same(desk: Desk, revision: int, id: int, *, case: bool, relink: bool, missing: bool) -> Applied:
    """Give all mentions with the text of an annotation its type and concepts, as one change.

    case     compare upper and lower case          relink   also those that are annotated
    missing  also those that are not; what overlaps another annotation is left alone

    Raises Conflict, NotFound.
    """
    model = _kept(desk, revision, id)
    refuse_collisions(desk, revision, everything=True)
    said = _user_made(desk, snapshot(model))
    present = desk.snapshots()
    places = Overlaps([state for _, state in present])
    edits: list[Edit] = []
    if model.layer == "pred":  # applying it confirms it
        edits.append(Edit(id, snapshot(model), said))
    made = relinked = 0
    for start, end in _occurrences(desk.document.text, model.start, model.end, case=case):
        place = said | {"start": start, "end": end}
        here = [present[index] for index in places.at(start, end)]
        there = [(other, state) for other, state in here if (state["start"], state["end"]) == (start, end)]
        if missing and not here:
            edits.append(Edit(None, None, place))
            made += 1
        for other, state in there if relink else ():
            if other != id and any(
                state[name] != said[name] for name in ("type", "concepts", "nil", "composite")
            ):
                edits.append(Edit(other, state, place | {"extra": state["extra"]}))
                relinked += 1
    _refuse_more(desk, len(present) + made)
    return Applied(made, relinked, record(desk, "annotation.same", edits) if edits else None)


def set_state(desk: Desk, revision: int, state: str) -> LogEntry | None:
    """Accept, skip or reopen. Accepting makes the predictions the user's, as one change. Raises Conflict.

    Returns None where that was its state already.
    """
    refuse_collisions(desk, revision, everything=True)
    if desk.sheet.state == state:
        return None
    edits = []
    if state == "accepted":
        for id, before in desk.snapshots():
            if before["layer"] == "pred":
                edits.append(Edit(id, before, _user_made(desk, before)))
    return record(desk, _ACTIONS[state], edits, state=state)


def _refuse_more(desk: Desk, count: int) -> None:
    if count > ANNOTATIONS:
        raise Invalid(
            f"The document would have {count:,} annotations; expected at most {ANNOTATIONS:,}. Remove some, or upload "
            "the document in parts."
        )


def _kept(desk: Desk, revision: int, id: int) -> Annotation:
    found = desk.annotation(id)
    if found is None:
        refuse_collisions(desk, revision, ids=[id])
        raise NotFound(f"The document has no annotation {id}.")
    return found


def _user_made(desk: Desk, state: Snapshot) -> Snapshot:
    """As a person's: what the model said of it holds no more."""
    return state | {
        "layer": "user",
        "author": desk.by,
        "confidence": None,
        "probability": None,
        "model": None,
    }


def _wished(desk: Desk, state: Snapshot, wish: Wish) -> Snapshot:
    wanted = dict(state)
    for name in ("start", "end", "type"):
        if (value := getattr(wish, name)) is not None:
            wanted[name] = value
    if wish.concepts is not None:
        wanted["concepts"] = list(dict.fromkeys(wish.concepts))
        wanted["nil"] = False if wanted["concepts"] else bool(wish.nil)
    if wish.nil is not None:
        wanted["nil"] = wish.nil
        if wish.nil:
            wanted["concepts"] = []
    if wish.concepts is not None or wish.composite is not None or wish.nil is not None:
        several = len(wanted["concepts"]) > 1
        wanted["composite"] = several and (wish.composite if wish.composite is not None else True)
    if (wanted["start"], wanted["end"], wanted["concepts"]) != (
        state["start"],
        state["end"],
        state["concepts"],
    ):
        # What a file said of other spans or concepts (parts, discontinuous spans) does not hold for these.
        wanted["extra"] = {}
    _check_span(desk.document.text, wanted)
    _check_type(desk.project.labels, wanted, wish)
    return wanted


def _check_span(text: str, wanted: Snapshot) -> None:
    start, end = wanted["start"], wanted["end"]
    if not 0 <= start < end <= len(text):
        raise Invalid(
            f"The span {start}–{end} does not lie in the text, which has {len(text):,} characters.",
            fields={"end" if start < len(text) else "start": "outside the text"},
        )
    if not text[start:end].strip():
        raise Invalid("The span holds nothing but blanks. Select some text.", fields={"start": "blank"})


def _check_type(labels: Collection[str], wanted: dict[str, Any], wish: Wish) -> None:
    if not wanted["type"] and len(labels) == 1:
        [wanted["type"]] = labels
    if wish.type and labels and wish.type not in labels:
        raise Invalid(
            f"The project has no label '{wish.type}'. Choose from: {', '.join(labels)}.",
            fields={"type": "unknown label"},
        )


def _refuse_twins(desk: Desk, wanted: Snapshot, *, besides: int | None = None) -> None:
    twin = desk.twin(wanted["start"], wanted["end"], wanted["type"], besides=besides)
    if twin is not None:
        raise Conflict(
            "This span is annotated already. Change that annotation instead.",
            by=twin.author,
            context=desk.place,
        )


def _occurrences(text: str, start: int, end: int, *, case: bool) -> Iterator[tuple[int, int]]:
    """Where the text of a span occurs as whole words, however its words are spaced."""
    words = [re.escape(word) for word in text[start:end].split()]
    pattern = r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)"
    for match in re.finditer(pattern, text, 0 if case else re.IGNORECASE):
        yield match.span()
