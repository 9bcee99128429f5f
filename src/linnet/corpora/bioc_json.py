"""BioC JSON: documents (`{"passages": […]}`), collections of them (`{"documents": […]}`), or responses of PubTator.

A file holds one of these, an array of them, or one per line:

    {"id", "passages": […]}                 a document; PubTator exports one per line
    {"source", …, "documents": […]}         a collection
    {"PubTator3": […]}                      an envelope as sent by PubTator3's API, under any name
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.bioc import HOLDS, document_of, record_of
from linnet.corpora.bioc_infons import Census
from linnet.corpora.json_collection import write_collection
from linnet.corpora.json_records import json_records
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.errors import DataError
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document

__all__ = ["read_bioc_json", "write_bioc_json"]

_Record = tuple[int | None, dict[str, Any], Any]
"""Line, fields of the collection, document."""


def read_bioc_json(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the whole file is held in memory. Raises or refuses DataError and OffsetError.

    The fields of the first collection are kept in the first document's extra.
    """
    census, reading = Census(note), FileReading(path, refuse, note)
    first: dict[str, Any] | None = None
    kept = False
    for number, (line, header, record) in enumerate(_records(reading), start=1):
        if first is None:
            first = header
        elif header != first:
            note("documents of further collections, whose source, date and infons are left out")
        try:
            yield document_of(record, number, {} if kept else first, census, reading.on(line))
            kept = True
        except DataError as error:
            refuse(error)
    census.close()


def write_bioc_json(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one collection, with the fields of the first document's collection."""
    lost: Counter[str] = Counter()

    def header(first: Document) -> dict[str, Any]:
        own: dict[str, Any] = first.extra.get("bioc", {}).get("collection") or {}
        return own or {"source": "linnet", "key": "", "infons": {}}

    def record(document: Document) -> Any:
        lost.update(unheld(document, HOLDS))
        return _complete(record_of(document, lost))

    write_collection(path, documents, header=header, empty={"source": "linnet"}, record=record)
    return Losses(+lost)


def _records(reading: FileReading) -> Iterator[_Record]:
    """The records of documents in file order."""
    for _, line, value in json_records(reading):
        try:
            yield from _unpacked(value, reading.on(line))
        except DataError as error:
            reading.refuse(error)


def _unpacked(value: Any, reading: FileReading) -> Iterator[_Record]:
    """The documents in a value of any of these forms. Raises DataError for any other."""
    for item in value if isinstance(value, list) else [value]:
        documents = _documents(item)
        if documents is not None:
            header = {name: held for name, held in item.items() if held is not documents}
            yield from ((reading.line, header, document) for document in documents)
        elif _is_document(item):
            yield reading.line, {}, item
        else:
            keys = f"the keys {', '.join(sorted(map(str, item))[:8])}" if isinstance(item, dict) else ""
            got = keys or repr(item)[:40]
            raise reading.error(
                f'expected {{"documents": [...]}}, or documents with "passages"; got {got}. Is it BioC JSON?',
                Step.NAME_FORMAT(),
            )


def _documents(value: Any) -> list[Any] | None:
    """The documents of a collection or an envelope; None for any other value."""
    if not isinstance(value, dict) or "passages" in value:
        return None
    documents = value.get("documents")
    if isinstance(documents, list):
        return documents
    lists = [held for held in value.values() if isinstance(held, list) and any(map(_is_document, held))]
    return lists[0] if len(lists) == 1 else None


def _is_document(value: Any) -> bool:
    return isinstance(value, dict) and "passages" in value


def _complete(record: dict[str, Any]) -> dict[str, Any]:
    """The record with the empty lists and infons that readers of BioC JSON expect."""
    _default(record, "annotations", "relations")
    for passage in record["passages"]:
        _default(passage, "sentences", "annotations", "relations")
        for sentence in passage["sentences"]:
            _default(sentence, "annotations", "relations")
    return record


def _default(holder: dict[str, Any], *lists: str) -> None:
    holder.setdefault("infons", {})
    for name in lists:
        holder.setdefault(name, [])


def is_bioc(record: dict[str, Any]) -> bool:
    """Whether it is the first object of a file in this format."""
    documents = record.get("documents")
    inside = isinstance(documents, list) and any(
        "passages" in item for item in documents[:1] if isinstance(item, dict)
    )
    return (
        inside or bool({"passages", "PubTator3"} & record.keys()) or {"documents", "infons"} <= record.keys()
    )
