"""Label Studio: its JSON export (tasks with `data`, `annotations`, `predictions`) and JSON-MIN (regions in a field of the task).

Of each task the ground truth is read, else the latest annotation that was not cancelled. A region with several labels gives a
mention for each; ids among its labels, and in answers about it (text area, taxonomy, choices, notes), are its concepts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse, stop
from linnet.corpora.tools.label_studio_regions import Region, regions_of
from linnet.corpora.tools.label_studio_texts import TextChoice
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import Line, listed, shown, task_records
from linnet.corpora.unannotated import UNANNOTATED
from linnet.errors import DataError
from linnet.types import Document

__all__ = ["is_minimal", "read_label_studio"]

_OWN = frozenset({"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"})


class Task(NamedTuple):
    """id: of the task; data: its fields; annotations: each with `result`; minimal: whether it is JSON-MIN."""

    id: str
    data: dict[str, Any]
    annotations: list[dict[str, Any]]
    line: Line
    minimal: bool = False


def read_label_studio(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, named by the id of the task; the file is read whole.

    Raises or refuses DataError and OffsetError.
    """
    texts = TextChoice()
    for task in _merged(_tasks(path, refuse, note)):
        try:
            document = _document(task, texts, path, refuse, note)
        except DataError as error:
            refuse(error)
        else:
            yield document


def is_minimal(record: Mapping[str, Any]) -> bool:
    """Whether it is a task of JSON-MIN: regions, or marks of an annotation, beside the data."""
    return ("annotation_id" in record and "lead_time" in record) or any(map(_is_regions, record.values()))


def _tasks(path: str | Path, refuse: Refuse, note: Note) -> Iterator[Task]:
    for number, line, record in task_records(path, refuse):
        where = f"task {number}"
        try:
            if not isinstance(record, dict):
                raise DataError(f"{where}: expected an object, got {shown(record)}.", path=path, line=line)
            given = record.get("id")
            id = str(given) if isinstance(given, (str, int)) else str(number)
            if isinstance(record.get("data"), dict):
                yield Task(id, record["data"], _finished(record, path, line, f"task {id}", note), line)
            elif is_minimal(record):
                yield _minimal(record, id, line)
            else:
                raise DataError(
                    f"{where}: expected 'data' and 'annotations', got the fields {', '.join(map(repr, record))}. "
                    "Export the project as JSON.",
                    path=path,
                    line=line,
                )
        except DataError as error:
            refuse(error)


def _finished(
    record: Mapping[str, Any], path: str | Path, line: Line, where: str, note: Note
) -> list[dict[str, Any]]:
    """The annotations that count, in file order."""
    for name, what in (("predictions", "predictions, left out"), ("drafts", "drafts, left out")):
        if isinstance(record.get(name), list):
            note(what, len(record[name]))
    finished = []
    field = "annotations" if record.get("annotations") is not None else "completions"
    for place, annotation in enumerate(listed(record, field, path, line, where), start=1):
        if not isinstance(annotation, dict) or not isinstance(annotation.get("result", []), list):
            raise DataError(
                f"{where}, annotation {place}: expected an object with a list in 'result', got {shown(annotation)}. "
                "Export the project as JSON, with whole annotations.",
                path=path,
                line=line,
            )
        if annotation.get("was_cancelled"):
            note("annotations that were cancelled, left out")
        else:
            finished.append(annotation)
    return finished


def _minimal(record: Mapping[str, Any], id: str, line: Line) -> Task:
    result: list[dict[str, Any]] = []
    data: dict[str, Any] = {}
    for name, value in record.items():
        if _is_regions(value):
            regions = json.loads(value) if isinstance(value, str) else value
            result += [{"type": "labels", "from_name": name, "value": region} for region in regions]
        elif name not in _OWN:
            data[name] = value
    annotation = {"result": result, "updated_at": record.get("updated_at"), "id": record.get("annotation_id")}
    return Task(id, data, [annotation], line, minimal=True)


def _is_regions(value: Any) -> bool:
    if isinstance(value, str) and value.startswith('[{"'):  # as in the CSV export
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return False
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(region, dict) and {"start", "end", "labels"} <= region.keys() for region in value)
    )


def _merged(tasks: Iterator[Task]) -> Iterator[Task]:
    """Tasks of one id and text that follow one another as one: JSON-MIN has a record for each annotation."""
    waiting: Task | None = None
    for task in tasks:
        if waiting and task.minimal and (task.id, task.data) == (waiting.id, waiting.data):
            waiting = waiting._replace(annotations=[*waiting.annotations, *task.annotations])
            continue
        if waiting:
            yield waiting
        waiting = task
    if waiting:
        yield waiting


def _document(task: Task, texts: TextChoice, path: str | Path, refuse: Refuse, note: Note) -> Document:
    where = f"task {task.id}"
    chosen = _chosen(task.annotations, note)
    regions: Sequence[Region] = ()
    relations: Sequence[Any] = ()
    if chosen is not None:
        regions, relations = regions_of(chosen.get("result") or [], path, task.line, where, refuse, note)
    name, text = texts.choose(task.data, regions, path, task.line, where)
    other = {field: value for field, value in task.data.items() if field != name}
    own = ({"data": other} if other else {}) | ({"relations": list(relations)} if relations else {})
    extra: dict[str, Any] = {"labelstudio": own} if own else {}
    if chosen is None:
        return Document(task.id, text, (), extra | {UNANNOTATED: "without a finished annotation"})
    spans = [
        MarkedSpan(region.start, region.end, region.text, type, region.concepts, region.where)
        for region in regions
        for type in region.types
    ]
    return document_of(
        task.id,
        text,
        spans,
        unit="either",
        path=path,
        line=task.line,
        refuse=refuse,
        note=note,
        extra=extra,
    )


def _chosen(annotations: Sequence[dict[str, Any]], note: Note) -> dict[str, Any] | None:
    if not annotations:
        return None
    marked = [annotation for annotation in annotations if annotation.get("ground_truth")]
    candidates = marked or list(annotations)
    note(
        "annotations of tasks that were annotated several times, left out: the ground truth is read, else the latest one",
        len(annotations) - 1,
    )
    # Times are in ISO 8601, which sorts as text; without them the last one counts.
    return max(enumerate(candidates), key=lambda item: (str(item[1].get("updated_at") or ""), item[0]))[1]
