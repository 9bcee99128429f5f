"""BioC JSON: a collection `{"documents": [...]}`, or one document a line (as PubTator exports)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from linnet.corpora.bioc import HOLDS, document_of, record_of
from linnet.corpora.collection import write_collection
from linnet.corpora.lines import parse_json
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse, stop
from linnet.errors import DataError
from linnet.files import read_text
from linnet.types import Document

__all__ = ["read_bioc_json", "write_bioc_json"]


def read_bioc_json(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the file is read whole. Raises or refuses DataError and OffsetError.

    The collection's own fields are kept in the first document's extra.
    """
    text = read_text(path)
    if _by_line(text):
        for number, (line, record) in enumerate(_records(text, path, refuse), start=1):
            yield from _one(record, {}, number, path, line, refuse)
        return
    collection = parse_json(text, path)
    given = collection.get("documents") if isinstance(collection, dict) else None
    if isinstance(collection, dict) and "passages" in collection:
        collection, given = {}, [collection]
    if not isinstance(given, list):
        raise DataError(
            'expected {"documents": [...]}. Is it BioC JSON? Name another --input-format.', path=path
        )
    header = {name: value for name, value in collection.items() if name != "documents"}
    for number, record in enumerate(given, start=1):
        yield from _one(record, header, number, path, None, refuse)


def write_bioc_json(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one collection, with the fields of the one the first document came from."""
    lost: Counter[str] = Counter()

    def header(first: Document) -> dict[str, Any]:
        own: dict[str, Any] = first.extra.get("bioc", {}).get("collection") or {}
        return own or {"source": "linnet", "key": "", "infons": {}}

    def record(document: Document) -> Any:
        lost.update(unheld(document, HOLDS))
        return _complete(record_of(document, lost))

    write_collection(path, documents, header=header, empty={"source": "linnet"}, record=record)
    return Losses(+lost)


def _by_line(text: str) -> bool:
    first, _, rest = text.strip().partition("\n")
    if not rest.strip():
        return False
    try:
        return "passages" in json.loads(first)
    except (ValueError, TypeError, RecursionError):
        return False


def _records(text: str, path: str | Path, refuse: Refuse) -> Iterator[tuple[int, Any]]:
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            try:
                yield line, parse_json(row, path, line)
            except DataError as error:
                refuse(error)


def _one(
    record: Any, header: dict[str, Any], number: int, path: str | Path, line: int | None, refuse: Refuse
) -> Iterator[Document]:
    try:
        yield document_of(record, number=number, collection=header, path=path, line=line, refuse=refuse)
    except DataError as error:
        refuse(error)


def _complete(record: dict[str, Any]) -> dict[str, Any]:
    """The record with the empty lists and infons that readers of BioC JSON count on."""
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
