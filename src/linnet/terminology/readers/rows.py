"""Rows of delimited text, with the file and line of each that is too short or too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from linnet.errors import DataError
from linnet.files import read_lines
from linnet.terminology.readers.delimited import delimiter_of, rows
from linnet.terminology.readers.options import ReadOptions

__all__ = ["columns_of", "named_rows", "plain_rows"]


def plain_rows(
    path: Path, delimiter: str, columns: int, options: ReadOptions
) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each line of a file without header; no quoting. Rows need at least `columns` cells."""
    for number, line in read_lines(path):
        if not line:
            continue
        cells = line.split(delimiter)
        if len(cells) < columns:
            options.malformed(
                f"row has {len(cells)} columns; expected at least {columns}, separated by '{delimiter}'.",
                path=path,
                line=number,
            )
            continue
        yield number, cells


def named_rows(path: Path, names: Sequence[str], options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Number and the cells of the columns `names`, in that order, of a file with header.

    With tabs there is no quoting; with commas or semicolons, as the header shows, it is CSV. Column names are compared
    without case. Raises DataError where one is missing or the file is empty.
    """
    lines = read_lines(path)
    header = next(lines, None)
    if header is None:
        raise DataError("the file is empty. Fetch it again.", path=path)
    delimiter = delimiter_of(header[1])
    found = [name.strip().strip('"').lower() for name in header[1].split(delimiter)]
    places = columns_of(found, [name.lower() for name in names], path=path, line=header[0])
    cut = _cut(lines) if delimiter == "\t" else rows(lines, delimiter, path, options)
    for number, cells in cut:
        if len(cells) != len(found):
            options.malformed(
                f"row has {len(cells)} columns; the header has {len(found)}.", path=path, line=number
            )
            continue
        yield number, [cells[place] for place in places]


def _cut(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines:
        if line:
            yield number, line.split("\t")


def columns_of(header: Sequence[str], names: Sequence[str], *, path: Path, line: int) -> list[int]:
    """The positions of `names` in a header. Raises DataError naming the first that is missing, and what there is."""
    for name in names:
        if name not in header:
            raise DataError(f"no column '{name}'. Columns: {', '.join(header)}.", path=path, line=line)
    return [header.index(name) for name in names]
