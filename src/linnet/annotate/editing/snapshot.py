"""An annotation as the log keeps it, a plain record without id and revision, and how one becomes another."""

from __future__ import annotations

from typing import Any, NamedTuple

from linnet.annotate.store.tables import Annotation

__all__ = ["FIELDS", "Edit", "Snapshot", "overlap", "snapshot"]

Snapshot = dict[str, Any]
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
)


class Edit(NamedTuple):
    """A change of one annotation: made where `before` is None, removed where `after` is, else changed.

    id  None for one that is made for the first time
    """

    id: int | None
    before: Snapshot | None
    after: Snapshot | None


def snapshot(annotation: Annotation) -> Snapshot:
    """All that can be restored of an annotation."""
    return {name: getattr(annotation, name) for name in FIELDS}


def overlap(one: Snapshot, other: Snapshot) -> bool:
    """Whether two spans have a character in common."""
    return bool(one["start"] < other["end"] and other["start"] < one["end"])
