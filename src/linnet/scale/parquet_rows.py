"""Rows of a Parquet file, from any row on. Only the columns of documents or mentions are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from linnet.advice import Step
from linnet.errors import DataError
from linnet.scale.rows import ReadOptions, Row, make_row
from linnet.scale.sources import Source

__all__ = ["parquet_rows"]

_FIELDS = {
    "jsonl": ("id", "text", "mentions"),
    "mentions": ("id", "text", "left", "right", "document", "type", "concepts", "concept", "cui"),
}
_BATCH_ROWS = 4096
_BATCH_BYTES = 16 * 2**20
_OVERHEAD = 100  # bytes of a row besides its text


def parquet_rows(
    source: Source, options: ReadOptions, *, start: int, stop: int | None, line: int
) -> Iterator[Row]:
    """See `read_rows`; `start` and `stop` count rows. Row groups are read one by one, in batches of about 16 MB."""
    del line  # follows from the row
    with _opened(source) as file:
        columns = _columns(list(file.schema_arrow.names), source, options)
        for first, batch in _batches(file, columns, source, start, stop):
            skipped = max(0, min(start - first, batch.num_rows))
            wanted = batch.slice(skipped, None if stop is None else max(0, stop - first - skipped))
            for row, record in enumerate(_records(wanted), start=first + skipped):
                yield _row(record, row, source, options)


def _batches(
    file: Any, columns: list[str], source: Source, start: int, stop: int | None
) -> Iterator[tuple[int, Any]]:
    """The batches of all row groups from `start` to `stop`, each with the number of its first row."""
    import pyarrow as pa

    end = 0
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        first, end = end, end + group.num_rows
        if end <= start or (stop is not None and first >= stop):
            continue
        rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES * group.num_rows // max(1, group.total_byte_size)))
        batches = file.iter_batches(rows, row_groups=[number], columns=columns, use_threads=False)
        while stop is None or first < stop:
            try:
                batch = next(batches, None)
            except (pa.ArrowException, OSError) as error:
                raise DataError(
                    f"damaged after row {first:,} ({error}). Fetch it again.", path=source.path
                ) from None
            if batch is None:
                break
            yield first, batch
            first += batch.num_rows


def _records(batch: Any) -> Iterator[dict[str, Any] | UnicodeDecodeError]:
    """The rows; an error in place of a row with invalid UTF-8, which Parquet readers do not check."""
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        for row in range(batch.num_rows):
            try:
                yield from batch.slice(row, 1).to_pylist()
            except UnicodeDecodeError as error:
                yield error


def _row(
    record: dict[str, Any] | UnicodeDecodeError, number: int, source: Source, options: ReadOptions
) -> Row:
    start, stop, line = number, number + 1, number + 1
    name = options.column or "text"
    text = None if isinstance(record, UnicodeDecodeError) else record[name]
    size = _OVERHEAD + (len(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else 0)
    advice = []
    if isinstance(record, UnicodeDecodeError):
        reason = f"row {line:,} is not valid UTF-8 (0x{record.object[record.start]:02x}). Write the file again as UTF-8."
    elif not isinstance(text, str):
        reason = f"row {line:,} has no text in '{name}' but {text!r:.60}."
        advice = [Step.SKIP_BAD_RECORD()]
    elif size > options.longest:
        reason = f"the text has {size:,} bytes; the limit is {options.longest:,}. Split the document."
    else:
        return make_row(record, source, options, start=start, stop=stop, line=line, size=size)
    return Row(start, stop, line, size, None, (DataError(reason, *advice, path=source.path, line=line),))


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


def _columns(present: list[str], source: Source, options: ReadOptions) -> list[str]:
    for name, step in (
        (options.column or "text", Step.NAME_COLUMN),
        (options.id_column, Step.NAME_ID_COLUMN),
    ):
        if name is not None and name not in present:
            raise DataError(
                f"there is no column '{name}', only: {', '.join(present)}.",
                step(),
                path=source.path,
            )
    renamed = {"text": options.column, "id": options.id_column}
    wanted = [renamed.get(name) or name for name in _FIELDS[options.format]]
    return [name for name in dict.fromkeys(wanted) if name in present]
