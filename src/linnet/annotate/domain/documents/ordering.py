"""The order of a project's documents: which one to annotate next, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, cast

from sqlalchemy import Table, bindparam, select, update
from sqlalchemy.orm import Session

from linnet.active.strategies import Pool, Unlabelled, explain, order
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Annotation, Document, Project, Sheet

__all__ = ["reorder"]

_LABELLED = 500  # annotated texts that a strategy sees; the last ones
_BATCH = 2000
_TABLE = cast(Table, Document.__table__)
_PLACE = update(_TABLE).where(_TABLE.c.id == bindparam("which"))
_PLACE = _PLACE.values(rank=bindparam("place"), reason=bindparam("why"))
_Predicted = tuple[float, int, int, float | None]
_HELD_OUT = "Held out for measuring the model, so it comes after the others."


def reorder(database: Database, project_id: int) -> None:
    """Set rank and reason of every document: the open ones in the order of the project's strategy, then the others.

    Held-out documents are among the others: they measure the model, and annotating only the least certain of them would
    bias the scores.
    """
    with database.read() as session:
        project = session.get(Project, project_id)
        if project is None:
            return
        documents = _documents(session, project_id)
        predicted, made = _annotations(session, project_id)
    waiting = [row for row in documents if row.state == State.OPEN and not row.held_out]
    accepted = [row for row in documents if row.state == State.ACCEPTED and not row.held_out]
    pool = Pool(
        [
            Unlabelled(
                row.name,
                row.text,
                tuple(confidence for confidence, *_ in predicted[row.sheet]),
                tuple(row.text[start:end] for _, start, end, _ in predicted[row.sheet]),
                tuple(probability for *_, probability in predicted[row.sheet]),
            )
            for row in waiting
        ],
        [row.text for row in accepted[-_LABELLED:]],
        {row.text[start:end] for row in accepted for start, end in made[row.sheet]},
        seed=project_id,
    )
    placed = order(project.strategy, pool)
    first = [waiting[place].id for place in placed]
    why = dict(zip(first, explain(project.strategy, pool, placed), strict=True))
    others = [row for row in documents if row.id not in why]
    why |= {row.id: _HELD_OUT for row in others if row.held_out and row.state == State.OPEN}
    _write(database, [*first, *(row.id for row in others)], why)


def _documents(session: Session, project_id: int) -> Sequence[Any]:
    """id, name, text, held_out, and state and id (`sheet`) of the shared sheet of each document, by rising id."""
    query = select(Document.id, Document.name, Document.text, Document.held_out, Sheet.state)
    query = query.add_columns(Sheet.id.label("sheet")).join(Sheet)
    query = query.where(Document.project_id == project_id, Sheet.owner == "")
    return session.execute(query.order_by(Document.id)).all()


def _annotations(
    session: Session, project_id: int
) -> tuple[defaultdict[int, list[_Predicted]], defaultdict[int, list[tuple[int, int]]]]:
    """By shared sheet: confidence, start, end and probability of the predictions that have a confidence; start and end of what people
    made."""
    predicted: defaultdict[int, list[_Predicted]] = defaultdict(list)
    made: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    names = ("sheet_id", "layer", "confidence", "start", "end", "probability")
    query = select(*(getattr(Annotation, name) for name in names)).join(Sheet).join(Document)
    query = query.where(Document.project_id == project_id, Sheet.owner == "")
    query = query.order_by(Annotation.sheet_id, Annotation.start, Annotation.id)
    for sheet, layer, confidence, start, end, probability in session.execute(query):
        if layer != Layer.PRED:
            made[sheet].append((start, end))
        elif confidence is not None:
            predicted[sheet].append((confidence, start, end, probability))
    return predicted, made


def _write(database: Database, ids: Sequence[int], why: Mapping[int, str]) -> None:
    """Store the places of documents, counted from 1, and the reasons; "" where there is none."""
    for start in range(0, len(ids), _BATCH):
        part = enumerate(ids[start : start + _BATCH], start=start + 1)
        rows = [{"which": id, "place": place, "why": why.get(id, "")[:300]} for place, id in part]
        with database.write() as session:
            session.connection().execute(_PLACE, rows)
