"""A first pass over a file, before linking: where to cut it, its ids, and its errors.

Reading takes a hundredth of the time of linking. So errors are reported in a run's first minutes, not in its tenth hour, and
the number of documents is known from the start.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from linnet.corpora.unread_fields import unread_fields, unread_note
from linnet.errors import DataError
from linnet.io import artifact
from linnet.io.compression import SUFFIXES
from linnet.scale.rows import ReadOptions, Row, read_rows
from linnet.scale.sources import Source
from linnet.types import Document
from linnet.words import mojibake

__all__ = ["RowRange", "Scan", "document_id", "id_hash", "scan_file"]

# A chunk of a compressed file is read from the file's beginning: 64 chunks cost 32 readings, a tenth of linking it once.
_MAX_COMPRESSED_CHUNKS = 64


class RowRange(NamedTuple):
    """Rows of one chunk: start, stop and first line as in `Row`, and the number of documents."""

    start: int
    stop: int
    line: int
    documents: int


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of scanning a file.

    digest    of its bytes
    ranges    its rows, in order
    errors    of refused rows, and the one that ended reading early
    ids       (documents,) unsigned 64-bit hashes of the ids, sorted, as bytes
    mentions  number in the documents
    notes     what was deliberately skipped → count (see `corpora.notes`)
    """

    source: Source
    digest: str
    ranges: tuple[RowRange, ...]
    errors: tuple[DataError, ...]
    ids: bytes
    mentions: int = 0
    notes: Mapping[str, int] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """Their number."""
        return sum(rows.documents for rows in self.ranges)


def scan_file(source: Source, options: ReadOptions, *, chunk_bytes: int, on_error: str) -> Scan:
    """Read a file from beginning to end and cut it into ranges of at least `chunk_bytes`.

    on_error  "stop" raises the first error, "skip" keeps all

    Consecutive rows with one document id stay together, because they share abbreviations. A file that cannot be read any
    further ends there.
    """
    ranges: list[RowRange] = []
    errors: list[DataError] = []
    ids = array("Q")
    first: Row | None = None
    stop = size = documents = mentions = 0
    notes: Counter[str] = Counter()
    previous_id: str | None = None
    try:
        for row in read_rows(source, options):
            if row.errors and on_error == "stop":
                raise row.errors[0]
            errors += row.errors
            id = row.document.id if row.document else previous_id
            if first is not None and size >= chunk_bytes and id != previous_id:
                ranges.append(RowRange(first.start, stop, first.line, documents))
                first, size, documents = None, 0, 0
            first, previous_id = first or row, id
            stop, size = row.stop, size + row.size
            if row.document is not None:
                documents += 1
                mentions += len(row.document.mentions)
                notes[mojibake.NOTE] += bool(mojibake.note(row.document.text))
                notes.update(unread_note(name, options.format) for name in unread_fields(row.document))
                ids.append(id_hash(document_id(row.document, source, options)))
    except DataError as error:
        if on_error == "stop":
            raise
        errors.append(error)
    if first is not None:
        ranges.append(RowRange(first.start, stop, first.line, documents))
    if source.name.lower().endswith(SUFFIXES):
        each = -(-len(ranges) // _MAX_COMPRESSED_CHUNKS) or 1
        ranges = [_merged(ranges[start : start + each]) for start in range(0, len(ranges), each)]
    digest = artifact.digest(Path(source.path)) if ranges else ""
    hashes = array("Q", sorted(ids)).tobytes()
    return Scan(source, digest, tuple(ranges), tuple(errors), hashes, mentions, +notes)


def document_id(document: Document, source: Source, options: ReadOptions) -> str:
    """The id that must be unique: of mentions the mention's id, within its file."""
    if options.format == "mentions":
        return f"{source.name}\n{document.mentions[0].extra['id']}"
    return document.id


def id_hash(id: str) -> int:
    """A 64-bit hash of an id."""
    return int.from_bytes(blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _merged(ranges: Sequence[RowRange]) -> RowRange:
    documents = sum(rows.documents for rows in ranges)
    return RowRange(ranges[0].start, ranges[-1].stop, ranges[0].line, documents)
