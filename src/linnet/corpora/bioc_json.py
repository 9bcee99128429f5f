"""BioC JSON: documents (`{"passages": […]}`), collections of them (`{"documents": […]}`), or PubTator's answers.

A file holds one of these, an array of them, or one a line:

    {"id", "passages": […]}                 a document, as PubTator exports one a line
    {"source", …, "documents": […]}         a collection
    {"PubTator3": […]}                      an envelope, as PubTator3's API sends; any other name will do
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from linnet.corpora.bioc import HOLDS, document_of, record_of
from linnet.corpora.bioc_infons import Census
from linnet.corpora.collection import write_collection
from linnet.corpora.lines import parse_json
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse, stop
from linnet.errors import DataError
from linnet.files import read_text
from linnet.types import Document

__all__ = ["read_bioc_json", "write_bioc_json"]

_Record = tuple[int | None, dict[str, Any], Any]
"""Line, fields of the collection, document."""


def read_bioc_json(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the file is read whole. Raises or refuses DataError and OffsetError.

    The first collection's own fields are kept in the first document's extra.
    """
    census = Census(note)
    first: dict[str, Any] | None = None
    kept = False
    for number, (line, header, record) in enumerate(_records(path, refuse), start=1):
        if first is None:
            first = header
        elif header != first:
            note("documents of further collections, whose own source, date and infons are left out")
        try:
            yield document_of(
                record,
                number=number,
                collection={} if kept else first,
                path=path,
                line=line,
                refuse=refuse,
                census=census,
            )
            kept = True
        except DataError as error:
            refuse(error)
    census.close()


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


def _records(path: str | Path, refuse: Refuse) -> Iterator[_Record]:
    """The records of documents in file order."""
    text = read_text(path)
    if not _by_line(text):
        yield from _unpacked(parse_json(text, path), path, None)
        return
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            try:
                yield from _unpacked(parse_json(row, path, line), path, line)
            except DataError as error:
                refuse(error)


def _unpacked(value: Any, path: str | Path, line: int | None) -> Iterator[_Record]:
    """The documents of a value of any of the forms. Raises DataError where it has none of them."""
    pending: list[tuple[Any, int]] = [(value, 0)]
    while pending:
        part, depth = pending.pop()
        documents = _documents(part)
        if isinstance(part, list) and depth == 0:
            pending += [(inner, 1) for inner in reversed(part)]
        elif documents is not None:
            header = {name: held for name, held in part.items() if held is not documents}
            yield from ((line, header, document) for document in documents)
        elif isinstance(part, dict) and "passages" in part:
            yield line, {}, part
        else:
            got = (
                f"the keys {', '.join(sorted(map(str, part))[:8])}"
                if isinstance(part, dict)
                else repr(part)[:40]
            )
            raise DataError(
                f'expected {{"documents": [...]}}, or documents with "passages"; got {got}. '
                "Is it BioC JSON? Name another --input-format.",
                path=path,
                line=line,
            )


def _documents(value: Any) -> list[Any] | None:
    """The documents of a collection or an envelope; None where it is neither."""
    if not isinstance(value, dict) or "passages" in value:
        return None
    named = value.get("documents")
    if isinstance(named, list):
        return named
    lists = [held for held in value.values() if isinstance(held, list) and any(map(_is_document, held))]
    return lists[0] if len(lists) == 1 else None


def _is_document(value: Any) -> bool:
    return isinstance(value, dict) and "passages" in value


def _by_line(text: str) -> bool:
    """Whether the first line is JSON by itself, and others follow."""
    first, _, rest = text.strip().partition("\n")
    if not rest.strip():
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


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
