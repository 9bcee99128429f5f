"""Rows of delimited text with their line numbers: quoting, and line breaks inside quotes."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from linnet.terminology.readers.options import ReadOptions

__all__ = ["delimiter_of", "rows", "split"]

# All synonyms of a concept may stand in one cell; of the process, as `csv` knows no other limit than one for all.
csv.field_size_limit(max(csv.field_size_limit(), 10_000_000))
# Lines that one quoted cell of a tab-separated table may span. A definition spans a few; a stray quote all the rest.
_LONGEST = 200

Lines = Iterator[tuple[int, str]]


def delimiter_of(line: str) -> str:
    """Tab, comma or semicolon: a tab when there is one, else whichever there is more of."""
    return "\t" if "\t" in line else max(",;", key=line.count)


def split(line: str, delimiter: str) -> list[str]:
    """The cells of a line. With tabs only a cell that is quoted as a whole loses its quotes; else as CSV (RFC 4180)."""
    if delimiter != "\t":
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    return [_unquoted(cell) for cell in line.split("\t")] if '"' in line else line.split("\t")


def rows(lines: Lines, delimiter: str, path: Path, options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Number of the first line, and the cells, of each row that is not blank.

    With tabs a quote means something only at both ends of a cell, as many tables hold inches and open quotes. A quoted
    cell that goes on in the next lines is recognised where these make the row as wide as the first one.
    """
    yield from _tabbed(lines) if delimiter == "\t" else _quoted(lines, delimiter, path, options)


def _quoted(
    lines: Lines, delimiter: str, path: Path, options: ReadOptions
) -> Iterator[tuple[int, list[str]]]:
    for start, line in lines:
        if not line.strip():
            continue
        while line.count('"') % 2:  # a quoted cell goes on in the next line
            more = next(lines, None)
            if more is None:
                options.malformed("a quote is opened and never closed.", path=path, line=start)
                return
            line += "\n" + more[1]
        try:
            yield start, next(csv.reader([line], delimiter=delimiter, strict=True, skipinitialspace=True))
        except csv.Error as error:
            problem = (
                f"a field of more than {csv.field_size_limit():,} characters. Is a quote opened and closed in the wrong place?"
                if "field limit" in str(error)
                else f"not CSV: {error}."
            )
            options.malformed(problem, path=path, line=start)


def _tabbed(lines: Lines) -> Iterator[tuple[int, list[str]]]:
    width = 0
    ahead: deque[tuple[int, str]] = deque()
    while True:
        number, line = ahead.popleft() if ahead else next(lines, (0, ""))
        if not number:
            return
        if not line.strip():
            continue
        cells = line.split("\t")
        width = width or len(cells)
        if '"' in line:
            if _opens(cells[-1]) and len(cells) <= width:
                cells = _joined(cells, width, ahead, lines) or cells
            cells = [_unquoted(cell) for cell in cells]
        yield number, cells


def _opens(cell: str) -> bool:
    """Whether a quote is opened in it that is not closed."""
    return cell.startswith('"') and cell.count('"') % 2 == 1


def _joined(cells: list[str], width: int, ahead: deque[tuple[int, str]], lines: Lines) -> list[str] | None:
    """The row with the lines that its last cell goes on in; None, and these lines `ahead`, where it does not go on."""
    taken = 0
    while taken < _LONGEST and len(cells) <= width:
        if taken == len(ahead):
            more = next(lines, None)
            if more is None:
                return None
            ahead.append(more)
        first, *others = ahead[taken][1].split("\t")
        if len(others) + 1 == width > 1:  # a row of its own
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
