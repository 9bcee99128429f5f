"""Label Studio: its JSON export (tasks with `data`, `annotations`, `predictions`) and JSON-MIN (regions in a field of the task).

Of each task, the ground truth is read, else the latest annotation that was not cancelled. A region with several labels
becomes one mention per label; ids among its labels, and in answers about it (text area, taxonomy, choices, notes), are its
concepts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from linnet.corpora.json_records import json_records
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.label_studio_regions import Region, regions_of
from linnet.corpora.tools.label_studio_texts import TextChoice
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import id_of, list_field, preview
from linnet.corpora.unannotated import UNANNOTATED
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document

__all__ = ["is_minimal", "read_label_studio"]

_OWN = frozenset({"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"})


class Task(NamedTuple):
    """A task. annotations: each with `result`; minimal: whether it is JSON-MIN."""

    id: str
    data: dict[str, Any]
    annotations: list[dict[str, Any]]
    line: int | None
    minimal: bool = False


def read_label_studio(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, with the ids of their tasks; the whole file is held in memory.

    Raises or refuses DataError and OffsetError.
    """
    texts, reading = TextChoice(), FileReading(path, refuse, note)
    tasks = ((task,) for task in _merged(_tasks(reading)))
    return reading.each(tasks, lambda task: _document(task, texts, reading.on(task.line)))


def is_minimal(record: Mapping[str, Any]) -> bool:
    """Whether the record is a task of JSON-MIN, with regions or fields of an annotation beside the data."""
    return ("annotation_id" in record and "lead_time" in record) or any(map(_is_regions, record.values()))


def _tasks(file: FileReading) -> Iterator[Task]:
    def read(number: int, line: int | None, record: Any) -> Task:
        reading = file.on(line).at(f"task {number}")
        if not isinstance(record, dict):
            raise reading.error(f"expected an object, got {preview(record)}.")
        id = id_of(record, number)
        if isinstance(record.get("data"), dict):
            return Task(id, record["data"], _finished(record, reading.at(f"task {id}")), line)
        if is_minimal(record):
            return _minimal(record, id, line)
        raise reading.error(
            f"expected 'data' and 'annotations', got the fields {', '.join(map(repr, record))}. "
            "Export the project as JSON."
        )

    return file.each(json_records(file), read)


def _finished(record: Mapping[str, Any], reading: FileReading) -> list[dict[str, Any]]:
    """The finished annotations, in file order."""
    for name, what in (("predictions", "predictions, left out"), ("drafts", "drafts, left out")):
        if isinstance(record.get(name), list):
            reading.note(what, len(record[name]))
    finished = []
    field = "annotations" if record.get("annotations") is not None else "completions"
    for position, annotation in enumerate(list_field(record, field, reading), start=1):
        if not isinstance(annotation, dict) or not isinstance(annotation.get("result", []), list):
            raise reading.inside(f"annotation {position}").error(
                f"expected an object with a list in 'result', got {preview(annotation)}. "
                "Export the project as JSON, with complete annotations."
            )
        if annotation.get("was_cancelled"):
            reading.note("annotations that were cancelled, left out")
        else:
            finished.append(annotation)
    return finished


def _minimal(record: Mapping[str, Any], id: str, line: int | None) -> Task:
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
    """The tasks; adjacent ones with the same id and text are merged, as JSON-MIN has one record per annotation."""
    merged: Task | None = None
    for task in tasks:
        if merged and task.minimal and (task.id, task.data) == (merged.id, merged.data):
            merged = merged._replace(annotations=[*merged.annotations, *task.annotations])
            continue
        if merged:
            yield merged
        merged = task
    if merged:
        yield merged


def _document(task: Task, texts: TextChoice, reading: FileReading) -> Document:
    reading = reading.at(f"task {task.id}")
    chosen = _chosen(task.annotations, reading)
    regions: Sequence[Region] = ()
    relations: Sequence[Any] = ()
    if chosen is not None:
        regions, relations = regions_of(chosen.get("result") or [], reading)
    name, text = texts.choose(task.data, regions, reading)
    other = {field: value for field, value in task.data.items() if field != name}
    own = ({"data": other} if other else {}) | ({"relations": list(relations)} if relations else {})
    extra: dict[str, Any] = {"labelstudio": own} if own else {}
    if chosen is None:
        return Document(task.id, text, (), extra | {UNANNOTATED: "without a finished annotation"})
    spans = [
        MarkedSpan(region.start, region.end, region.text, type, region.concepts, region.item)
        for region in regions
        for type in region.types
    ]
    return document_of(task.id, text, spans, "either", reading, extra=extra)


def _chosen(annotations: Sequence[dict[str, Any]], reading: FileReading) -> dict[str, Any] | None:
    if not annotations:
        return None
    marked = [annotation for annotation in annotations if annotation.get("ground_truth")]
    candidates = marked or list(annotations)
    reading.note(
        "annotations of tasks that were annotated several times, left out: only the ground truth or the latest one is read",
        len(annotations) - 1,
    )
    # ISO 8601 times sort as text; without times, the last annotation counts.
    return max(enumerate(candidates), key=lambda item: (str(item[1].get("updated_at") or ""), item[0]))[1]
