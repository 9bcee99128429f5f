"""Other semantic types for a project, and what that means for what is annotated."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import String, cast, func, select
from sqlalchemy.orm import Session

from linnet.annotate.store.tables import Annotation, Document, Project, Sheet
from linnet.terminology import Terminology

__all__ = ["AffectedAnnotations", "affected_annotations", "labels_after"]


class AffectedAnnotations(NamedTuple):
    """Mentions on all sheets that are linked to concepts which the project would not link to any more, by layer, and the number of
    these concepts."""

    gold: int
    user: int
    predicted: int
    concepts: int


def affected_annotations(
    session: Session, project: Project, terminology: Terminology, types: Sequence[str]
) -> AffectedAnnotations:
    """What is linked to concepts of none of these types, [] for all, though of the project's present ones.

    Raises RequestError for types that the terminology does not have.
    """
    after = terminology.select(types=list(types) or None)
    before = terminology.select(types=list(project.types) or None)
    concepts = cast(Annotation.concepts, String)
    query = select(Annotation.layer, concepts, func.count()).join(Sheet, Sheet.id == Annotation.sheet_id)
    query = query.join(Document, Document.id == Sheet.document_id).where(Document.project_id == project.id)
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
    return AffectedAnnotations(layers["gold"], layers["user"], layers["pred"], len(lost))


def labels_after(project: Project, terminology: Terminology, types: Sequence[str]) -> list[str]:
    """The project's labels once it has other types: the types themselves where the labels were those before, else as they are."""
    before = project.types or terminology.type_names
    return list(types or terminology.type_names) if project.labels == list(before) else list(project.labels)
