"""Anybody's predictions, matched to the gold mentions they answer.

A file is read as one of

    mentions    one JSON object a line with `concepts`, as `linnet link --mentions` writes them. Matched by `document`,
                `start`, `end` where every line has them, else by `id` where the gold has ids, else line by line
    documents   one JSON object a line with `mentions`, or any corpus format: matched by document, start and end
    table       CSV, TSV or Parquet with a column of concepts, as `linnet link` writes them; matched as mentions are
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
from linnet.errors import DataError
from linnet.evaluate.gold import Gold, Predicted, gold_mentions, golds_of, homonyms
from linnet.evaluate.prediction_tables import is_table, table_rows
from linnet.files import read_lines
from linnet.types import Document, Mention

__all__ = ["Answers", "answers_in_documents", "read_predictions"]

_SHOWN = 5
_TOLD_BY = frozenset({"mentions", "concepts", "concept", "cui"})


@dataclass(frozen=True, slots=True)
class Answers:
    """Predictions in the order of the gold mentions.

    found    the file's annotations of running text; None for the mention format
    missing  gold mentions without an answer (counted as NIL)
    unknown  answers that belong to no gold mention
    """

    predictions: list[Predicted]
    found: list[Gold] | None
    missing: int
    unknown: int
    examples: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must be told; empty when every mention has its answer."""
        notes = []
        if self.missing:
            notes.append(f"{self.missing:,} mentions have no prediction; they count as NIL.")
        if self.unknown:
            shown = f", e.g. {'; '.join(self.examples)}" if self.examples else ""
            notes.append(
                f"{self.unknown:,} predictions belong to no gold mention and were not scored{shown}."
            )
        return tuple(notes)


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    fields: Mapping[str, Any]


def read_predictions(path: str | Path, mentions: Sequence[Mention], *, format: str | None = None) -> Answers:
    """Predictions of a file for these gold mentions.

    format  a corpus format, for files that are neither mentions nor documents in JSON lines; detected from the content
            if None

    Raises DataError for a file that is empty, malformed, or cannot be matched, naming file and line.
    """
    if format == "table" or (format is None and is_table(path)):
        rows: list[_Row] | None = [_Row(number, fields) for number, fields in table_rows(path, mentions)]
    else:
        rows = _json_rows(path) if format in (None, "jsonl", "mentions") else None
    if rows is None:
        answers = answers_in_documents(read(path, format=format, annotated=True), mentions)
        _check_matched(answers, mentions, path)
        return _checked(answers, golds_of(mentions), path)
    if not rows:
        raise DataError("holds no prediction; expected one JSON object a line.", path=path)
    golds = golds_of(mentions)
    if all("mentions" in row.fields for row in rows):
        placed = [
            (_place(row, field, path), _predicted(_Row(row.line, field), path), str(field.get("type", "")))
            for row in rows
            for field in _list(row, "mentions", path)
        ]
        answers = _by_place(placed, golds)
    elif all({"document", "start", "end"} <= row.fields.keys() for row in rows):
        placed = [
            (_place(row, row.fields, path), _predicted(row, path), str(row.fields.get("type", "")))
            for row in rows
        ]
        answers = _without_found(_by_place(placed, golds))
    else:
        answers = _by_id(rows, mentions, golds, path) or _by_order(rows, golds, path)
    _check_matched(answers, mentions, path)
    return _checked(answers, golds, path)


def answers_in_documents(documents: Iterable[Document], mentions: Sequence[Mention]) -> Answers:
    """Annotated documents as predictions for these gold mentions, matched by document, start and end."""
    found = list(gold_mentions(documents))
    placed = [
        (
            (mention.document.id, mention.start, mention.end),
            Predicted(frozenset(mention.concepts), probability=mention.confidence),
            mention.type,
        )
        for mention in found
    ]
    return _by_place(placed, golds_of(mentions))


Place = tuple[str, int, int]


def _by_place(placed: Sequence[tuple[Place, Predicted, str]], golds: Sequence[Gold]) -> Answers:
    at: defaultdict[Place, list[tuple[Predicted, str]]] = defaultdict(list)
    for place, predicted, type in placed:
        at[place].append((predicted, type))
    asked = {(gold.document, gold.start, gold.end) for gold in golds}
    predictions = [_joined(at.get((gold.document, gold.start, gold.end), []), gold.type) for gold in golds]
    strangers = [place for place, _, _ in placed if place not in asked]
    found = [
        Gold(*place, text="", type=type, concepts=predicted.concepts) for place, predicted, type in placed
    ]
    shown = tuple(f"document {document} at {start}–{end}" for document, start, end in strangers[:_SHOWN])
    return Answers(predictions, found, sum(p.missing for p in predictions), len(strangers), shown)


def _joined(here: Sequence[tuple[Predicted, str]], type: str) -> Predicted:
    """The answer at a place: of several, those of the gold's type; what is left of several is one composite."""
    same = [predicted for predicted, said in here if said.casefold() == type.casefold()]
    chosen = list(dict.fromkeys(same or [predicted for predicted, _ in here]))
    if not chosen:
        return Predicted(missing=True)
    if len(chosen) == 1:
        return chosen[0]
    parts = tuple(predicted for predicted in chosen if predicted.concepts)
    return Predicted(frozenset(id for part in parts for id in part.concepts), parts=parts)


