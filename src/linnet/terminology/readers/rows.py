"""Rows of delimited files, checked for their width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from linnet.formats.delimited import delimiter_of, rows
from linnet.io.files import read_lines
from linnet.terminology.readers.options import ReadOptions, SourceFile

__all__ = ["columns_of", "named_rows", "of_width", "plain_rows"]


def plain_rows(
    path: Path, delimiter: str, columns: int, options: ReadOptions, *, most: int | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each line of a file without header or quoting. Rows need at least `columns` cells, and at most
    `most`."""
    file = SourceFile(path, options)
    for number, line in read_lines(path):
        if not line:
            continue
        cells = line.split(delimiter)
        if len(cells) < columns:
            file.malformed(
                f"row has {len(cells)} columns; expected at least {columns}, separated by '{delimiter}'.",
                number,
            )
            continue
        if most is not None and len(cells) > most:
            file.malformed(
                f"row has {len(cells)} columns; expected at most {most}. Does a cell hold the separator '{delimiter}'?",
                number,
            )
            continue
        yield number, cells


def named_rows(path: Path, names: Sequence[str], options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Line number and the cells of the columns `names`, in that order, of each row of a file with header.

    Tab-separated files have no quoting; those with commas or semicolons are CSV. Column names are compared without
    case. Raises DataError for a missing column or an empty file.
    """
    file, lines = SourceFile(path, options), read_lines(path)
    header = next(lines, None)
    if header is None:
        raise file.error("the file is empty. Fetch it again.")
    delimiter = delimiter_of(header[1])
    columns = [name.strip().strip('"').lower() for name in header[1].split(delimiter)]
    positions = columns_of(columns, [name.lower() for name in names], file, header[0])
    if delimiter == "\t":
        body: Iterator[tuple[int, list[str]]] = ((number, line.split("\t")) for number, line in lines if line)
    else:
        body = rows(lines, delimiter, file.malformed)
    for number, cells in of_width(body, len(columns), file):
        yield number, [cells[position] for position in positions]


def of_width(
    rows: Iterable[tuple[int, list[str]]], width: int, file: SourceFile
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are as wide as the header; others are malformed."""
    for number, cells in rows:
        if len(cells) == width:
            yield number, cells
        else:
            file.malformed(f"row has {len(cells)} columns; the header has {width}.", number)


def columns_of(header: Sequence[str], names: Sequence[str], file: SourceFile, line: int) -> list[int]:
    """The positions of `names` in a header. Raises DataError with the first missing name and the existing columns."""
    for name in names:
        if name not in header:
            raise file.error(f"no column '{name}'. Columns: {', '.join(header)}.", line)
    return [header.index(name) for name in names]
