"""The rows of a source table that belong together: one for each distinct string in its context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from linnet.corpora.table import text_column
from linnet.corpora.table_rows import frequency, regular, table_cells
from linnet.errors import DataError, RequestError
from linnet.io.workbook import ExcelDate

__all__ = ["Columns", "SourceTable", "Strings", "read_source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """What the columns of a source table hold; None: there is no such column.

    text       the strings; None: the only column, or the one that is named so
    id         codes of the source; without them each string is its own code
    frequency  how many records have the code; without it each row counts once
    context    columns that tell equal strings apart
    sheet      of a workbook that has several
    """

    text: str | None = None
    id: str | None = None
    frequency: str | None = None
    context: tuple[str, ...] = ()
    sheet: str | None = None


class Strings(NamedTuple):
    """What tells rows of a mapping apart: the string, its white space made regular, and its context."""

    text: str
    context: tuple[str, ...] = ()


@dataclass(slots=True)
class SourceTable:
    """The strings of a table in the order in which they first occur, with the frequency of each code.

    columns  as they were found
    blank    rows without a string, which were left out
    """

    columns: Columns
    codes: dict[Strings, Counter[str]] = field(default_factory=dict)
    blank: int = 0

    def __len__(self) -> int:
        return len(self.codes)


def read_source(path: str | Path, columns: Columns) -> SourceTable:
    """Read a table (CSV, TSV, Parquet, a workbook).

    Raises RequestError for columns that the table does not have, DataError for a row that cannot be used.
    """
    names, rows = table_cells(path, sheet=columns.sheet)
    text = text_column(names, columns.text, path)
    for name in (columns.id, columns.frequency, *columns.context):
        if name is not None and name not in names:
            raise RequestError(f"{path} has no column '{name}'. Columns: {', '.join(names)}.")
    found = replace(columns, text=text)
    table = SourceTable(found)
    for strings, code, count in _entries(rows, found, table, path):
        table.codes.setdefault(strings, Counter())[code] += count
    if not table.codes:
        raise DataError(f"the column '{text}' holds no string to map.", path=path)
    return table


def _entries(
    rows: Iterator[tuple[int, dict[str, Any]]], columns: Columns, table: SourceTable, path: str | Path
) -> Iterator[tuple[Strings, str, int]]:
    for number, row in rows:
        if isinstance(row[columns.text or ""], ExcelDate):
            raise DataError(
                f"row {number}: expected a name, got an Excel date ({row[columns.text or '']}). Format the column as text.",
                path=path,
            )
        text = regular(row[columns.text or ""])
        if not text:
            table.blank += 1
            continue
        context = tuple(regular(row[name]) for name in columns.context)
        code = regular(row[columns.id]) if columns.id else text
        if not code:
            raise DataError(f"row {number} has no code in the column '{columns.id}'. Give it one.", path=path)
        try:
            count = 1 if columns.frequency is None else frequency(row, columns.frequency)
        except DataError as error:
            raise error.again(words=f"row {number}: ", path=path) from None
        yield Strings(text, context), code, count
