"""A project's documents as `linnet.types`, for export and learning."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from linnet.active.training_data import UNCHANGED
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.store.tables import CURATED, Annotation, Project, Sheet
from linnet.annotate.store.tables import Document as Row
from linnet.types import Document, Mention

__all__ = ["LAYERS", "Picked", "pick"]

LAYERS = (Layer.GOLD, Layer.USER, Layer.PRED)
_BATCH = 200


class Picked(NamedTuple):
    """A document and one of its sheets, with its annotations in text order."""

    row: Row
    sheet: Sheet
    annotations: list[Annotation]

    def document(self) -> Document:
        """The document with these annotations as mentions: `source` is the layer or `UNCHANGED`, `confidence` the probability that the
        page shows."""
        home = Document(self.row.name, self.row.text)
        mentions = [
            Mention(
                home,
                annotation.start,
                annotation.end,
                home.text[annotation.start : annotation.end],
                annotation.type,
                tuple(annotation.concepts),
                UNCHANGED if annotation.unchanged else annotation.layer,
                annotation.probability,
                annotation.extra | _combined(annotation) | _attributes(annotation),
            )
            for annotation in self.annotations
        ]
        return Document(home.id, home.text, tuple(mentions), self.row.extra)


def pick(
    session: Session,
    project: Project,
    *,
    annotator: str | None = None,
    states: Collection[State] = (),
    layers: Collection[Layer] = LAYERS,
    held_out: bool | None = None,
    every: bool = False,
) -> Iterator[Picked]:
    """Documents by rising row id; one batch in memory at a time.

    annotator  whose sheets, `CURATED` for the curated ones; None takes, for each document, the curated sheet if it is accepted, else
               the sheet accepted last, else the shared one
    states     of the sheet; () for any
    every      without an annotator: all accepted sheets of each document, the one accepted last first; the curated one alone
    """
    last = 0
    while True:
        query = select(Row).where(Row.project_id == project.id, Row.id > last).order_by(Row.id).limit(_BATCH)
        rows = session.scalars(query.options(undefer(Row.text), undefer(Row.extra))).all()
        if not rows:
            return
        last = rows[-1].id
        chosen = [
            (row, sheet)
            for row in rows
            if held_out is None or row.held_out == held_out
            for sheet in _chosen(session, row, annotator, every=every)
            if not states or sheet.state in states
        ]
        annotations = _annotations(session, [sheet.id for _, sheet in chosen], layers)
        for row, sheet in chosen:
            yield Picked(row, sheet, annotations.get(sheet.id, []))
        session.expunge_all()
        session.add(project)


def _combined(annotation: Annotation) -> dict[str, bool]:
    return {"combined": True} if len(annotation.concepts) > 1 and not annotation.composite else {}


def _attributes(annotation: Annotation) -> dict[str, Any]:
    """Those of the project, and those of the file that the project does not have."""
    attributes = annotation.extra.get("attributes", {}) | annotation.attributes
    return {"attributes": attributes} if attributes else {}


def _chosen(session: Session, row: Row, annotator: str | None, *, every: bool) -> list[Sheet]:
    sheets = session.scalars(select(Sheet).where(Sheet.document_id == row.id)).all()
    if annotator is not None:
        return [sheet for sheet in sheets if sheet.owner == annotator]
    accepted = [sheet for sheet in sheets if sheet.accepted is not None and sheet.state == State.ACCEPTED]
    if curated := [sheet for sheet in accepted if sheet.owner == CURATED]:
        return curated
    if accepted:
        accepted.sort(
            key=lambda sheet: (sheet.accepted.timestamp() if sheet.accepted else 0, sheet.id), reverse=True
        )
        return accepted if every else accepted[:1]
    return [sheet for sheet in sheets if sheet.owner == ""]


def _annotations(
    session: Session, sheets: Collection[int], layers: Collection[Layer]
) -> dict[int, list[Annotation]]:
    by_sheet: dict[int, list[Annotation]] = {}
    query = select(Annotation).where(Annotation.sheet_id.in_(sheets), Annotation.layer.in_(layers))
    for row in session.scalars(query.order_by(Annotation.start, Annotation.end, Annotation.id)):
        by_sheet.setdefault(row.sheet_id, []).append(row)
    return by_sheet
