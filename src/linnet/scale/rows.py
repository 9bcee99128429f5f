"""Rows of a file as documents, from any row on: how a file is read in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from linnet.corpora.jsonl import document_of
from linnet.corpora.mentions import mention_document
from linnet.corpora.reading import FileReading
from linnet.errors import DataError
from linnet.io.filenames import writable
from linnet.jobs.job import as_mention
from linnet.scale.sources import Source
from linnet.types import Document

__all__ = ["MAX_ROW_BYTES", "ReadOptions", "Row", "make_row", "read_rows"]

MAX_ROW_BYTES = 8 * 2**20  # linking a document takes some 200 bytes of memory per character


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How rows become documents. Field names are keys in `run.json`.

    format             "jsonl" (documents) or "mentions"; the columns of Parquet are the fields of JSON Lines
    column, id_column  fields of the text and the id, if they have other names
    whole              without a column of mentions, a text is its own mention
    named              generated ids start with the file's name, to tell several files apart
    longest            bytes of a row; longer rows are refused without holding them in memory
    """

    format: str = "jsonl"
    column: str | None = None
    id_column: str | None = None
    whole: bool = False
    named: bool = False
    longest: int = MAX_ROW_BYTES


class Row(NamedTuple):
    """A row of a file.

    start, stop  position: bytes of the decompressed JSON Lines, rows of the Parquet file
    line         number, from 1
    size         approximate bytes
    document     None where the row was refused
    errors       of the row, or of parts of it that were refused
    """

    start: int
    stop: int
    line: int
    size: int
    document: Document | None
    errors: tuple[DataError, ...]


def read_rows(
    source: Source, options: ReadOptions, *, start: int = 0, stop: int | None = None, line: int = 1
) -> Iterator[Row]:
    """The rows from `start`, whose number is `line`, up to `stop`, as they are read.

    Raises DataError where the file cannot be read, or not to its end: damaged, truncated, removed.
    """
    from linnet.scale.json_rows import json_rows
    from linnet.scale.parquet_rows import parquet_rows

    read = parquet_rows if source.kind == "parquet" else json_rows
    return read(source, options, start=start, stop=stop, line=line)


def make_row(
    record: dict[str, Any],
    source: Source,
    options: ReadOptions,
    *,
    start: int,
    stop: int,
    line: int,
    size: int,
) -> Row:
    """The row with the record's document."""
    errors: list[DataError] = []
    place = FileReading(source.path, errors.append, line=line)
    id = f"{writable(source.stem)}:{line}" if options.named else str(line)
    try:
        renamed = _renamed(record, options, source, line)
        document = (
            mention_document(renamed, place, id=id)
            if options.format == "mentions"
            else document_of(renamed, place, id=id)
        )
    except DataError as error:
        return Row(start, stop, line, size, None, (error,))
    if options.whole and "mentions" not in record:
        document = as_mention(document)
    return Row(start, stop, line, size, document, tuple(errors))


def _renamed(record: dict[str, Any], options: ReadOptions, source: Source, line: int) -> dict[str, Any]:
    renamed = dict(record)
    for own, name in ((options.column, "text"), (options.id_column, "id")):
        if own is not None:
            if own not in record:
                raise DataError(
                    f"there is no field '{own}', only: {', '.join(record)}.", path=source.path, line=line
                )
            renamed[name] = record[own]
    return renamed
