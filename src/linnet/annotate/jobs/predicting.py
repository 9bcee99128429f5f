"""Predicts on all sheets that are not accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Row, insert, select
from sqlalchemy.orm import Session, undefer

from linnet.active.model import open_model
from linnet.active.span_index import SpanIndex
from linnet.annotate.domain.annotations.bulk import remove_in_bulk
from linnet.annotate.domain.annotations.snapshot import Snapshot
from linnet.annotate.domain.attributes.definitions import guessed
from linnet.annotate.domain.attributes.guessing import guess
from linnet.annotate.domain.documents.ordering import reorder
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.jobs.prediction_pool import predicted
from linnet.annotate.jobs.work import Work
from linnet.annotate.limits import ANNOTATIONS
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import CURATED, Annotation, Document, LogEntry, Project, Sheet
from linnet.plural import counted
from linnet.system.cores import cores
from linnet.types import Document as Text

__all__ = ["predict"]

_BATCH = 16  # documents linked together; each is written in its own transaction
_CHARACTERS = 200_000  # per batch; links take far more memory than text
_SHARED = (
    300_000  # characters from which processes share the work: another one takes as long as 150,000 to start
)
_PROCESSES = 4  # at most: annotators come first, and each takes some 300 MB

_OPEN = (Sheet.state != State.ACCEPTED, Sheet.owner != CURATED)  # the sheets that are predicted on


def predict(work: Work) -> str:
    """Replace the predictions of the project's current model on all open and skipped sheets of a project; returns a summary.

    Sheets that have predictions of this version are skipped if the job continues, or documents were added.

    Never predicts over an annotation of a user, or where a user removed a prediction. Predictions that are less probable than
    the project's minimum are not written; those without a probability are. Attributes are those that the project has guessed.
    """
    database, job, project = work.database, work.job, work.project()
    version = project.model
    model = open_model(
        work.terminology,
        work.version_folder(version),
        types=project.types,
        recogniser=project.recogniser,
        pipeline=work.pipeline,
    )
    resumed = job.attempts > 1 or bool(job.options.get("fresh"))
    waiting = _documents(database, project.id, version if resumed else None)
    characters = sum(document.characters for document in waiting)
    done = read = made = left = 0

    def report() -> None:
        work.progress(read / max(characters, 1), f"Predicting: {done:,} of {len(waiting):,} documents")

    report()
    batches = list(_batches(waiting))
    texts = ([_text(database, document.id) for document in batch] for batch in batches)
    workers = min(cores(), _PROCESSES) if characters >= _SHARED else 1
    for batch, found in zip(
        batches, predicted(model, texts, version, project.labels, workers=workers), strict=True
    ):
        for document, (text, links) in zip(batch, found, strict=True):
            written = _write(database, text, document.id, links, version)
            made, left = made + written.kept, left + written.left
            done, read = done + 1, read + document.characters
            report()
    work.progress(1.0, "Ordering the queue")
    reorder(database, project.id)
    more = f"; {left:,} more were left out: a document has at most {ANNOTATIONS:,}" if left else ""
    return f"{counted(made, 'predictions')} in {counted(len(waiting), 'documents')}{more}"


class _Waiting(NamedTuple):
    id: int
    characters: int


class _Written(NamedTuple):
    """Number of predictions on the shared sheet, and of those beyond the limit."""

    kept: int
    left: int


def _batches(waiting: Sequence[_Waiting]) -> Iterator[list[_Waiting]]:
    """Batches in order; a very long document is a batch of its own."""
    batch: list[_Waiting] = []
    characters = 0
    for document in waiting:
        if batch and (len(batch) == _BATCH or characters + document.characters > _CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(document)
        characters += document.characters
    if batch:
        yield batch


def _documents(database: Database, project_id: int, done: int | None) -> list[_Waiting]:
    query = select(Document.id, Document.characters).join(Sheet)
    query = query.where(Document.project_id == project_id, *_OPEN)
    if done is not None:
        query = query.where(Sheet.model.is_(None) | (Sheet.model != done))
    with database.read() as session:
        return [_Waiting(*row) for row in session.execute(query.distinct().order_by(Document.id))]


def _text(database: Database, id: int) -> Text:
    """The document; an empty one if it was removed."""
    with database.read() as session:
        row = session.get(Document, id, options=[undefer(Document.text)])
        return Text(row.name, row.text) if row is not None else Text("", "")


def _write(database: Database, text: str, id: int, made: Sequence[Snapshot], version: int) -> _Written:
    """Write predictions to a document's sheets, in text order up to the limit."""
    with database.write() as session:
        document = session.get(Document, id)
        if document is None:
            return _Written(0, 0)
        project = session.get_one(Project, document.project_id)
        document.predicted = [_rounded(prediction["probability"]) for prediction in made]
        spans = [(prediction["start"], prediction["end"]) for prediction in made]
        types = [prediction["type"] for prediction in made]
        guesses = guess(text, spans, guessed(project.attributes), types=types)
        made = [prediction | {"attributes": values} for prediction, values in zip(made, guesses, strict=True)]
        made = [prediction for prediction in made if _is_probable(prediction, project.min_probability)]
        sheets = select(Sheet).where(Sheet.document_id == id, *_OPEN)
        written = _Written(0, 0)
        for sheet in session.scalars(sheets.with_for_update()).all():
            others = select(Annotation.start, Annotation.end).where(Annotation.sheet_id == sheet.id)
            occupied = session.execute(others.where(Annotation.layer != Layer.PRED)).all()
            fitting = list(_fitting(session, sheet, occupied, made))
            kept = fitting[: max(ANNOTATIONS - len(occupied), 0)]
            _replace(session, project, sheet, kept, version)
            if sheet.owner == "":
                written = _Written(len(kept), len(fitting) - len(kept))
                document.confidence = min((each["confidence"] or 0.0 for each in kept), default=None)
        return written


