"""Sheets of Excel workbooks (.xlsx) as rows of text. Needs the extra 'xlsx' (openpyxl)."""

from __future__ import annotations

import datetime
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from linnet.errors import DataError, MissingExtraError, RequestError
from linnet.io import archive
from linnet.io.files import open_seekable

__all__ = ["SUFFIXES", "ExcelDate", "is_workbook", "read_sheet", "sheet_names"]

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""Endings of workbooks, of which linnet reads .xlsx and .xlsm."""

_ZEROS = re.compile(r"0+")  # a number format with leading zeros: 00123


class ExcelDate(str):
    """A cell that Excel stores as a date or time, in ISO 8601. Often it was a name: MARCH1, SEPT2, 1-2."""


def is_workbook(path: str | Path) -> bool:
    """Whether the file is an Excel workbook in .xlsx format, by its content."""
    return str(path) != "-" and archive.document_kind(path) == archive.WORKBOOK


def sheet_names(path: Path) -> list[str]:
    """Names of the sheets, in order. Raises as `read_sheet` does."""
    with open_seekable(path) as stream, _opened(stream, path) as (values, _):
        return [worksheet.title for worksheet in values.worksheets]


def read_sheet(
    path: Path,
    sheet: str = "",
    *,
    tell: Callable[[str], None] = lambda message: None,
    refuse: Callable[[DataError], None],
) -> Iterator[tuple[int, list[str]]]:
    """Row number and cells of each non-empty row of a sheet; all rows are as wide as the first.

    sheet   its name; "": the first sheet, and `tell` is called with the names of the others
    refuse  called with the error of each row left out: a formula without a stored value, an error value (#N/A), or more
            cells than the first row

    Whole numbers become "123", dates `ExcelDate`, formulas the value that Excel stored.
    Raises MissingExtraError without openpyxl, RequestError for an unknown sheet, DataError for a damaged workbook.
    """
    with open_seekable(path) as stream, _opened(stream, path) as (values, formulas):
        names = [worksheet.title for worksheet in values.worksheets]
        if sheet and sheet not in names:
            raise RequestError(f"{path} has no sheet '{sheet}'. Sheets: {', '.join(names)}.")
        if not names:
            raise DataError("has no sheet with cells. Check the workbook.", path=path)
        chosen = sheet or names[0]
        if not sheet and len(names) > 1:
            tell(
                f"only the sheet '{chosen}' was read. Others: {', '.join(names[1:])}. To read one: --sheet NAME"
            )
        width = 0
        for number, pairs in _rows(values[chosen], formulas[chosen], path):
            try:
                cells = [_text(value, formula) for value, formula in pairs]
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
def _opened(stream: Any, path: Path) -> Iterator[tuple[Any, Any]]:
    """The workbook with the values that Excel stored, and with its formulas."""
    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        raise MissingExtraError(f"Reading the workbook {path}", "xlsx") from None
    archive.check_size(stream, path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and check boxes, which hold no text
            both = [load_workbook(stream, read_only=True, data_only=only) for only in (True, False)]
    except Exception as error:  # openpyxl passes on any error of its parsers
        raise _damaged(error, path) from None
    try:
        yield both[0], both[1]
    finally:
        for book in both:
            book.close()


def _rows(values: Any, formulas: Any, path: Path) -> Iterator[tuple[int, list[tuple[Any, Any]]]]:
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # the size stated in a workbook is often wrong
    pairs = zip_longest(values.iter_rows(), formulas.iter_rows(), fillvalue=())
    number = 0
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pair = next(pairs, None)
        except Exception as error:
            raise _damaged(error, path) from None
        if pair is None:
            return
        number += 1
        yield number, list(zip(*pair, strict=False))


def _text(cell: Any, formula: Any) -> str:
    value = cell.value
    if value is None:
        if formula.value is not None:
            raise DataError(
                f"{formula.coordinate} holds a formula whose value is not stored. Open the workbook in Excel and save it."
            )
        return ""
    if cell.data_type == "e":
        raise DataError(f"{cell.coordinate} holds the error {value}. Correct the cell.")
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return ExcelDate(value.isoformat().removesuffix("T00:00:00"))
    if isinstance(value, datetime.timedelta):
        return ExcelDate(str(value))
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and _ZEROS.fullmatch(str(cell.number_format)):
        return str(value).zfill(len(cell.number_format))
    return str(value).strip()


def _damaged(error: Exception, path: Path) -> DataError:
    return DataError(
        f"cannot be read as a workbook ({type(error).__name__}: {error}). Save it again, or as CSV.",
        path=path,
    )
