"""doccano: JSON Lines with `label` or `labels` (`[[start, end, type]]`), or `entities` and `relations`; old JSON with
`annotations` (`[{"label", "start_offset", "end_offset"}]`).

The text is in `text`, or `data`. Other fields are kept in `extra["doccano"]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.concept_fields import type_and_concepts
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import (
    id_of,
    list_field,
    note_unread,
    preview,
    read_tasks,
    text_of,
    whole_number,
)
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document

__all__ = ["SPAN_FIELDS", "read_doccano"]

SPAN_FIELDS = ("label", "labels", "entities", "annotations")
_KNOWN = frozenset({"id", "text", "data", *SPAN_FIELDS})


def read_doccano(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the whole file is held in memory. Raises or refuses DataError and OffsetError."""
    return read_tasks(FileReading(path, refuse, note), _document)


def _document(record: Any, number: int, reading: FileReading) -> Document:
    text = text_of(record, ("text", "data"), reading.at(f"document {number}"))
    id = id_of(record, number)
    reading = reading.at(f"document {id}")
    fields = [name for name in SPAN_FIELDS if record.get(name) is not None]
    if not fields:
        raise reading.error(
            f"expected annotations in {' or '.join(map(repr, SPAN_FIELDS))}, "
            f"got the fields {', '.join(map(repr, record))}. Is it an export of doccano?",
            Step.NAME_FORMAT(),
        )
    items = (
        (name, place, item)
        for name in fields
        for place, item in enumerate(list_field(record, name, reading), start=1)
    )
    spans = list(
        reading.each(items, lambda name, place, item: _span(item, reading.inside(f"{name} {place}")))
    )
    if not spans:
        reading.note("documents without labels, read as documents without mentions")
    other = {name: value for name, value in record.items() if name not in _KNOWN}
    note_unread(other, reading)
    return document_of(id, text, spans, "either", reading, extra={"doccano": other} if other else {})


def _span(item: Any, reading: FileReading) -> MarkedSpan:
    if isinstance(item, list) and len(item) == 3:
        start, end, label = item
        extra: dict[str, Any] = {}
    elif isinstance(item, dict) and {"start_offset", "end_offset"} <= item.keys():
        start, end, label = item["start_offset"], item["end_offset"], item.get("label")
        extra = {
            name: value for name, value in item.items() if name not in ("start_offset", "end_offset", "label")
        }
    else:
        raise reading.error(
            f"expected [start, end, label] or an object with 'start_offset' and 'end_offset', got {preview(item)}. "
            "Labels of whole documents cannot be read: export a sequence labelling project."
        )
    if isinstance(label, int):
        reading.note("numbers as labels, kept as they are: this export does not hold the names")
    elif not isinstance(label, str):
        raise reading.error(f"expected a label, got {preview(label)}.")
    type, concepts = type_and_concepts(str(label))
    return MarkedSpan(
        whole_number(start, "start", reading),
        whole_number(end, "end", reading),
        None,
        type,
        concepts,
        reading.item,
        {"doccano": extra} if extra else {},
    )
