"""Predictions of any system, matched to the gold mentions they answer.

A file is read as one of

    mentions   JSON objects with `concepts`, one per line, as `linnet link --mentions` writes them. Matched by
               `document`, `start`, `end` if every line has them, else by `id` if the gold has ids, else by line
    documents  JSON objects with `mentions`, one per line, or any corpus format; matched by document, start and end
    table      CSV, TSV or Parquet with a column of concepts, as `linnet link` writes them; matched as mentions are
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from linnet.corpora import read
from linnet.corpora.ids import as_curie
from linnet.corpora.jsonl import concepts_of
from linnet.corpora.reading import FileReading
from linnet.errors import DataError
from linnet.evaluate.gold import Gold, Predicted, gold_mentions, golds_of, homonyms
from linnet.evaluate.prediction_tables import is_table, table_rows
from linnet.io.files import read_lines
from linnet.io.json import loads
from linnet.plural import counted
from linnet.types import Document, Mention

__all__ = ["Answers", "answers_in_documents", "read_predictions"]

_SHOWN = 5
_PREDICTION_KEYS = frozenset({"mentions", "concepts", "concept", "cui"})


@dataclass(frozen=True, slots=True)
class Answers:
    """Predictions in the order of the gold mentions.

    annotations  those of the running text in the file; None for the mention format
    missing      number of gold mentions without an answer (they count as NIL)
    unknown      number of answers that belong to no gold mention
    examples     places or ids of unknown answers
    """

    predictions: list[Predicted]
    annotations: list[Gold] | None
    missing: int
    unknown: int
    examples: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the report; empty if every mention has its answer."""
        notes = []
        if self.missing:
            notes.append(f"{counted(self.missing, 'mentions have no prediction and count as NIL')}.")
        if self.unknown:
            shown = f", e.g. {'; '.join(self.examples)}" if self.examples else ""
            unknown = counted(self.unknown, "predictions belong to no gold mention and were not scored")
            notes.append(f"{unknown}{shown}.")
        return tuple(notes)


@dataclass(frozen=True, slots=True)
class _Row:
    reading: FileReading
    fields: Mapping[str, Any]

    def error(self, message: str) -> DataError:
        return self.reading.error(message)


def read_predictions(path: str | Path, mentions: Sequence[Mention], *, format: str | None = None) -> Answers:
    """Predictions of a file for these gold mentions.

    format  a corpus format, if the file is neither mentions nor documents in JSON Lines; None: detect it from the
            content

    Raises DataError with file and line if the file is empty, malformed, or cannot be matched.
    """
    file = FileReading(path)
    if format == "table" or (format is None and is_table(path)):
        rows: list[_Row] | None = [
            _Row(file.on(number), fields) for number, fields in table_rows(path, mentions)
        ]
    else:
        rows = _json_rows(file) if format in (None, "jsonl", "mentions") else None
    if rows is None:
        answers = answers_in_documents(read(path, format=format, annotated=True), mentions)
        _check_matched(answers, mentions, file)
        return _checked(answers, golds_of(mentions), file)
    if not rows:
        raise file.error("holds no prediction; expected one JSON object per line.")
    golds = golds_of(mentions)
    if all("mentions" in row.fields for row in rows):
        placed = [
            (_place(row, field), _predicted(_Row(row.reading, field)), str(field.get("type", "")))
            for row in rows
            for field in _list(row, "mentions")
        ]
        answers = _by_place(placed, golds)
    elif all({"document", "start", "end"} <= row.fields.keys() for row in rows):
        placed = [(_place(row, row.fields), _predicted(row), str(row.fields.get("type", ""))) for row in rows]
        answers = replace(_by_place(placed, golds), annotations=None)
    else:
        answers = _by_id(rows, mentions) or _by_order(rows, golds, file)
    _check_matched(answers, mentions, file)
    return _checked(answers, golds, file)


