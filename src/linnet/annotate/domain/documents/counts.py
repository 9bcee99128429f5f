"""Numbers of a project: documents by state, annotations by layer, predictions by probability."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.assignments.assignments import in_queue
from linnet.annotate.domain.documents.listing import seen_documents
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.store.tables import CURATED, Annotation, Document, Project, Sheet

__all__ = ["PredictionCounts", "Progress", "count_predictions", "count_progress"]

_SHARES = 20  # of the probabilities that are counted


class Progress(NamedTuple):
    """Number of documents by state, of those held out, and of those that the model learns from, which are accepted on any sheet; and of
    annotations by layer."""

    documents: int
    open: int
    accepted: int
    skipped: int
    held_out: int
    teaching: int
    gold: int
    user: int
    predicted: int


@dataclass(slots=True)
class PredictionCounts:
    """Predictions that the model made last on the documents that are not accepted by everyone, shown or not."""

    by_probability: list[int]
    unknown: int


def count_progress(session: Session, project: Project, by: str) -> Progress:
    """What there is and what is done; for a user who has a queue of their own, only of what is assigned to them."""
    query, sheet, state = seen_documents(project, by)
    inner = (
        query.where(in_queue(session, project, by))
        .with_only_columns(state.label("state"), Document.held_out.label("held_out"), sheet.id.label("sheet"))
        .subquery()
    )
    states, held_out = Counter[str](), 0
    groups = (inner.c.state, inner.c.held_out)
    for name, is_held_out, count in session.execute(select(*groups, func.count()).group_by(*groups)):
        states[name] += count
        held_out += count if is_held_out else 0
    of_layers = select(Annotation.layer, func.count()).join(inner, inner.c.sheet == Annotation.sheet_id)
    layers = Counter(dict(session.execute(of_layers.group_by(Annotation.layer)).all()))
    teaching = select(func.count(Sheet.document_id.distinct())).join(Document)
    teaching = teaching.where(Document.project_id == project.id, Document.held_out.is_(False))
    return Progress(
        documents=states.total(),
        open=states[State.OPEN],
        accepted=states[State.ACCEPTED],
        skipped=states[State.SKIPPED],
        held_out=held_out,
        teaching=session.scalar(teaching.where(Sheet.state == State.ACCEPTED)) or 0,
        gold=layers[Layer.GOLD],
        user=layers[Layer.USER],
        predicted=layers[Layer.PRED],
    )


def count_predictions(session: Session, project: Project) -> PredictionCounts:
    """Of the predictions made last on documents that somebody may still work on, the number by probability."""
    working = select(Sheet.document_id).where(Sheet.state != State.ACCEPTED, Sheet.owner != CURATED)
    query = select(Document.predicted).where(Document.project_id == project.id, Document.id.in_(working))
    counts = PredictionCounts([0] * _SHARES, 0)
    for probabilities in session.scalars(query):
        for probability in probabilities:
            if probability is None:
                counts.unknown += 1
            else:
                # The nearest ten-thousandth, as it is kept, so that 0.15 is not below 0.15.
                share = round(probability * 10_000) * _SHARES // 10_000
                counts.by_probability[min(share, _SHARES - 1)] += 1
    return counts
