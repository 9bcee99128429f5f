"""What a project has of a concept: annotations, and names that its model has learnt."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import String, cast, func, select
from sqlalchemy.orm import Session

from linnet.annotate.store.tables import Annotation, Document, Project, Sheet
from linnet.errors import LinnetError
from linnet.link.learned import NAMES
from linnet.terminology import Terminology

__all__ = ["count_uses", "learned_names"]


def count_uses(session: Session, project: Project, concept: str) -> int:
    """Number of annotations on shared sheets that are linked to a concept, alone or among others."""
    quoted = json.dumps(concept)
    query = select(func.count()).select_from(Annotation).join(Sheet).join(Document)
    query = query.where(Document.project_id == project.id, Sheet.owner == "")
    query = query.where(cast(Annotation.concepts, String).contains(quoted, autoescape=True))
    return session.scalar(query) or 0


def learned_names(version: Path | None, concept: str) -> list[str]:
    """The names of a concept that the version in this folder has learnt."""
    if version is None or not (version / NAMES).exists():
        return []
    try:
        names = Terminology.open(version / NAMES)
    except LinnetError:
        return []
    row = names.row(concept)
    return list(names.concept(row).names) if row >= 0 else []
