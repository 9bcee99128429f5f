"""Rows of delimited text, with the file and line of each that is too short or too long."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from linnet.errors import DataError
from linnet.files import read_lines
from linnet.terminology.readers.options import ReadOptions

__all__ = ["columns_of", "delimiter_of", "directory_of", "member", "named_rows", "plain_rows", "split"]

# All synonyms of a concept may stand in one cell; of the process, as `csv` knows no other limit than one for all.
csv.field_size_limit(max(csv.field_size_limit(), 10_000_000))


def split(line: str, delimiter: str) -> list[str]:
    """The cells of a line. With tabs only a cell that is quoted as a whole loses its quotes; else as CSV (RFC 4180)."""
    if delimiter != "\t":
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    return [_unquoted(cell) for cell in line.split("\t")] if '"' in line else line.split("\t")


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"').replace('\\"', '"')
    return cell


def delimiter_of(line: str) -> str:
    """Tab, comma or semicolon: a tab when there is one, else whichever there is more of."""
    return "\t" if "\t" in line else max(",;", key=line.count)


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
    """Number and the cells of the columns `names`, in that order, of a tab-separated file with header; no quoting.

    Column names are compared without case. Raises DataError where one is missing or the file is empty.
    """
    lines = read_lines(path)
    header = next(lines, None)
    if header is None:
        raise DataError("the file is empty. Fetch it again.", path=path)
    found = [name.lower() for name in header[1].split("\t")]
    places = columns_of(found, [name.lower() for name in names], path=path, line=header[0])
    for number, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(found):
            options.malformed(
                f"row has {len(cells)} columns; the header has {len(found)}.", path=path, line=number
            )
            continue
        yield number, [cells[place] for place in places]


def columns_of(header: Sequence[str], names: Sequence[str], *, path: Path, line: int) -> list[int]:
    """The positions of `names` in a header. Raises DataError naming the first that is missing, and what there is."""
    for name in names:
        if name not in header:
            raise DataError(f"no column '{name}'. Columns: {', '.join(header)}.", path=path, line=line)
    return [header.index(name) for name in names]


def directory_of(path: Path, file: str) -> Path:
    """The directory that holds `file` (gzipped or not, in any case): `path`, its parent if `path` is a file, or below it.

    Raises DataError where there is none.
    """
    wanted = {file.lower(), f"{file.lower()}.gz"}
    top = path if path.is_dir() else path.parent
    for folder in (top, *sorted(f for f in top.glob("*") if f.is_dir())):
        if any(entry.name.lower() in wanted for entry in folder.iterdir()):
            return folder
    raise DataError(f"no {file} there. Give the directory that holds it.", path=path)


def member(directory: Path, file: str) -> Path | None:
    """`file` in a directory, gzipped or not, in any case; None where there is none."""
    wanted = {file.lower(), f"{file.lower()}.gz"}
    return next((entry for entry in sorted(directory.iterdir()) if entry.name.lower() in wanted), None)
