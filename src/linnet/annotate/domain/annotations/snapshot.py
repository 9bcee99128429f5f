"""Annotations as the log keeps them: plain records without id and revision; and edits from one to another."""

from __future__ import annotations

from typing import Any, NamedTuple

from linnet.annotate.domain.states import Layer
from linnet.annotate.store.tables import Annotation

__all__ = ["FIELDS", "NONE", "Edit", "Snapshot", "is_unchecked", "logged", "made_by", "overlap", "snapshot"]

Snapshot = dict[str, Any]
NONE = Layer.NONE
"""Layer of a curator's note that there is no mention at a place. Never exported or learnt from."""
FIELDS = (
    "start",
    "end",
    "layer",
    "type",
    "concepts",
    "nil",
    "composite",
    "confidence",
    "probability",
    "author",
    "model",
    "extra",
    "attributes",
    "unchanged",
)


class Edit(NamedTuple):
    """A change of one annotation: created if `before` is None, removed if `after` is None, else changed.

    id  None for a new annotation
    """

    id: int | None
    before: Snapshot | None
    after: Snapshot | None


def snapshot(annotation: Annotation) -> Snapshot:
    """The fields of an annotation that can be restored."""
    return {name: getattr(annotation, name) for name in FIELDS}


def logged(state: Snapshot | None, action: str) -> Snapshot | None:
    """A state from the log, which may be of a linnet that knew neither attributes nor `unchanged` yet. action: of its entry."""
    if state is None:
        return None
    accepted = action == "document.accept" and state["layer"] == Layer.USER
    return {"attributes": {}, "unchanged": accepted} | state


def overlap(first: Snapshot, second: Snapshot) -> bool:
    """Whether two spans share a character."""
    return bool(first["start"] < second["end"] and second["start"] < first["end"])


def made_by(state: Snapshot, name: str) -> Snapshot:
    """The state as a user annotation: without the model's confidence, probability and version. name: of the user."""
    checked = {"layer": Layer.USER, "author": name, "unchanged": False}
    return state | checked | {"confidence": None, "probability": None, "model": None}


def is_unchecked(state: Snapshot) -> bool:
    """Whether no person has looked at it on its own: a prediction, or one that was accepted unchanged."""
    return bool(state["layer"] == Layer.PRED or state["unchanged"])