def answers_in_documents(documents: Iterable[Document], mentions: Sequence[Mention]) -> Answers:
    """Annotated documents as predictions for these gold mentions, matched by document, start and end."""
    placed = [
        (
            (mention.document.id, mention.start, mention.end),
            Predicted(frozenset(mention.concepts), probability=mention.confidence),
            mention.type,
        )
        for mention in gold_mentions(documents)
    ]
    return _by_place(placed, golds_of(mentions))


Place = tuple[str, int, int]


def _by_place(placed: Sequence[tuple[Place, Predicted, str]], golds: Sequence[Gold]) -> Answers:
    at: defaultdict[Place, list[tuple[Predicted, str]]] = defaultdict(list)
    for place, predicted, type in placed:
        at[place].append((predicted, type))
    gold_places = [(gold.document, gold.start, gold.end) for gold in golds]
    predictions = [
        _joined(at.get(place, []), gold.type) for place, gold in zip(gold_places, golds, strict=True)
    ]
    gold_set = set(gold_places)
    unknown = [place for place, _, _ in placed if place not in gold_set]
    annotations = [
        Gold(*place, text="", type=type, concepts=predicted.concepts) for place, predicted, type in placed
    ]
    shown = tuple(f"document {document} at {start}–{end}" for document, start, end in unknown[:_SHOWN])
    return Answers(predictions, annotations, sum(p.missing for p in predictions), len(unknown), shown)


def _joined(answers: Sequence[tuple[Predicted, str]], gold_type: str) -> Predicted:
    """The (answer, type) pairs at a place as one answer: those of the gold's type if any; several form a composite."""
    same = [predicted for predicted, type in answers if type.casefold() == gold_type.casefold()]
    chosen = list(dict.fromkeys(same or [predicted for predicted, _ in answers]))
    if not chosen:
        return Predicted(missing=True)
    if len(chosen) == 1:
        return chosen[0]
    parts = tuple(predicted for predicted in chosen if predicted.concepts)
    return Predicted(frozenset(id for part in parts for id in part.concepts), parts=parts)


def _by_id(rows: Sequence[_Row], mentions: Sequence[Mention]) -> Answers | None:
    gold_ids = [str(mention.extra["id"]) for mention in mentions if "id" in mention.extra]
    if len(gold_ids) != len(mentions) or len(set(gold_ids)) != len(gold_ids):
        return None
    answers: dict[str, Predicted] = {}
    for row in rows:
        if "id" not in row.fields:
            return None
        id = str(row.fields["id"])
        if id in answers:
            raise row.error(f"id '{id}' occurs twice; expected one prediction per mention.")
        answers[id] = _predicted(row)
    unknown = [id for id in answers if id not in set(gold_ids)]
    predictions = [answers.get(id, Predicted(missing=True)) for id in gold_ids]
    missing = sum(predicted.missing for predicted in predictions)
    return Answers(predictions, None, missing, len(unknown), tuple(unknown[:_SHOWN]))


def _by_order(rows: Sequence[_Row], golds: Sequence[Gold], file: FileReading) -> Answers:
    hint = "Give every line `document`, `start` and `end`, or predict the mentions of the corpus in order."
    if len(rows) != len(golds):
        raise file.error(
            f"{len(rows):,} predictions for {len(golds):,} gold mentions, without ids or offsets to match them by. {hint}"
        )
    for row, gold in zip(rows, golds, strict=True):
        surface = " ".join(str(row.fields.get("text", gold.text)).lower().split())
        if surface != gold.surface:
            raise row.error(f"predicts '{surface}'; the gold mention here is '{gold.surface}'. {hint}")
    return Answers([_predicted(row) for row in rows], None, 0, 0)


def _checked(answers: Answers, golds: Sequence[Gold], file: FileReading) -> Answers:
    """The answers, with bare numbers read as ids of the mention's type.

    Raises DataError for ids without a prefix if the gold ids have one: they would silently score 0.
    """
    predictions = [
        _of_type(predicted, gold.type) for predicted, gold in zip(answers.predictions, golds, strict=True)
    ]
    predicted_ids = {id for predicted in predictions for id in predicted.concepts}
    gold_ids = {id for gold in golds for id in gold.concepts}
    if (
        predicted_ids
        and gold_ids
        and not any(":" in id for id in predicted_ids)
        and all(":" in id for id in gold_ids)
    ):
        raise file.error(
            f"ids have no prefix ('{min(predicted_ids)}'); expected ids as in the corpus ('{min(gold_ids)}')."
        )
    return replace(answers, predictions=predictions)


