"""spaCy's binary DocBin, read through spaCy: the entities of its documents, with their labels and links."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.spacy_json import document_of_example
from linnet.errors import MissingExtraError
from linnet.formats import Head
from linnet.formats.refusal import Refuse, stop
from linnet.io.compression import check_expansion
from linnet.io.files import open_bytes
from linnet.types import Document

__all__ = ["is_docbin", "read_docbin"]

_KEYS = (b"attrs", b"spaces")  # of the MessagePack map that spaCy compresses
_PIECE = 1 << 20


def is_docbin(head: Head) -> bool:
    """Whether a file that begins like this is a DocBin: a zlib stream with its keys."""
    try:
        inside = zlib.decompressobj().decompress(head.raw, 1 << 14)
    except zlib.error:
        return False
    return any(key in inside for key in _KEYS)


def read_docbin(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, numbered; the whole file is held in memory. Spans in groups are counted by `note`.

    Raises MissingExtraError without spaCy, DataError for a damaged file.
    """
    try:
        from spacy.tokens import DocBin
        from spacy.vocab import Vocab
    except ModuleNotFoundError:
        raise MissingExtraError(f"Reading the DocBin {path}", "spacy") from None
    reading = FileReading(path, refuse, note)
    with open_bytes(path) as stream:
        raw = stream.read()
    _check_expansion(raw, path)
    try:
        documents = list(DocBin().from_bytes(raw).get_docs(Vocab()))
    except Exception as error:  # spaCy passes on any error of its parsers
        message = f"cannot be read as a DocBin ({type(error).__name__}: {error}). Write it again with spaCy."
        raise reading.error(message) from None
    note(
        "spans in groups, left out",
        sum(len(group) for d in documents for group in d.spans.values()),
        unread=True,
    )
    numbered = ((_record(document), number, reading) for number, document in enumerate(documents, start=1))
    yield from reading.each(numbered, document_of_example)


def _record(document: Any) -> dict[str, Any]:
    """The document as `Doc.to_json` writes it, with the links of its entities."""
    entities = [
        {"start": entity.start_char, "end": entity.end_char, "label": entity.label_, "kb_id": entity.kb_id_}
        for entity in document.ents
    ]
    return {"text": document.text, "ents": entities, **({"cats": document.cats} if document.cats else {})}


def _check_expansion(raw: bytes, path: str | Path) -> None:
    unpacked, size, rest = zlib.decompressobj(), 0, raw
    try:
        while piece := unpacked.decompress(rest, _PIECE):
            size, rest = size + len(piece), unpacked.unconsumed_tail
            check_expansion(len(raw), size, path)
    except zlib.error:
        return  # spaCy's error is told