def _by_id(
    rows: Sequence[_Row], mentions: Sequence[Mention], golds: Sequence[Gold], path: str | Path
) -> Answers | None:
    wanted = [str(mention.extra["id"]) for mention in mentions if "id" in mention.extra]
    if len(wanted) != len(mentions) or len(set(wanted)) != len(wanted):
        return None
    answers: dict[str, Predicted] = {}
    for row in rows:
        if "id" not in row.fields:
            return None
        id = str(row.fields["id"])
        if id in answers:
            raise DataError(
                f"id '{id}' occurs twice; expected one prediction per mention.", path=path, line=row.line
            )
        answers[id] = _predicted(row, path)
    strangers = [id for id in answers if id not in set(wanted)]
    predictions = [answers.get(id, Predicted(missing=True)) for id in wanted]
    missing = sum(predicted.missing for predicted in predictions)
    return Answers(predictions, None, missing, len(strangers), tuple(strangers[:_SHOWN]))


def _by_order(rows: Sequence[_Row], golds: Sequence[Gold], path: str | Path) -> Answers:
    hint = (
        "Give every line `document`, `start` and `end`, or predict the mentions of the corpus in its order."
    )
    if len(rows) != len(golds):
        raise DataError(
            f"{len(rows):,} predictions for {len(golds):,} gold mentions, and nothing to match them by. {hint}",
            path=path,
        )
    for row, gold in zip(rows, golds, strict=True):
        said = " ".join(str(row.fields.get("text", gold.text)).lower().split())
        if said != gold.surface:
            raise DataError(
                f"predicts '{said}'; the gold mention here is '{gold.surface}'. {hint}",
                path=path,
                line=row.line,
            )
    return Answers([_predicted(row, path) for row in rows], None, 0, 0)


def _without_found(answers: Answers) -> Answers:
    return Answers(answers.predictions, None, answers.missing, answers.unknown, answers.examples)


def _checked(answers: Answers, golds: Sequence[Gold], path: str | Path) -> Answers:
    """The answers, bare numbers read as those of the mentions they answer.

    Raises DataError for ids without prefix where the gold has one: they would score 0 without a word.
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
        raise DataError(
            f"ids have no prefix ('{min(predicted_ids)}'); expected ids as in the corpus ('{min(gold_ids)}').",
            path=path,
        )
    return replace(answers, predictions=predictions)


def _of_type(predicted: Predicted, type: str) -> Predicted:
    """The answer with the prefixes that the type of its mention tells."""
    return replace(
        predicted,
        concepts=frozenset(as_curie(id, type=type) for id in predicted.concepts),
        ranked=tuple(tuple(as_curie(id, type=type) for id in group) for group in predicted.ranked),
        parts=tuple(_of_type(part, type) for part in predicted.parts),
    )


def _check_matched(answers: Answers, mentions: Sequence[Mention], path: str | Path) -> None:
    """Raise DataError where no prediction answers any gold mention, which would score 0 without a word."""
    if not mentions or answers.missing < len(mentions):
        return
    golds = [f"document {m.document.id} at {m.start}–{m.end}" for m in mentions[:_SHOWN]]
    theirs = f"It has {'; '.join(answers.examples)}" if answers.examples else "It has no mention"
    raise DataError(
        f"answers none of the {len(mentions):,} gold mentions. {theirs}; the corpus has {'; '.join(golds)}. "
        "Predict the mentions of this corpus, with its document ids and offsets.",
        path=path,
    )


def _json_rows(path: str | Path) -> list[_Row] | None:
    """The objects of a JSON-lines file; None when its first line with text is no JSON object."""
    rows: list[_Row] = []
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except json.JSONDecodeError as error:
            if not rows:
                return None
            raise DataError(
                f"not JSON: {error.msg} at column {error.colno}.", path=path, line=number
            ) from None
        if not isinstance(fields, dict):
            raise DataError(f"expected a JSON object, got {type(fields).__name__}.", path=path, line=number)
        if not rows and not fields.keys() & _TOLD_BY:
            return None
        rows.append(_Row(number, fields))
    return rows


def _place(row: _Row, fields: Any, path: str | Path) -> Place:
    if not isinstance(fields, dict):
        raise DataError(
            f"a mention must be an object, got {type(fields).__name__}.", path=path, line=row.line
        )
    start, end = fields.get("start"), fields.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        raise DataError("'start' and 'end' of a prediction must be whole numbers.", path=path, line=row.line)
    return str(fields.get("document", row.fields.get("id", ""))), start, end


def _predicted(row: _Row, path: str | Path) -> Predicted:
    fields = row.fields
    candidates = _list(row, "candidates", path)
    if not all(isinstance(one, dict) and isinstance(one.get("concept"), str) for one in candidates):
        raise DataError("a candidate must be an object with a 'concept'.", path=path, line=row.line)
    ranked, names = homonyms((as_curie(one["concept"]), str(one.get("name") or "")) for one in candidates)
    concepts, _ = concepts_of(fields, path, row.line)
    probability = fields.get("probability")
    if probability is not None and not (isinstance(probability, int | float) and 0 <= probability <= 1):
        raise DataError(
            f"'probability' must be between 0 and 1 or null, got {probability!r}.", path=path, line=row.line
        )
    return Predicted(
        concepts=frozenset(concepts),
        ranked=ranked,
        names=names,
        probability=None if probability is None else float(probability),
        parts=tuple(_predicted(_Row(row.line, part), path) for part in _list(row, "parts", path)),
    )


def _list(row: _Row, name: str, path: str | Path) -> list[Any]:
    value = row.fields.get(name) or [] if isinstance(row.fields, dict) else None
    if not isinstance(value, list):
        raise DataError(f"'{name}' must be a list, got {type(value).__name__}.", path=path, line=row.line)
    return value
