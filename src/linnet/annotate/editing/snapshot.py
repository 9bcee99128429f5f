"""An annotation as the log keeps it: a plain record without id and revision."""

from __future__ import annotations

from typing import Any

from linnet.annotate.store.tables import Annotation

__all__ = ["FIELDS", "Snapshot", "overlap", "snapshot"]

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


def snapshot(annotation: Annotation) -> Snapshot:
    """All that can be restored of an annotation."""
    return {name: getattr(annotation, name) for name in FIELDS}


def overlap(one: Snapshot, other: Snapshot) -> bool:
    """Whether two spans have a character in common."""
    return bool(one["start"] < other["end"] and other["start"] < one["end"])
