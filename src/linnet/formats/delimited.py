"""Rows of CSV and TSV files: read with line numbers, quotes and line breaks in cells; written so that every reader finds the rows.

Written rows end in a line feed. Cells with a carriage return are quoted, or no reader could tell them from rows.

>>> import io
>>> stream = io.StringIO()
>>> csv.writer(row_stream(stream), lineterminator=ROW_END).writerow(["gout\\rasthma", "x"])
>>> stream.getvalue()
'"gout\\rasthma",x\\n'
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

__all__ = ["ROW_END", "Malformed", "data_rows", "delimiter_of", "row_stream", "rows", "split"]

# One cell may hold all synonyms of a concept. `csv` has only a process-wide limit.
csv.field_size_limit(max(csv.field_size_limit(), 10_000_000))
# Behind the last line: in a cell only if its quote is never closed.
_END = "\x00end\x00"
# Lines that one quoted cell of a tab-separated table may span. A definition spans a few; after a stray quote, all lines would.
_MAX_LINES = 200

Lines = Iterator[tuple[int, str]]
Malformed = Callable[[str, int], None]
"""Told of a malformed row, and its line: raises the error, or records it, and the row is left out."""


def data_rows(path: Path) -> list[list[str]]:
    """The cells of the rows of a table of linnet's own: separated by tabs, without quotes, blank lines and those that begin with `#`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def delimiter_of(line: str) -> str:
    """Tab, comma or semicolon: a tab if the line has one, else the more frequent of the others."""
    return "\t" if "\t" in line else max(",;", key=line.count)


def split(line: str, delimiter: str) -> list[str]:
    """The cells of a line. With tabs, only fully quoted cells lose their quotes; otherwise as in CSV (RFC 4180)."""
    if delimiter != "\t":
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    return [_unquoted(cell) for cell in line.split("\t")] if '"' in line else line.split("\t")


def rows(
    lines: Lines, delimiter: str, malformed: Malformed, *, trim: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Number of the first line and cells of each row.

    trim  leave out lines of nothing but white space, and the spaces before a cell; else only lines without any character

    With tabs, quotes count only at both ends of a cell, as many tables hold inches and unclosed quotes. A quoted cell
    may continue on the next lines if the row then becomes as wide as the first row.
    """
    yield from _tabbed(lines, trim) if delimiter == "\t" else _quoted(lines, delimiter, malformed, trim)


def _quoted(
    lines: Lines, delimiter: str, malformed: Malformed, trim: bool
) -> Iterator[tuple[int, list[str]]]:
    start = 0  # first line of the row

    def texts() -> Iterator[str]:
        nonlocal start
        for number, line in lines:
            start = start or number
            yield line + "\n"
        yield _END

    reader = csv.reader(texts(), delimiter=delimiter, strict=True, skipinitialspace=trim)
    while True:
        start = 0
        try:
            cells = next(reader, [_END])
        except csv.Error as error:
            malformed(_problem(str(error)), start)
            continue
        if cells == [_END]:
            return
        if cells and cells[-1].endswith(_END):
            malformed(_problem("end of data"), start)
            return
        if len(cells) > 1 or (cells and (cells[0].strip() or not trim)):
            yield start, cells


def _problem(error: str) -> str:
    if "field limit" in error:
        return f"a field has more than {csv.field_size_limit():,} characters. Is a quote misplaced?"
    what = "a quote is never closed" if "end of data" in error else f"not a table row ({error})"
    return f"{what}. Check the quotes."


def _tabbed(lines: Lines, trim: bool) -> Iterator[tuple[int, list[str]]]:
    width = 0
    ahead: deque[tuple[int, str]] = deque()
    while True:
        number, line = ahead.popleft() if ahead else next(lines, (0, ""))
        if not number:
            return
        if not (line.strip() if trim else line):
            continue
        cells = line.split("\t")
        width = width or len(cells)
        if '"' in line:
            if _opens(cells[-1]) and len(cells) <= width:
                cells = _joined(cells, width, ahead, lines) or cells
            cells = [_unquoted(cell) for cell in cells]
        yield number, cells


def _opens(cell: str) -> bool:
    """Whether the cell opens a quote without closing it."""
    return cell.startswith('"') and cell.count('"') % 2 == 1


def _joined(cells: list[str], width: int, ahead: deque[tuple[int, str]], lines: Lines) -> list[str] | None:
    """The row joined with the lines that continue its last cell. None if it does not continue; `ahead` keeps the lines."""
    taken = 0
    while taken < _MAX_LINES and len(cells) <= width:
        if taken == len(ahead):
            line = next(lines, None)
            if line is None:
                return None
            ahead.append(line)
        first, *others = ahead[taken][1].split("\t")
        if len(others) + 1 == width > 1:  # a separate row
            return None
        taken += 1
        cells = [*cells[:-1], f"{cells[-1]}\n{first}", *others]
        if not any(map(_opens, cells)):
            break
    if len(cells) != width or any(map(_opens, cells)):
        return None
    for _ in range(taken):
        ahead.popleft()
    return cells


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"').replace('\\"', '"')
    return cell


ROW_END = "\r\n"
"""What `csv` has to take for the end of a row: it quotes the characters of that alone."""


class _RowStream:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(row.removesuffix(ROW_END) + "\n")


def row_stream(stream: TextIO) -> _RowStream:
    """What `csv.writer` with `lineterminator=ROW_END` writes to."""
    return _RowStream(stream)
