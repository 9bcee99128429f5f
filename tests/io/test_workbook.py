"""Sheets of Excel workbooks as rows of text."""

from __future__ import annotations

import datetime
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from linnet.errors import DataError, MissingExtraError, RequestError
from linnet.io import compression
from linnet.io.workbook import ExcelDate, is_workbook, read_sheet, sheet_names

openpyxl = pytest.importorskip("openpyxl", reason="needs the xlsx extra")


def workbook(path: Path, **sheets: Sequence[Sequence[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def rows(
    path: Path, sheet: str = "", *, refused: list[DataError] | None = None
) -> list[tuple[int, list[str]]]:
    def refuse(error: DataError) -> None:
        if refused is None:
            raise error
        refused.append(error)

    return list(read_sheet(path, sheet, refuse=refuse))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "birds.xlsx"


def test_cells_come_as_the_text_a_reader_sees(file: Path) -> None:
    workbook(file, A=[("id", "value", "more"), (123.0, 0.5, True), (None, None, None), (" x ", 7, None)])
    assert rows(file) == [(1, ["id", "value", "more"]), (2, ["123", "0.5", "TRUE"]), (4, ["x", "7", ""])]
    assert is_workbook(file)


def test_numbers_with_leading_zeros_keep_them(file: Path) -> None:
    workbook(file, A=[("id",), (123,)])
    book = openpyxl.load_workbook(file)
    book["A"]["A2"].number_format = "00000"
    book.save(file)
    assert rows(file)[1] == (2, ["00123"])


def test_dates_are_iso_and_known_as_dates(file: Path) -> None:
    workbook(file, A=[("a", "b"), (datetime.datetime(2099, 3, 1), datetime.datetime(2099, 3, 1, 12, 30))])
    (_, cells) = rows(file)[1]
    assert cells == ["2099-03-01", "2099-03-01T12:30:00"]
    assert all(isinstance(cell, ExcelDate) for cell in cells)


def test_the_first_sheet_is_read_and_the_others_are_told(file: Path) -> None:
    workbook(file, Human=[("a",), ("1",)], Mouse=[("b",), ("2",)])
    told: list[str] = []
    found = list(read_sheet(file, tell=told.append, refuse=pytest.fail))
    assert [cells for _, cells in found] == [["a"], ["1"]]
    assert told == ["only the sheet 'Human' was read. Others: Mouse. To read one: --sheet NAME"]
    assert [cells for _, cells in rows(file, "Mouse")] == [["b"], ["2"]]
    assert sheet_names(file) == ["Human", "Mouse"]
    with pytest.raises(RequestError, match=r"has no sheet 'Rat'\. Sheets: Human, Mouse"):
        rows(file, "Rat")


def test_formulas_without_a_value_errors_and_cells_beyond_the_header_are_refused_alone(file: Path) -> None:
    workbook(file, A=[("a", "b"), ("=1+1", "x"), ("#N/A", "x"), ("x", "y", "z"), ("p", "q")])
    refused: list[DataError] = []
    assert rows(file, refused=refused) == [(1, ["a", "b"]), (5, ["p", "q"])]
    assert [error.line for error in refused] == [2, 3, 4]
    assert "A2 holds a formula whose value is not stored" in str(refused[0])
    assert "A3 holds the error #N/A" in str(refused[1])
    assert "the row has 3 cells; the first row has 2" in str(refused[2])


def test_a_damaged_workbook_is_refused(file: Path) -> None:
    workbook(file, A=[("a",)])
    with zipfile.ZipFile(file) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    for name in ("xl/workbook.xml", "xl/worksheets/sheet1.xml"):
        with zipfile.ZipFile(file, "w") as target:
            for part, content in parts.items():
                target.writestr(part, content[: len(content) // 2] if part == name else content)
        with pytest.raises(DataError, match="cannot be read as a workbook"):
            rows(file)


def test_a_workbook_made_to_fill_the_memory_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workbook(file, A=[("a",)])
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as target:
        target.writestr("xl/media/big.xml", bytes(20_000_000))
    monkeypatch.setattr(compression, "_LARGE", 1 << 20)
    with pytest.raises(DataError, match="unpacks to more than 200 times"):
        rows(file)


def test_without_openpyxl_the_extra_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workbook(file, A=[("a",)])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"needs the 'xlsx' extra\. Run: pip install .*\[xlsx\]"):
        rows(file)


def test_other_files_are_no_workbooks(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_text("id,name\n")
    assert not is_workbook(tmp_path / "a.xlsx")
    assert not is_workbook(tmp_path / "none.xlsx")
    assert not is_workbook("-")
