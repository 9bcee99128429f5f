"""Sheets of workbooks as rows of text: .xlsx and .xlsm by openpyxl, .xls, .xlsb and .ods by calamine, both of the extra 'xlsx'."""

from __future__ import annotations

import datetime
import re
import struct
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, NamedTuple

from linnet.advice import Step
from linnet.errors import DataError, MissingExtraError, RequestError
from linnet.io import archive
from linnet.io.files import open_seekable

__all__ = ["SUFFIXES", "ExcelDate", "is_workbook", "read_sheet", "sheet_names"]

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""Endings of workbooks."""

_OLE = (
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # begins files of Office before 2007, and newer ones with a password
)
_STREAMS = tuple(
    name.encode("utf-16-le") for name in ("Workbook\0", "Book\0")
)  # of which one is in an .xls file
_ZEROS = re.compile(r"0+")  # a number format with leading zeros: 00123


class ExcelDate(str):
    """A cell that Excel stores as a date or time, in ISO 8601. Often it was a name: MARCH1, SEPT2, 1-2."""


class _Book(NamedTuple):
    """An open workbook: the names of its sheets; the cells of the rows of one, blank rows too; the text of a cell."""

    names: Sequence[str]
    rows: Callable[[str], Iterable[Sequence[Any]]]
    text: Callable[[Any], str]


def is_workbook(path: str | Path) -> bool:
    """Whether the file is a workbook, by its content."""
    if str(path) == "-":
        return False
    kind = archive.document_kind(path)
    return kind.is_workbook if kind else _is_old(Path(path))


def _is_old(path: Path) -> bool:
    """Whether it is a workbook in .xls format. Source: [MS-CFB] 2.2 and 2.6.1: the directory and the names in it."""
    try:
        with path.open("rb") as stream:
            head = stream.read(512)
            if not head.startswith(_OLE) or len(head) < 512:
                return False
            [shift], [directory] = struct.unpack_from("<H", head, 30), struct.unpack_from("<I", head, 48)
            stream.seek((directory + 1) << min(shift, 12))
            names = stream.read(1 << 12)
    except OSError:
        return False  # opening it for reading gives a better error
    return any(name in names for name in _STREAMS)


def sheet_names(path: Path) -> list[str]:
    """Names of the sheets, in order. Raises as `read_sheet` does."""
    with _opened(path) as book:
        return list(book.names)


def read_sheet(
    path: Path,
    sheet: str = "",
    *,
    tell: Callable[..., None] = lambda message, *advice: None,
    refuse: Callable[[DataError], None],
) -> Iterator[tuple[int, list[str]]]:
    """Row number and cells of each non-empty row of a sheet; all rows are as wide as the first.

    sheet   its name; "": the first sheet, and `tell` is called with the names of the others
    refuse  called with the error of each row left out: a formula without a stored value, an error value (#N/A), or more
            cells than the first row

    Whole numbers become "123", dates `ExcelDate`, formulas the value that Excel stored. In .xls, .xlsb and .ods, errors and
    formulas without a value are empty cells, and numbers lose the zeros that their format puts before them.
    Raises MissingExtraError without the extra, RequestError for an unknown sheet, DataError for a damaged workbook.
    """
    with _opened(path) as book:
        names = book.names
        if sheet and sheet not in names:
            raise RequestError(f"{path} has no sheet '{sheet}'. Sheets: {', '.join(names)}.")
        if not names:
            raise DataError("has no sheet with cells. Check the workbook.", path=path)
        chosen = sheet or names[0]
        if not sheet and len(names) > 1:
            tell(f"only the sheet '{chosen}' was read. Others: {', '.join(names[1:])}.", Step.NAME_SHEET())
        width = 0
        for number, row in _numbered(book.rows(chosen), path):
            try:
                cells = [book.text(cell) for cell in row]
                while cells and not cells[-1]:
                    cells.pop()
                if width and len(cells) > width:
                    raise DataError(
                        f"the row has {len(cells)} cells; the first row has {width}. Name every column."
                    )
            except DataError as error:
                refuse(DataError(error.message, path=path, line=number))
                continue
            width = width or len(cells)
            if cells:
                yield number, cells + [""] * (width - len(cells))


@contextmanager
def _opened(path: Path) -> Iterator[_Book]:
    kind = archive.document_kind(path)
    is_new = not _is_old(path) and (kind is None or kind.name.endswith("(.xlsx)"))
    try:
        import_module("openpyxl" if is_new else "python_calamine")
    except ModuleNotFoundError:
        raise MissingExtraError(f"Reading the workbook {path}", "xlsx") from None
    with open_seekable(path) if is_new else path.open("rb") as stream:
        if kind:
            archive.check_size(stream, path)
            stream.seek(0)
        with (_of_openpyxl if is_new else _of_calamine)(stream, path) as book:
            yield book


@contextmanager
def _of_calamine(stream: IO[bytes], path: Path) -> Iterator[_Book]:
    from python_calamine import CalamineWorkbook

    with _damage_told(path):
        book = CalamineWorkbook.from_filelike(stream)

    def rows(sheet: str) -> Iterator[Sequence[Any]]:
        found = book.get_sheet_by_name(sheet)
        if found.height:
            yield from found.iter_rows()

    yield _Book(book.sheet_names, rows, _shown)


@contextmanager
def _of_openpyxl(stream: IO[bytes], path: Path) -> Iterator[_Book]:
    """Cells are pairs: the value that Excel stored, and the formula."""
    from openpyxl import load_workbook

    with _damage_told(path):
        both = [load_workbook(stream, read_only=True, data_only=only) for only in (True, False)]

    def rows(sheet: str) -> Iterator[Sequence[Any]]:
        values, formulas = both[0][sheet], both[1][sheet]
        for each in (values, formulas):
            each.reset_dimensions()  # the size stated in a workbook is often wrong
        for pair in zip_longest(values.iter_rows(), formulas.iter_rows(), fillvalue=()):
            yield list(zip(*pair, strict=False))

    with closing(both[0]), closing(both[1]):
        yield _Book([worksheet.title for worksheet in both[0].worksheets], rows, _text)


def _numbered(rows: Iterable[Sequence[Any]], path: Path) -> Iterator[tuple[int, Sequence[Any]]]:
    unread, number = iter(rows), 0
    while True:
        with _damage_told(path):
            row = next(unread, None)
        if row is None:
            return
        number += 1
        yield number, row


def _text(pair: tuple[Any, Any]) -> str:
    cell, formula = pair
    value = cell.value
    if value is None and formula.value is not None:
        raise DataError(
            f"{formula.coordinate} holds a formula whose value is not stored. Open the workbook in Excel and save it."
        )
    if cell.data_type == "e":
        raise DataError(f"{cell.coordinate} holds the error {value}. Correct the cell.")
    text = _shown(value)
    is_padded = text.isdecimal() and not isinstance(value, str) and _ZEROS.fullmatch(str(cell.number_format))
    return text.zfill(len(cell.number_format)) if is_padded else text


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return ExcelDate(value.isoformat().removesuffix("T00:00:00"))
    if isinstance(value, datetime.timedelta):
        return ExcelDate(str(value))
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Raise DataError for an error of the libraries, which pass on those of their parsers; warnings are about styles, not texts."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except BaseException as error:
        if (
            not isinstance(error, Exception) and type(error).__module__ != "pyo3_runtime"
        ):  # a panic of calamine
            raise
        raise DataError(
            f"cannot be read as a workbook ({type(error).__name__}: {error}). Save it again, or as CSV.",
            path=path,
        ) from None