def _rounded(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 4)


def _is_probable(prediction: Snapshot, least: float) -> bool:
    probability = _rounded(prediction["probability"])
    return probability is None or probability >= least


def _fitting(
    session: Session, sheet: Sheet, occupied: Sequence[Row[int, int]], made: Sequence[Snapshot]
) -> Iterator[Snapshot]:
    """The predictions that do not overlap users' annotations, whose spans are `occupied`, and were not removed by them."""
    places = SpanIndex([(start, end) for start, end in occupied])
    removed = _removed(session, sheet)
    for prediction in made:
        start, end = prediction["start"], prediction["end"]
        if (start, end) not in removed and not places.any(start, end):
            yield prediction


def _removed(session: Session, sheet: Sheet) -> set[tuple[int, int]]:
    """Spans of predictions that users removed and did not restore."""
    spans: set[tuple[int, int]] = set()
    query = select(LogEntry.changes).where(LogEntry.sheet_id == sheet.id, LogEntry.by != "")
    for changes in session.scalars(query.order_by(LogEntry.id)):
        for change in changes.get("annotations", ()):
            before, after = change["before"], change["after"]
            if before and before["layer"] == Layer.PRED and not after:
                spans.add((before["start"], before["end"]))
            elif after:
                spans.discard((after["start"], after["end"]))
    return spans


def _replace(
    session: Session, project: Project, sheet: Sheet, made: Sequence[Snapshot], version: int
) -> None:
    query = select(Annotation).where(Annotation.sheet_id == sheet.id, Annotation.layer == Layer.PRED)
    old = {(row.start, row.end, row.type, *row.concepts): row for row in session.scalars(query)}
    sheet.model = version
    revision = sheet.revision + 1
    new = []
    moved = False
    for prediction in made:
        key = prediction["start"], prediction["end"], prediction["type"], *prediction["concepts"]
        if (kept := old.pop(key, None)) is None:
            new.append(prediction | {"sheet_id": sheet.id, "revision": revision})
        else:
            # An equal prediction keeps its id, so that a page that shows it need not change.
            if any(getattr(kept, name) != value for name, value in prediction.items() if name != "model"):
                moved, kept.revision = True, revision
            for name, value in prediction.items():
                setattr(kept, name, value)
    gone = [row.id for row in old.values()]
    if not (new or gone or moved):
        return  # a new model, the same predictions
    sheet.revision = revision
    session.flush()
    remove_in_bulk(session, gone)
    made_ids = insert(Annotation).returning(Annotation.id, sort_by_parameter_order=True)
    ids = session.scalars(made_ids, new).all() if new else []
    changes = {"made": list(ids), "removed": gone, "version": version}
    place = {"document": sheet.document_id, "sheet": sheet.id, "revision": revision}
    log(session, "document.predict", by="", project=project, changes=changes, **place)
