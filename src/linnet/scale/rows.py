"""Rows of a file as documents, from any row on: how a file is read in parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from linnet.corpora.jsonl import document_of
from linnet.corpora.mentions import mention_document
from linnet.corpora.reading import FileReading
from linnet.errors import DataError
from linnet.filenames import writable
from linnet.link.job import as_mention
from linnet.scale.sources import Source
from linnet.types import Document

__all__ = ["LONGEST", "Reading", "Row", "read_rows", "row_of"]

LONGEST = 8 * 2**20  # linking a document takes some 200 bytes of memory a character


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How rows become documents.

    format             "jsonl", documents, or "mentions"; of Parquet the columns are the fields of JSON Lines
    column, id_column  fields of the text and the id, where they are not called so
    whole              a text is its own mention, where there is no column of mentions
    named              an id that has to be made starts with the file's name, which tells several files apart
    longest            bytes of a row; one that is longer is refused, and never held in memory
    """

    format: str = "jsonl"
    column: str | None = None
    id_column: str | None = None
    whole: bool = False
    named: bool = False
    longest: int = LONGEST


class Row(NamedTuple):
    """A row of a file.

    start, stop  where it lies: bytes of the (unzipped) JSON Lines, rows of the Parquet file
    line         its number, from 1
    size         about how many bytes it has
    document     None where the row was refused
    errors       what was refused, of the row or in it
    """

    start: int
    stop: int
    line: int
    size: int
    document: Document | None
    errors: tuple[DataError, ...]


def read_rows(
    source: Source, reading: Reading, *, start: int = 0, stop: int | None = None, line: int = 1
) -> Iterator[Row]:
    """The rows from `start` (whose number is `line`) up to `stop`, as they are read.

    Raises DataError where the file cannot be read, or no further: damaged, truncated, gone.
    """
    from linnet.scale.json_rows import json_rows
    from linnet.scale.parquet_rows import parquet_rows

    read = parquet_rows if source.kind == "parquet" else json_rows
    return read(source, reading, start=start, stop=stop, line=line)


def row_of(
    record: dict[str, Any], source: Source, reading: Reading, *, start: int, stop: int, line: int, size: int
) -> Row:
    """The row with the record's document."""
    errors: list[DataError] = []
    place = FileReading(source.path, errors.append, line=line)
    id = f"{writable(source.stem)}:{line}" if reading.named else str(line)
    try:
        renamed = _renamed(record, reading, source, line)
        document = (
            mention_document(renamed, place, id=id)
            if reading.format == "mentions"
            else document_of(renamed, place, id=id)
        )
    except DataError as error:
        return Row(start, stop, line, size, None, (error,))
    if reading.whole and "mentions" not in record:
        document = as_mention(document)
    return Row(start, stop, line, size, document, tuple(errors))


def _renamed(record: dict[str, Any], reading: Reading, source: Source, line: int) -> dict[str, Any]:
    if reading.column is None and reading.id_column is None:
        return record
    renamed = dict(record)
    for own, name in ((reading.column, "text"), (reading.id_column, "id")):
        if own is not None:
            if own not in record:
                raise DataError(
                    f"there is no '{own}'. There are: {', '.join(record)}.", path=source.path, line=line
                )
            renamed[name] = record[own]
    return renamed
