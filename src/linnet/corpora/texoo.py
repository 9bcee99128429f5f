"""TeXoo JSON: `{"name", "language", "documents": [{"id", "text", "annotations": [{"class", "begin", "length", …}]}]}`.

A file may also hold a single document, or an array of documents. `source` (GOLD, USER or PRED) is the mention's `source` in
lower case; `refId` holds its concepts (joined with `|`, or `+` if they hold only together). Annotations that are not
mentions, and unknown fields, are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.ids import format_concepts, parse_concepts
from linnet.corpora.json_collection import write_collection
from linnet.corpora.json_records import json_objects
from linnet.corpora.jsonl import string
from linnet.corpora.lines import preview
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.spans import checked
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document, Mention

__all__ = ["is_texoo", "read_texoo", "write_texoo"]

_CLASSES = ("NamedEntityAnnotation", "MentionAnnotation")
_SOURCES = {"GOLD": "gold", "USER": "user", "PRED": "pred"}
_HOLDS = frozenset({"mentions", "type", "concepts", "source", "confidence", "combined", "texoo"})
_DOCUMENT = frozenset({"id", "text", "annotations"})
_ANNOTATION = frozenset({"begin", "length", "text", "type", "source", "refId", "confidence"})


def read_texoo(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the whole file is held in memory. Raises or refuses DataError and OffsetError."""
    number = 0
    reading = FileReading(path, refuse, note)
    for line, record in json_objects(reading):
        header: dict[str, Any] = {}
        documents = [record]
        if isinstance(record.get("documents"), list):
            documents = record["documents"]
            header = {name: value for name, value in record.items() if name != "documents"}
        elif "text" not in record:
            message = 'expected {"documents": [...]} or {"id", "text", "annotations"}. Is it TeXoo JSON?'
            refuse(reading.on(line).error(message, Step.NAME_FORMAT()))
            continue
        numbered = ((item, position, header, reading) for position, item in enumerate(documents, number + 1))
        number += len(documents)
        yield from reading.each(numbered, _document)


def is_texoo(record: Mapping[str, Any]) -> bool:
    """Whether it is the first object of a file in this format."""
    documents = record.get("documents")
    if isinstance(documents, list):
        return not documents or (isinstance(documents[0], dict) and "text" in documents[0])
    annotations = record.get("annotations")
    measured = {"begin", "length"}
    inside = isinstance(annotations, list) and any(
        measured <= item.keys() for item in annotations[:1] if isinstance(item, dict)
    )
    return "text" in record and (inside or measured <= record.keys())


def write_texoo(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one dataset, with the name and language of the first document's dataset, if any.

    A source unknown to TeXoo (a recogniser's name) becomes PRED and is kept in the field `recogniser`.
    """
    lost: Counter[str] = Counter()
    default = {"name": "linnet", "language": "en"}

    def record(document: Document) -> dict[str, Any]:
        lost.update(unheld(document, _HOLDS))
        return _record(document)

    write_collection(
        path,
        documents,
        header=lambda first: default | first.extra.get("texoo", {}).get("dataset", {}),
        empty=default,
        record=record,
    )
    return Losses(lost)


def _document(record: Any, number: int, header: dict[str, Any], reading: FileReading) -> Document:
    if not isinstance(record, dict):
        raise reading.error(f"document {number}: expected an object, got {preview(record)}.")
    id, text = string(record, "id", reading, default=str(number)), string(record, "text", reading)
    home = Document(id, text)
    other: list[Any] = []
    annotations = record.get("annotations")
    if not (annotations is None or isinstance(annotations, list)):
        raise reading.error(f"document {id}: expected a list in 'annotations', got {preview(annotations)}.")
    own_mentions: list[tuple[dict[str, Any], Document, FileReading]] = []
    for annotation in annotations or ():
        if isinstance(annotation, dict) and str(annotation.get("class", _CLASSES[0])).endswith(_CLASSES):
            own_mentions.append((annotation, home, reading))
        else:
            other.append(annotation)
            reading.note(f"annotations that are not mentions ({_class(annotation)}), kept aside")
    mentions = reading.each(own_mentions, _mention)
    own: dict[str, Any] = {name: value for name, value in record.items() if name not in _DOCUMENT}
    extra = ({"fields": own} if own else {}) | ({"annotations": other} if other else {})
    if number == 1 and header:
        extra["dataset"] = header
    return Document(id, text, tuple(mentions), {"texoo": extra} if extra else {})


def _class(annotation: Any) -> str:
    return (
        str(annotation.get("class", "no class")).rpartition(".")[2]
        if isinstance(annotation, dict)
        else "no object"
    )


def _mention(record: Mapping[str, Any], home: Document, reading: FileReading) -> Mention:
    place = reading.at(f"document {home.id}")
    begin, length = record.get("begin"), record.get("length")
    if type(begin) is not int or type(length) is not int:
        raise place.error(f"expected whole numbers in 'begin' and 'length', got {begin!r} and {length!r}.")
    stated = None if record.get("text") is None else string(record, "text", reading)
    surface = checked(home.text, begin, begin + length, stated, place)
    type_ = string(record, "type", reading, default="")
    concepts, combined = parse_concepts(string(record, "refId", reading, default=""), type=type_)
    confidence = record.get("confidence")
    if not (confidence is None or type(confidence) in (int, float)):
        raise place.error(f"expected a number in 'confidence', got {preview(confidence)}.")
    source = string(record, "source", reading, default="GOLD")
    own: dict[str, Any] = {
        name: value
        for name, value in record.items()
        if name not in _ANNOTATION and (name, value) != ("class", _CLASSES[0])
    }
    recogniser = own.pop("recogniser", None) if source == "PRED" else None
    extra = ({"combined": True} if combined else {}) | ({"texoo": {"fields": own}} if own else {})
    return Mention(
        home,
        begin,
        begin + length,
        surface,
        type_,
        concepts,
        str(recogniser or _SOURCES.get(source, source)),
        None if confidence is None else float(confidence),
        extra,
    )


def _record(document: Document) -> dict[str, Any]:
    own = document.extra.get("texoo", {})
    record: dict[str, Any] = {"id": document.id, "text": document.text, **own.get("fields", {})}
    record["annotations"] = [*map(_annotation, document.mentions), *own.get("annotations", ())]
    return record


def _annotation(mention: Mention) -> dict[str, Any]:
    record: dict[str, Any] = {
        "class": _CLASSES[0],
        "begin": mention.start,
        "length": mention.end - mention.start,
        "text": mention.text,
        "type": mention.type,
        "source": {source: name for name, source in _SOURCES.items()}.get(mention.source, "PRED"),
    }
    if record["source"] == "PRED" and mention.source != "pred":
        record["recogniser"] = mention.source
    if mention.concepts:
        combined = bool(mention.extra.get("combined"))
        record["refId"] = format_concepts(mention.concepts, combined=combined, bare_mesh=False)
    if mention.confidence is not None:
        record["confidence"] = mention.confidence
    record.update(mention.extra.get("texoo", {}).get("fields", {}))
    return record
