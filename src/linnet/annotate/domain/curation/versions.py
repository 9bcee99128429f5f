"""The sheets of a project that curation compares: those that annotators accepted, and the curated one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations.snapshot import NONE
from linnet.annotate.domain.assignments.assignments import names_by_document
from linnet.annotate.domain.curation.places import ON, DisagreementKind, Mark, Place, align
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.store.tables import CURATED, Annotation, Document, Project, Sheet

__all__ = ["Versions", "read_versions"]


@dataclass(slots=True)
class Versions:
    """A document with the accepted versions of its annotators, by name.

    state    of the curated sheet; "" if there is none yet
    waiting  names of those to whom it is assigned and who have neither accepted nor skipped it
    predicted  an annotator began from the model's predictions
    decided  annotations of the curated sheet, those of the layer `none` included
    curated  its annotations alone
    """

    document: int
    name: str
    rank: int
    state: str = ""
    predicted: bool = False
    waiting: list[str] = field(default_factory=list)
    accepted: dict[str, list[Mark]] = field(default_factory=dict)
    decided: list[Mark] = field(default_factory=list)
    curated: list[Mark] = field(default_factory=list)

    def places(self) -> list[tuple[Place, bool]]:
        """Places where annotators disagree, and agreed ones that the curated sheet lacks, each with whether it is open: the curated
        sheet says nothing there."""
        shown = []
        for place in align(dict(sorted(self.accepted.items()))):
            is_open = not any(mark.start < place.end and place.start < mark.end for mark in self.decided)
            if place.kind is not DisagreementKind.AGREED or (is_open and self.state):
                shown.append((place, is_open))
        return shown


def read_versions(session: Session, project: int, *, document: int | None = None) -> list[Versions]:
    """Documents that an annotator has accepted, in the order of the queue. document: only this one."""
    query = select(Sheet.id, Sheet.owner, Sheet.state, Sheet.model)
    query = query.add_columns(Document.id.label("document"), Document.name, Document.rank)
    query = query.join(Document).where(Document.project_id == project, Sheet.owner != "")
    query = query.where((Sheet.state == State.ACCEPTED) | (Sheet.owner == CURATED))
    if document is not None:
        query = query.where(Document.id == document)
    found: dict[int, Versions] = {}
    sheets: dict[int, tuple[Versions, str]] = {}
    for row in session.execute(query.order_by(Document.rank, Document.id, Sheet.owner)):
        versions = found.setdefault(row.document, Versions(row.document, row.name, row.rank))
        if row.owner == CURATED:
            versions.state = row.state
        else:
            versions.accepted[row.owner] = []
            versions.predicted |= row.model is not None
        sheets[row.id] = versions, row.owner
    for id, marks in _marks(session, query.with_only_columns(Sheet.id).order_by(None)).items():
        versions, owner = sheets[id]
        if owner == CURATED:
            versions.decided = [mark for mark, _ in marks]
            versions.curated = [mark for mark, layer in marks if layer != NONE]
        else:
            versions.accepted[owner] = [mark for mark, layer in marks if layer != Layer.PRED]
    _note_waiting(session, project, found)
    return [versions for versions in found.values() if versions.accepted]


def _note_waiting(session: Session, project: int, found: dict[int, Versions]) -> None:
    if not session.scalar(select(Project.per_document).where(Project.id == project)):
        return
    done = select(Sheet.document_id, Sheet.owner).where(Sheet.document_id.in_(found))
    finished = {(id, owner) for id, owner in session.execute(done.where(Sheet.state != State.OPEN))}
    for id, names in names_by_document(session, found.keys()).items():
        found[id].waiting = [name for name in names if (id, name) not in finished]


def _marks(session: Session, sheets: Select[Any]) -> dict[int, list[tuple[Mark, str]]]:
    columns = [getattr(Annotation, name) for name in Mark._fields]
    query = select(Annotation.sheet_id, Annotation.layer, *columns).where(Annotation.sheet_id.in_(sheets))
    marks: defaultdict[int, list[tuple[Mark, str]]] = defaultdict(list)
    for sheet, layer, start, end, type, concepts, nil, composite, attributes, *rest in session.execute(query):
        values = tuple(sorted((name, ON if value is True else value) for name, value in attributes.items()))
        mark = Mark(start, end, type, tuple(concepts), nil, composite, values, *rest)
        marks[sheet].append((mark, layer))
    return marks
