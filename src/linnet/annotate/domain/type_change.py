"""Changing the semantic types of a project, and the annotations that this affects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import String, cast, func, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.states import Layer
from linnet.annotate.store.tables import Annotation, Document, Project, Sheet
from linnet.terminology import Terminology

__all__ = ["TypesChange", "affected_annotations", "labels_after"]


class TypesChange(NamedTuple):
    """Number of mentions that a change of types affects: those linked to concepts of none of the new types."""

    gold: int
    user: int
    predicted: int
    concepts: int


def affected_annotations(
    session: Session, project: Project, terminology: Terminology, types: Sequence[str]
) -> TypesChange:
    """Count the annotations of concepts that have one of the project's present types and none of the new ones ([]: all types).

    Raises RequestError for types that the terminology does not have.
    """
    after = terminology.select(types=list(types) or None)
    before = terminology.select(types=list(project.types) or None)
    concepts = cast(Annotation.concepts, String)
    query = select(Annotation.layer, concepts, func.count()).join(Sheet)
    query = query.join(Document).where(Document.project_id == project.id)
    layers: Counter[str] = Counter()
    lost: set[str] = set()
    for layer, written, count in session.execute(query.group_by(Annotation.layer, concepts)):
        gone = []
        for id in json.loads(written):
            current = terminology.resolve(id)
            row = terminology.row(current[0]) if current else -1
            if row >= 0 and after is not None and not after[row] and (before is None or before[row]):
                gone.append(id)
        lost.update(gone)
        layers[layer] += count if gone else 0
    return TypesChange(layers[Layer.GOLD], layers[Layer.USER], layers[Layer.PRED], len(lost))


def labels_after(project: Project, terminology: Terminology, types: Sequence[str]) -> list[str]:
    """The labels after the change: the new types if the labels were the old types, else unchanged."""
    before = project.types or terminology.type_names
    return list(types or terminology.type_names) if project.labels == list(before) else list(project.labels)
