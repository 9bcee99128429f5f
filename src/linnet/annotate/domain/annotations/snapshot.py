"""Annotations as the log keeps them: plain records without id and revision; and edits from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from linnet.annotate.domain.attributes.definitions import Values
from linnet.annotate.domain.states import Layer

if TYPE_CHECKING:  # processes that only predict need no database
    from linnet.annotate.store.tables import Annotation

__all__ = [
    "FIELDS",
    "NONE",
    "Edit",
    "Snapshot",
    "Span",
    "is_unchecked",
    "logged",
    "made_by",
    "overlap",
    "same_meaning",
    "snapshot",
    "unlinked",
]


class Span(TypedDict):
    """Where something is in a text."""

    start: int
    end: int


class Snapshot(Span):
    """The fields of an annotation that can be restored; see `linnet.annotate.store.tables.Annotation`."""

    layer: str
    type: str
    concepts: list[str]
    nil: bool
    composite: bool
    confidence: float | None
    probability: float | None
    author: str
    model: int | None
    extra: dict[str, Any]
    attributes: Values
    unchanged: bool


NONE = Layer.NONE
"""Layer of a curator's note that there is no mention at a place. Never exported or learnt from."""
FIELDS = tuple(Snapshot.__annotations__)


class Edit(NamedTuple):
    """A change of one annotation: created if `before` is None, removed if `after` is None, else changed.

    id  None for a new annotation
    """

    id: int | None
    before: Snapshot | None
    after: Snapshot | None


def snapshot(annotation: Annotation) -> Snapshot:
    """The fields of an annotation that can be restored."""
    return cast(Snapshot, {name: getattr(annotation, name) for name in FIELDS})


def unlinked(start: int, end: int, layer: Layer, author: str) -> Snapshot:
    """A new annotation that says nothing of its span yet."""
    return {
        "start": start, "end": end, "layer": layer, "type": "", "concepts": [], "nil": False, "composite": False, "confidence": None,
        "probability": None, "author": author, "model": None, "extra": {}, "attributes": {}, "unchanged": False,
    }  # fmt: skip


def logged(state: Snapshot | None, action: str) -> Snapshot | None:
    """A state from the log, which may be of a linnet that knew neither attributes nor `unchanged` yet. action: of its entry."""
    if state is None:
        return None
    accepted = action == "document.accept" and state["layer"] == Layer.USER
    return {"attributes": {}, "unchanged": accepted} | state


def overlap(first: Span, second: Span) -> bool:
    """Whether two spans share a character."""
    return bool(first["start"] < second["end"] and second["start"] < first["end"])


def same_meaning(first: Snapshot, second: Snapshot) -> bool:
    """Whether two annotations have the same type and are linked to the same."""
    return all(first[name] == second[name] for name in ("type", "concepts", "nil", "composite"))


def made_by(state: Snapshot, name: str) -> Snapshot:
    """The state as a user annotation: without the model's confidence, probability and version. name: of the user."""
    checked = state | {"layer": Layer.USER, "author": name, "unchanged": False}
    return checked | {"confidence": None, "probability": None, "model": None}


def is_unchecked(state: Snapshot) -> bool:
    """Whether no person has looked at it on its own: a prediction, or one that was accepted unchanged."""
    return bool(state["layer"] == Layer.PRED or state["unchanged"])