def _of_type(predicted: Predicted, type: str) -> Predicted:
    """The answer, with the id prefixes that the type of its mention implies."""
    return replace(
        predicted,
        concepts=frozenset(as_curie(id, type=type) for id in predicted.concepts),
        ranked=tuple(tuple(as_curie(id, type=type) for id in group) for group in predicted.ranked),
        parts=tuple(_of_type(part, type) for part in predicted.parts),
    )


def _check_matched(answers: Answers, mentions: Sequence[Mention], file: FileReading) -> None:
    """Raise DataError if no prediction answers any gold mention: the file would silently score 0."""
    if not mentions or answers.missing < len(mentions):
        return
    golds = [f"document {m.document.id} at {m.start}–{m.end}" for m in mentions[:_SHOWN]]
    unknown = f"It has {'; '.join(answers.examples)}" if answers.examples else "It has no mention"
    raise file.error(
        f"answers none of the {len(mentions):,} gold mentions. {unknown}; the corpus has {'; '.join(golds)}. "
        "Predict the mentions of this corpus, with its document ids and offsets."
    )


def _json_rows(file: FileReading) -> list[_Row] | None:
    """The objects of a JSON Lines file; None if its first non-blank line is not a JSON object."""
    rows: list[_Row] = []
    for number, line in read_lines(file.path):
        if not line.strip():
            continue
        try:
            fields = loads(line)
        except json.JSONDecodeError as error:
            if not rows:
                return None
            raise file.on(number).error(f"not JSON: {error.msg} at column {error.colno}.") from None
        if not isinstance(fields, dict):
            raise file.on(number).error(f"expected a JSON object, got {type(fields).__name__}.")
        if not rows and not fields.keys() & _PREDICTION_KEYS:
            return None
        rows.append(_Row(file.on(number), fields))
    return rows


def _place(row: _Row, fields: Any) -> Place:
    if not isinstance(fields, dict):
        raise row.error(f"a mention must be an object, got {type(fields).__name__}.")
    start, end = fields.get("start"), fields.get("end")
    if type(start) is not int or type(end) is not int:  # JSON's `true` is an `int`, too
        raise row.error(
            f"'start' and 'end' of a prediction must be whole numbers, got {json.dumps(start)} and {json.dumps(end)}."
        )
    return str(fields.get("document", row.fields.get("id", ""))), start, end


def _predicted(row: _Row) -> Predicted:
    fields = row.fields
    candidates = _list(row, "candidates")
    if not all(isinstance(item, dict) and isinstance(item.get("concept"), str) for item in candidates):
        raise row.error("a candidate must be an object with a 'concept'.")
    ranked, names = homonyms((as_curie(item["concept"]), str(item.get("name") or "")) for item in candidates)
    concepts, _ = concepts_of(fields, row.reading)
    probability = fields.get("probability")
    is_number = isinstance(probability, int | float) and not isinstance(probability, bool)
    if probability is not None and not (is_number and 0 <= probability <= 1):
        raise row.error(f"'probability' must be between 0 and 1 or null, got {probability!r}.")
    return Predicted(
        concepts=frozenset(concepts),
        ranked=ranked,
        names=names,
        probability=None if probability is None else float(probability),
        parts=tuple(_predicted(_Row(row.reading, part)) for part in _list(row, "parts")),
    )


def _list(row: _Row, name: str) -> list[Any]:
    value = row.fields.get(name) or [] if isinstance(row.fields, dict) else None
    if not isinstance(value, list):
        raise row.error(f"'{name}' must be a list, got {type(value).__name__}.")
    return value
