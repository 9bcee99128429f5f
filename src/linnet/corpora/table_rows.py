"""The rows of a table, from CSV, TSV, Parquet or an Excel workbook.

CSV and TSV files have a header; the separator is `;` if the header has more of them than commas.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.lines import lines
from linnet.corpora.reading import FileReading
from linnet.errors import DataError, RequestError
from linnet.formats.delimited import Malformed, delimiter_of, rows, split
from linnet.formats.kinds import is_parquet
from linnet.formats.refusal import Refuse, stop
from linnet.io.files import head_of, inner_name, open_seekable
from linnet.io.workbook import is_workbook, read_sheet, sheet_names

__all__ = ["frequency", "has_schema", "regular", "table_cells"]

_BATCH = 4096
_MOST = 2**53  # records of a row
_Row = tuple[int, dict[str, Any]]


def table_cells(
    path: str | Path, *, sheet: str | None = None, refuse: Refuse = stop
) -> tuple[list[str], Iterator[_Row]]:
    """The columns of a table, and the number (from 1) and cells of each row.

    Raises RequestError for an unknown sheet, and for a workbook of several sheets without `sheet`; DataError for an unreadable
    file. A row with too many or too few cells is refused alone.
    """
    if is_workbook(path):
        return _sheet(Path(path), sheet or "", refuse)
    if sheet:
        raise RequestError(f"{path} is not a workbook, so it has no sheet '{sheet}'. Leave the sheet out.")
    if has_schema(path):
        return _parquet(Path(path))
    return _delimited(FileReading(path, refuse))


def _sheet(path: Path, sheet: str, refuse: Refuse) -> tuple[list[str], Iterator[_Row]]:
    """Columns and rows of a workbook's sheet. Row numbers include blank rows."""
    names = [] if sheet else sheet_names(path)
    if len(names) > 1:
        raise RequestError(f"{path} has several sheets: {', '.join(names)}.", Step.NAME_SHEET())
    numbered = read_sheet(path, sheet, refuse=refuse)
    first, columns = next(numbered, (1, list[str]()))
    _check_header(columns, FileReading(path, line=first))
    body = ((line - first, dict(zip(columns, cells, strict=True))) for line, cells in numbered)
    return columns, body


def has_schema(path: str | Path) -> bool:
    """Whether the file has a schema with column names, as Parquet does."""
    if str(path) == "-" or is_workbook(path):
        return False
    return inner_name(path).lower().endswith(".parquet") or is_parquet(head_of(path, 1 << 12))


def _parquet(path: Path) -> tuple[list[str], Iterator[_Row]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with ExitStack() as stack:
        stream = stack.enter_context(open_seekable(path))
        try:
            file = pq.ParquetFile(stream)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"not a readable Parquet file ({error}). Is it complete?", path=path) from None
        return list(file.schema_arrow.names), _parquet_rows(file, path, stack.pop_all())


def _parquet_rows(file: Any, path: Path, opened: ExitStack) -> Iterator[_Row]:
    import pyarrow as pa

    number = 0
    with opened, file:
        try:
            for batch in file.iter_batches(_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"damaged after row {number} ({error}). Fetch it again.", path=path) from None


def _delimited(reading: FileReading) -> tuple[list[str], Iterator[_Row]]:
    def malformed(message: str, line: int) -> None:
        reading.refuse(reading.on(line).error(message))

    def decoded() -> Iterator[tuple[int, str]]:
        for number, line in chain([first], numbered):
            if isinstance(line, DataError):
                reading.refuse(line)
            else:
                yield number, line

    numbered = lines(reading.path)
    first = next(numbered, (1, ""))
    if isinstance(first[1], DataError):
        raise first[1]
    delimiter = delimiter_of(first[1])
    body = rows(decoded(), delimiter, malformed, trim=False)
    try:
        columns = split(first[1], delimiter)
    except csv.Error as error:
        raise reading.on(1).error(
            f"not a table's header ({error}). Check its quotes and line ends."
        ) from None
    _check_header(columns, reading.on(1))
    next(body, None)
    return columns, _of_width(body, columns, malformed)


def _check_header(columns: Sequence[str], reading: FileReading) -> None:
    if not any(columns):
        raise reading.error("has no header. Name the columns in the first line.")
    repeated = [name for name, count in Counter(columns).items() if count > 1]
    if repeated:
        raise reading.error(f"column '{repeated[0]}' occurs twice. Give every column its own name.")


def _of_width(
    body: Iterator[tuple[int, list[str]]], columns: list[str], malformed: Malformed
) -> Iterator[_Row]:
    """The rows by column. One with another number of cells is refused, but counts."""
    for number, (line, cells) in enumerate(body, start=1):
        if len(cells) == len(columns):
            yield number, dict(zip(columns, cells, strict=True))
            continue
        got = f"expected {len(columns)} cells as in the header, got {len(cells)}"
        malformed(f"{got}. Put quotes around cells that hold the separator.", line)


def regular(cell: Any) -> str:
    """A cell as text, with single spaces and none at its ends."""
    return "" if cell is None else " ".join(str(cell).split())


def frequency(row: Mapping[str, Any], column: str) -> int:
    """How many records a row stands for. Raises DataError for a cell that is no whole number."""
    cell = regular(row[column])
    plain = cell.removesuffix(".0")
    if not (plain.isascii() and plain.isdigit()) or int(plain) > _MOST:
        raise DataError(
            f"the column '{column}' holds '{cell}'; expected a whole number, without separators. "
            "Write what is withheld (“<5”) as a number."
        )
    return int(plain)
