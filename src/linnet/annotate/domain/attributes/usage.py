"""How many annotations of a project have which attributes."""

from __future__ import annotations

import json
from collections import Counter
from typing import NamedTuple

from sqlalchemy import String, cast, func, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.states import Layer
from linnet.annotate.store.tables import Annotation, Document, Project, Sheet

__all__ = ["AttributeUse", "attribute_uses", "used_attributes"]


class AttributeUse(NamedTuple):
    """How many annotations on any sheet have an attribute. value: "" for a flag."""

    name: str
    value: str
    annotations: int
    predicted: int


def used_attributes(session: Session, project: Project) -> list[str]:
    """Names of the attributes that the project has, then of others that annotations have."""
    uses = [use.name for use in attribute_uses(session, project)]
    return list(dict.fromkeys([*(attribute["name"] for attribute in project.attributes), *uses]))


def attribute_uses(session: Session, project: Project) -> list[AttributeUse]:
    """Each attribute and value that annotations on any sheet have, with their number, by name and value."""
    written = cast(Annotation.attributes, String)
    query = select(written, Annotation.layer, func.count()).join(Sheet)
    query = query.join(Document).where(Document.project_id == project.id, written != "{}")
    made: Counter[tuple[str, str]] = Counter()
    predicted: Counter[tuple[str, str]] = Counter()
    for text, layer, count in session.execute(query.group_by(written, Annotation.layer)):
        counts = predicted if layer == Layer.PRED else made
        for name, value in json.loads(text).items():
            counts[name, "" if value is True else value] += count
    return [
        AttributeUse(name, value, made[name, value], predicted[name, value])
        for name, value in sorted(made.keys() | predicted.keys())
    ]
