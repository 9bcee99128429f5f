"""Rows of a Parquet file, from a row on: the columns of documents or mentions, and no others, are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from linnet.errors import DataError
from linnet.scale.rows import Reading, Row, row_of
from linnet.scale.sources import Source

__all__ = ["parquet_rows"]

_FIELDS = {
    "jsonl": ("id", "text", "mentions"),
    "mentions": ("id", "text", "left", "right", "document", "type", "concepts", "concept", "cui"),
}
_BATCH_ROWS = 4096
_BATCH_BYTES = 16 * 2**20
_BESIDE = 100  # bytes of a row beside its text


def parquet_rows(
    source: Source, reading: Reading, *, start: int, stop: int | None, line: int
) -> Iterator[Row]:
    """See `read_rows`; `start` and `stop` count rows. Row groups are read one after the other, in batches of some 16 MB."""
    del line  # a row's number is its place
    with _opened(source) as file:
        columns = _columns(list(file.schema_arrow.names), source, reading)
        first = 0
        for group in range(file.metadata.num_row_groups):
            after = first + file.metadata.row_group(group).num_rows
            if stop is not None and first >= stop:
                return
            if after > start:
                yield from _group_rows(file, group, first, columns, source, reading, start, stop)
            first = after


def _group_rows(
    file: Any,
    group: int,
    first: int,
    columns: list[str],
    source: Source,
    reading: Reading,
    start: int,
    stop: int | None,
) -> Iterator[Row]:
    held = file.metadata.row_group(group)
    rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES * held.num_rows // max(1, held.total_byte_size)))
    place = first
    for batch in _batches(file, group, rows, columns, source, place):
        skipped = max(0, min(start - place, batch.num_rows))
        kept = batch.slice(skipped, None if stop is None else max(0, stop - place - skipped))
        for number, row in enumerate(_records(kept), start=place + skipped):
            yield _row(row, number, source, reading)
        place += batch.num_rows
        if stop is not None and place >= stop:
            return


def _batches(
    file: Any, group: int, rows: int, columns: list[str], source: Source, place: int
) -> Iterator[Any]:
    import pyarrow as pa

    batches = file.iter_batches(rows, row_groups=[group], columns=columns, use_threads=False)
    while True:
        try:
            batch = next(batches, None)
        except (pa.ArrowException, OSError) as error:
            raise DataError(
                f"damaged after row {place:,} ({error}). Fetch it again.", path=source.path
            ) from None
        if batch is None:
            return
        place += batch.num_rows
        yield batch


def _records(batch: Any) -> Iterator[dict[str, Any] | UnicodeDecodeError]:
    """The rows; in the place of one whose strings are no UTF-8, which no reader of Parquet checks, why it has none."""
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        for row in range(batch.num_rows):
            try:
                yield from batch.slice(row, 1).to_pylist()
            except UnicodeDecodeError as error:
                yield error


def _row(record: dict[str, Any] | UnicodeDecodeError, number: int, source: Source, reading: Reading) -> Row:
    if isinstance(record, UnicodeDecodeError):
        what = f"row {number + 1:,} is not valid UTF-8 (0x{record.object[record.start]:02x}). Write the file again as UTF-8."
        refused = DataError(what, path=source.path, line=number + 1)
        return Row(number, number + 1, number + 1, _BESIDE, None, (refused,))
    text = record[reading.column or "text"]
    size = _BESIDE + (len(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else 0)
    start, stop, line = number, number + 1, number + 1
    if not isinstance(text, str) or size > reading.longest:
        what = (
            f"the text has {size:,} bytes; up to {reading.longest:,} are read. Cut the document into several."
            if isinstance(text, str)
            else f"row {line:,} has no text in '{reading.column or 'text'}' but {text!r:.60}. Leave such rows out, or --on-error skip."
        )
        return Row(start, stop, line, size, None, (DataError(what, path=source.path, line=line),))
    return row_of(record, source, reading, start=start, stop=stop, line=line, size=size)


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(source.path, pre_buffer=False, buffer_size=1 << 20)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"not a readable Parquet file ({error}). Is it complete?", path=source.path) from None
    with file:
        yield file


def _columns(there: list[str], source: Source, reading: Reading) -> list[str]:
    for name, flag in ((reading.column or "text", "--column"), (reading.id_column, "--id-column")):
        if name is not None and name not in there:
            raise DataError(
                f"there is no column '{name}'. There are: {', '.join(there)}. Name the one meant: {flag} NAME",
                path=source.path,
            )
    renamed = {"text": reading.column, "id": reading.id_column}
    wanted = [renamed.get(name) or name for name in _FIELDS[reading.format]]
    return [name for name in dict.fromkeys(wanted) if name in there]
