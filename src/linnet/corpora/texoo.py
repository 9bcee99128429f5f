"""TeXoo JSON: `{"name", "language", "documents": [{"id", "text", "annotations": [{"class", "begin", "length", …}]}]}`.

`source` GOLD, USER or PRED is the mention's `source` in lower case; `refId` its concept (several are joined with `|`,
`+` if they hold only together). Annotations that are not mentions, and fields linnet does not know, are carried.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.corpora.collection import write_collection
from linnet.corpora.ids import format_concepts, parse_concepts
from linnet.corpora.jsonl import string
from linnet.corpora.lines import parse_json
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.refusal import Refuse, stop
from linnet.corpora.spans import checked
from linnet.errors import DataError
from linnet.files import read_text
from linnet.types import Document, Mention

__all__ = ["read_texoo", "write_texoo"]

_CLASSES = ("NamedEntityAnnotation", "MentionAnnotation")
_SOURCES = {"GOLD": "gold", "USER": "user", "PRED": "pred"}
_HOLDS = frozenset({"mentions", "type", "concepts", "source", "confidence", "combined", "texoo"})
_DOCUMENT = frozenset({"id", "text", "annotations"})
_ANNOTATION = frozenset({"begin", "length", "text", "type", "source", "refId", "confidence"})


def read_texoo(path: str | Path, *, refuse: Refuse = stop) -> Iterator[Document]:
    """Documents in file order; the file is read whole. Raises or refuses DataError and OffsetError."""
    dataset = parse_json(read_text(path), path)
    records = dataset.get("documents") if isinstance(dataset, dict) else None
    if not isinstance(records, list):
        raise DataError(
            'expected {"documents": [...]}. Is it TeXoo JSON? Name another --input-format.', path=path
        )
    header = {name: value for name, value in dataset.items() if name != "documents"}
    for number, record in enumerate(records, start=1):
        try:
            document = _document(record, number, header, path, refuse)
        except DataError as error:
            refuse(error)
        else:
            yield document


def write_texoo(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one dataset, with the name and language of the first document's where it came from one.

    A source that TeXoo does not have (a recogniser's name) becomes PRED and is kept as the field `recogniser`.
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


def _document(record: Any, number: int, header: dict[str, Any], path: str | Path, refuse: Refuse) -> Document:
    if not isinstance(record, dict):
        raise DataError(f"document {number}: expected an object, got {json.dumps(record)[:60]}.", path=path)
    id, text = string(record, "id", path, None, default=str(number)), string(record, "text", path, None)
    home = Document(id, text)
    mentions, other = list[Mention](), list[Any]()
    for one in record.get("annotations") or ():
        try:
            if isinstance(one, dict) and str(one.get("class", _CLASSES[0])).endswith(_CLASSES):
                mentions.append(_mention(one, home, path))
            else:
                other.append(one)
        except DataError as error:
            refuse(error)
    own: dict[str, Any] = {name: value for name, value in record.items() if name not in _DOCUMENT}
    extra = ({"fields": own} if own else {}) | ({"annotations": other} if other else {})
    if number == 1:
        extra["dataset"] = header
    return Document(id, text, tuple(mentions), {"texoo": extra} if extra else {})


def _mention(record: Mapping[str, Any], home: Document, path: str | Path) -> Mention:
    where = f"document {home.id}"
    begin, length = record.get("begin"), record.get("length")
    if type(begin) is not int or type(length) is not int:
        raise DataError(
            f"{where}: expected whole numbers in 'begin' and 'length', got {begin!r} and {length!r}.",
            path=path,
        )
    said = None if record.get("text") is None else string(record, "text", path, None)
    surface = checked(home.text, begin, begin + length, said, path=path, line=None, where=where)
    type_ = string(record, "type", path, None, default="")
    concepts, combined = parse_concepts(string(record, "refId", path, None, default=""), type=type_)
    confidence = record.get("confidence")
    if not (confidence is None or type(confidence) in (int, float)):
        raise DataError(
            f"{where}: expected a number in 'confidence', got {json.dumps(confidence)[:60]}.", path=path
        )
    source = string(record, "source", path, None, default="GOLD")
    own: dict[str, Any] = {
        name: value
        for name, value in record.items()
        if name not in _ANNOTATION and (name, value) != ("class", _CLASSES[0])
    }
    named = own.pop("recogniser", None) if source == "PRED" else None
    extra = ({"combined": True} if combined else {}) | ({"texoo": {"fields": own}} if own else {})
    return Mention(
        home,
        begin,
        begin + length,
        surface,
        type_,
        concepts,
        str(named or _SOURCES.get(source, source)),
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
