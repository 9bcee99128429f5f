"""JSON Lines documents: `{"id", "text", "mentions": [{"start", "end", "text", "type", "concepts", …}]}`, one per line.

Nothing is lost: `source`, `confidence`, `attributes` and `extra` are fields too, written unless empty. Unknown fields are kept
in `extra["jsonl"]` and written back. A mention's concepts may also be given as `"concept": "MESH:D003920"` or
`"cui": "C0011849"`. The id of a document defaults to its line number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.ids import as_curie, is_none, parse_concepts
from linnet.corpora.jq import text_from
from linnet.corpora.lines import preview, records
from linnet.corpora.losses import Losses
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.spans import checked
from linnet.formats.refusal import Refuse, stop
from linnet.io.files import open_output
from linnet.types import Document, Mention

__all__ = ["concepts_of", "document_of", "read_jsonl", "string", "write_jsonl"]

_DOCUMENT = frozenset({"id", "text", "mentions", "extra"})
_MENTION = frozenset(
    {"start", "end", "text", "type", "concepts", "concept", "cui", "source", "confidence", "extra"}
)


def read_jsonl(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, lazily. Raises or refuses DataError and OffsetError with the line."""
    reading = FileReading(path, refuse, note)
    return reading.each(records(reading), lambda line, record: document_of(record, reading.on(line)))


def write_jsonl(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one document per line. Loses nothing."""
    with open_output(path) as stream:
        for document in documents:
            stream.write(json.dumps(_record(document), ensure_ascii=False) + "\n")
    return Losses()


def string(record: Mapping[str, Any], name: str, reading: FileReading, *, default: str | None = None) -> str:
    """A field that must be a string (numbers are taken as written); `default` if it is absent or null.

    Raises DataError for another type, and with the existing fields if it is absent without a default.
    """
    value = record.get(name)
    if value is None and default is not None:
        return default
    if isinstance(value, str) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return str(value)
    if value is None and name not in record:
        advice = text_from(record, reading.path, name=name)
        got = f"fields {', '.join(map(repr, record))}" + ("" if advice else f". Give every record a '{name}'")
    else:
        got, advice = preview(value), [Step.SKIP_BAD_RECORD()]
    raise reading.error(f"expected a string in '{name}', got {got}.", *advice)


def concepts_of(record: Mapping[str, Any], reading: FileReading) -> tuple[tuple[str, ...], bool]:
    """The concepts of a mention's record, and whether they hold only together; its `type` decides about bare numbers."""
    ids = record.get("concepts", record.get("concept", record.get("cui")))
    prefix = "UMLS" if "cui" in record and "concepts" not in record and "concept" not in record else ""
    type = record["type"] if isinstance(record.get("type"), str) else ""
    if ids is None:
        return (), False
    if isinstance(ids, str):
        return parse_concepts(ids, prefix=prefix, type=type)
    if isinstance(ids, list) and all(isinstance(id, str) for id in ids):
        return tuple(as_curie(id, prefix=prefix, type=type) for id in ids if not is_none(id)), False
    raise reading.error(
        f'expected a list of concept ids, got {preview(ids)}. Write "concepts": ["MESH:D003920"].'
    )


def document_of(record: dict[str, Any], reading: FileReading, *, id: str | None = None) -> Document:
    """The document of a record.

    id  default for the id; None: the line number

    Raises DataError; mentions that do not fit are refused alone.
    """
    text = string(record, "text", reading)
    document = Document(string(record, "id", reading, default=id or str(reading.line)), text)
    items = [] if record.get("mentions") is None else record["mentions"]
    if not isinstance(items, list):
        raise reading.error(f"expected a list in 'mentions', got {preview(items)}.")
    mentions = reading.each(
        enumerate(items, start=1), lambda number, item: _mention(item, number, document, reading)
    )
    return Document(document.id, text, tuple(mentions), _extra(record, _DOCUMENT, reading))


def _mention(record: Any, number: int, document: Document, reading: FileReading) -> Mention:
    place = reading.at(f"document {document.id}, mention {number}")
    if not isinstance(record, dict):
        raise place.error(f"expected an object, got {preview(record)}.")
    start, end = record.get("start"), record.get("end")
    if type(start) is not int or type(end) is not int:
        raise place.error(f"expected whole numbers in 'start' and 'end', got {start!r} and {end!r}.")
    stated = None if record.get("text") is None else string(record, "text", reading)
    surface = checked(document.text, start, end, stated, place)
    concepts, combined = concepts_of(record, reading)
    extra = _extra(record, _MENTION, reading)
    if combined:
        extra["combined"] = True
    if isinstance(record.get("attributes"), dict):
        other = {name: value for name, value in extra["jsonl"].items() if name != "attributes"}
        extra = {**extra, "jsonl": other, "attributes": record["attributes"]}
        if not other:
            del extra["jsonl"]
    return Mention(
        document,
        start,
        end,
        surface,
        string(record, "type", reading, default=""),
        concepts,
        string(record, "source", reading, default="gold"),
        _confidence(record, reading),
        extra,
    )


def _confidence(record: Mapping[str, Any], reading: FileReading) -> float | None:
    value = record.get("confidence")
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return None if value is None else float(value)
    raise reading.error(f"expected a number in 'confidence', got {preview(value)}.")


def _extra(record: Mapping[str, Any], known: frozenset[str], reading: FileReading) -> dict[str, Any]:
    extra = {} if record.get("extra") is None else record["extra"]
    if not isinstance(extra, dict):
        raise reading.error(f"expected an object in 'extra', got {preview(extra)}.")
    other = {name: value for name, value in record.items() if name not in known}
    return {**extra, "jsonl": other} if other else dict(extra)


def _record(document: Document) -> dict[str, Any]:
    extra = {key: value for key, value in document.extra.items() if key != "jsonl"}
    record: dict[str, Any] = {"id": document.id, "text": document.text}
    record["mentions"] = [_mention_record(mention) for mention in document.mentions]
    if extra:
        record["extra"] = extra
    record.update(document.extra.get("jsonl", {}))
    return record


def _mention_record(mention: Mention) -> dict[str, Any]:
    extra = {key: value for key, value in mention.extra.items() if key not in ("jsonl", "attributes")}
    record: dict[str, Any] = {
        "start": mention.start,
        "end": mention.end,
        "text": mention.text,
        "type": mention.type,
    }
    record["concepts"] = list(mention.concepts)
    if mention.source != "gold":
        record["source"] = mention.source
    if mention.confidence is not None:
        record["confidence"] = mention.confidence
    if "attributes" in mention.extra:
        record["attributes"] = mention.extra["attributes"]
    if extra:
        record["extra"] = extra
    record.update(mention.extra.get("jsonl", {}))
    return record
