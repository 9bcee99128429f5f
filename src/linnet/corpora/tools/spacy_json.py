"""Training examples in the JSON formats of spaCy 2 and related tools.

    ["Gout hurts.", {"entities": [[0, 4, "Disease"]], "links": {"(0, 4)": {"Q133087": 1.0}}}]
    {"text": "Gout hurts.", "entities": [[0, 4, "Disease"]]}         also `ents`, with objects for the entities
    {"classes": ["DISEASE"], "annotations": [["Gout hurts.", {"entities": [[0, 4, "DISEASE"]]}]]}

In an array, or one per line. Other fields are kept in `extra["spacy"]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.corpora.ids import parse_concepts
from linnet.corpora.json_records import json_records
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.concept_fields import type_and_concepts
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import (
    id_of,
    list_field,
    preview,
    text_of,
    whole_number,
)
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document

__all__ = ["ENTITY_FIELDS", "document_of_example", "read_spacy"]

ENTITY_FIELDS = ("entities", "ents")
_STARTS, _ENDS, _LABELS = (
    ("start", "begin", "start_offset", "start_char"),
    ("end", "end_offset", "end_char"),
    ("label", "type", "entity_group", "tag"),
)
_IDS = ("kb_id", "concept", "concepts", "cui", "identifier")
_SPAN = re.compile(r"^\(?\s*(\d+)\s*,\s*(\d+)\s*\)?$")
_KNOWN = frozenset({"id", "text", "links", "tokens", *ENTITY_FIELDS})


def read_spacy(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, numbered if they have no id; the whole file is held in memory.

    Raises or refuses DataError and OffsetError.
    """
    reading = FileReading(path, refuse, note)
    return reading.each(
        _examples(reading), lambda number, line, record: document_of_example(record, number, reading.on(line))
    )


def _examples(reading: FileReading) -> Iterator[tuple[int, int | None, Any]]:
    number = 0
    for _, line, record in json_records(reading):
        inner = [record]
        if isinstance(record, dict) and "text" not in record and isinstance(record.get("annotations"), list):
            inner = record["annotations"]
        for example in inner:
            number += 1
            if example is None:  # a text that its annotator skipped
                reading.note("empty examples, left out")
            else:
                yield number, line, example


def document_of_example(record: Any, number: int, reading: FileReading) -> Document:
    """The document of an example, with its entities. Raises DataError for anything else."""
    if isinstance(record, list) and len(record) == 2 and isinstance(record[0], str):
        annotations = record[1] if isinstance(record[1], dict) else {"entities": record[1]}
        record = {"text": record[0], **annotations}
    text = text_of(record, ("text",), reading.at(f"example {number}"))
    id = id_of(record, number)
    reading = reading.at(f"document {id}")
    fields = [name for name in ENTITY_FIELDS if record.get(name) is not None]
    if not fields:
        raise reading.error(
            f"expected entities in {' or '.join(map(repr, ENTITY_FIELDS))}, got the fields "
            f"{', '.join(map(repr, record))}."
        )
    links = _links(record.get("links"))
    items = (
        (item, links, reading.inside(f"entity {position}"))
        for name in fields
        for position, item in enumerate(list_field(record, name, reading), start=1)
    )
    spans = list(reading.each(items, _span))
    other = {name: value for name, value in record.items() if name not in _KNOWN}
    return document_of(id, text, spans, "code points", reading, extra={"spacy": other} if other else {})


def _links(field: Any) -> dict[tuple[int, int], tuple[str, ...]]:
    """The concepts of each span, which have weight 1."""
    links: dict[tuple[int, int], tuple[str, ...]] = {}
    for place, weights in (field if isinstance(field, dict) else {}).items():
        if (match := _SPAN.match(place)) and isinstance(weights, dict):
            ids = [id for id, weight in weights.items() if weight in (1, 1.0)]
            links[int(match[1]), int(match[2])] = tuple(
                concept for id in ids for concept in parse_concepts(id)[0]
            )
    return links


def _span(item: Any, links: Mapping[tuple[int, int], tuple[str, ...]], reading: FileReading) -> MarkedSpan:
    if isinstance(item, list) and len(item) in (3, 4):
        start, end, label = item[:3]
        linked_to, surface = (item[3] if len(item) == 4 else None), None
    elif isinstance(item, dict):
        start, end, label = _first(item, _STARTS), _first(item, _ENDS), _first(item, _LABELS)
        linked_to, surface = _first(item, _IDS), item.get("text")
    else:
        raise reading.error(
            f"expected [start, end, label], or an object with 'start', 'end' and 'label', got {preview(item)}."
        )
    begin = whole_number(start, "start", reading)
    stop_ = whole_number(end, "end", reading)
    type, concepts = type_and_concepts(label) if isinstance(label, str) else ("", ())
    ids = [id for id in (linked_to if isinstance(linked_to, list) else [linked_to]) if isinstance(id, str)]
    # spaCy writes "" or "0" for an entity without a link.
    linked = tuple(concept for id in ids if id != "0" for concept in parse_concepts(id, type=type)[0])
    return MarkedSpan(
        begin,
        stop_,
        surface if isinstance(surface, str) else None,
        type,
        linked or links.get((begin, stop_)) or concepts,
        reading.item,
    )


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)
