"""A first look at a file, before anything is linked: where to cut it, which ids it has, what is wrong with it.

Reading takes a hundredth of the time of linking. So what cannot be read is said in the first minutes of a run, not in
its tenth hour, and how many documents there are is known from the start.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from linnet import artifact
from linnet.compression import SUFFIXES
from linnet.corpora.unread_fields import unread_fields, unread_note
from linnet.errors import DataError
from linnet.scale.rows import Reading, Row, read_rows
from linnet.scale.sources import Source
from linnet.types import Document

__all__ = ["Cut", "Survey", "document_id", "id_key", "survey"]

# To read a part of a packed file all before it is unzipped again: 64 parts cost 32 readings, a tenth of linking it once.
_MOST_OF_PACKED = 64


class Cut(NamedTuple):
    """Rows that are linked together: see `Row` for start, stop and line (of the first); documents among them."""

    start: int
    stop: int
    line: int
    documents: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found in a file.

    digest   of its bytes
    cuts     its rows, in order
    errors   what was refused, and what ended the reading too early
    ids      (documents,) unsigned 64-bit hashes of the ids, sorted, as bytes
    mentions that the documents have
    notes    what was passed over on purpose → how often (see `corpora.notes`)
    """

    source: Source
    digest: str
    cuts: tuple[Cut, ...]
    errors: tuple[DataError, ...]
    ids: bytes
    mentions: int = 0
    notes: Mapping[str, int] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """How many there are."""
        return sum(cut.documents for cut in self.cuts)


def survey(source: Source, reading: Reading, *, part_bytes: int, on_error: str) -> Survey:
    """Read a file from beginning to end and cut it into parts of `part_bytes` and more.

    on_error  "stop" raises the first error, "skip" keeps all

    Rows that share a document's id and follow one another stay together: they share its abbreviations. A file that
    cannot be read any further ends there.
    """
    cuts: list[Cut] = []
    errors: list[DataError] = []
    ids = array("Q")
    begin: Row | None = None
    stop = size = documents = mentions = 0
    notes: Counter[str] = Counter()
    before: str | None = None
    try:
        for row in read_rows(source, reading):
            if row.errors and on_error == "stop":
                raise row.errors[0]
            errors += row.errors
            id = row.document.id if row.document else before
            if begin is not None and size >= part_bytes and id != before:
                cuts.append(Cut(begin.start, stop, begin.line, documents))
                begin, size, documents = None, 0, 0
            begin, before = begin or row, id
            stop, size = row.stop, size + row.size
            if row.document is not None:
                documents += 1
                mentions += len(row.document.mentions)
                notes.update(unread_note(name, reading.format) for name in unread_fields(row.document))
                ids.append(id_key(document_id(row.document, source, reading)))
    except DataError as error:
        if on_error == "stop":
            raise
        errors.append(error)
    if begin is not None:
        cuts.append(Cut(begin.start, stop, begin.line, documents))
    if source.name.lower().endswith(SUFFIXES):
        cuts = _fewer(cuts, _MOST_OF_PACKED)
    digest = artifact.digest(Path(source.path)) if cuts else ""
    return Survey(
        source, digest, tuple(cuts), tuple(errors), array("Q", sorted(ids)).tobytes(), mentions, notes
    )


def document_id(document: Document, source: Source, reading: Reading) -> str:
    """The id that no other document may have; of mentions that of the mention, inside its file."""
    if reading.format == "mentions":
        return f"{source.name}\n{document.mentions[0].extra['id']}"
    return document.id


def id_key(id: str) -> int:
    """A 64-bit hash of an id."""
    return int.from_bytes(blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _fewer(cuts: list[Cut], most: int) -> list[Cut]:
    each = -(-len(cuts) // most)
    return [_joined(cuts[at : at + each]) for at in range(0, len(cuts), each)] if cuts else []


def _joined(cuts: Iterable[Cut]) -> Cut:
    first, *rest = cuts
    last = rest[-1] if rest else first
    return Cut(first.start, last.stop, first.line, first.documents + sum(cut.documents for cut in rest))
