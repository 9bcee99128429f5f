"""Sheets of Excel workbooks as rows of text."""

from __future__ import annotations

import datetime
import struct
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from linnet import corpora
from linnet.advice import Step
from linnet.errors import DataError, MissingExtraError, RequestError
from linnet.io import compression
from linnet.io.workbook import ExcelDate, is_workbook, read_sheet, sheet_names
from linnet.terminology.readers import ReadOptions, read

openpyxl = pytest.importorskip("openpyxl", reason="needs the xlsx extra")
Sheet = Sequence[Sequence[Any]]


def workbook(path: Path, **sheets: Sequence[Sequence[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _cell(row: int, column: int, value: str | float) -> bytes:
    place = struct.pack("<HHH", row, column, 0)
    if isinstance(value, str):
        return _record(0x204, place + struct.pack("<H", len(value)) + b"\0" + value.encode("latin-1"))
    return _record(0x203, place + struct.pack("<d", value))


def old_workbook(path: Path, **sheets: Sheet) -> Path:
    """An .xls file: the records of BIFF 8, [MS-XLS], in the one stream of a compound file, [MS-CFB]."""
    starts = [_record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0)) for kind in (5, 0x10)]
    bodies = [
        starts[1]
        + b"".join(
            _cell(r, c, cell) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell is not None
        )
        + _record(0xA, b"")
        for rows in sheets.values()
    ]
    names = [struct.pack("<HBB", 0, len(name), 0) + name.encode("latin-1") for name in sheets]
    place = len(starts[0]) + sum(len(name) + 8 for name in names) + 4
    listed = b""
    for name, body in zip(names, bodies, strict=True):
        listed += _record(0x85, struct.pack("<I", place) + name)
        place += len(body)
    stream = starts[0] + listed + _record(0xA, b"") + b"".join(bodies)
    stream = stream.ljust(max(4096, -(-len(stream) // 512) * 512), b"\0")
    sectors = len(stream) // 512
    table = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, 2 + sectors), 0xFFFFFFFE]
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
        + bytes(6)
    )
    header += struct.pack("<10I", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0) + b"\xff" * 432
    directory = b""
    for name, kind, child, start, size in (
        ("Root Entry", 5, 1, 0xFFFFFFFE, 0),
        ("Workbook", 2, 0xFFFFFFFF, 2, len(stream)),
    ):
        written = (name + "\0").encode("utf-16-le")
        directory += written.ljust(64, b"\0") + struct.pack(
            "<HBB3I", len(written), kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child
        )
        directory += bytes(36) + struct.pack("<IQ", start, size)
    fat = struct.pack("<128I", *table, *[0xFFFFFFFF] * (128 - len(table)))
    path.write_bytes(header + fat + directory.ljust(512, b"\0") + stream)
    return path


def open_document(path: Path, **sheets: Sheet) -> Path:
    """An .ods file."""

    def cell(value: str | float | datetime.date | None) -> str:
        match value:
            case None:
                return "<table:table-cell/>"
            case str():
                return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
            case datetime.date():
                return f'<table:table-cell office:value-type="date" office:date-value="{value}"/>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    tables = "".join(
        f'<table:table table:name="{name}">'
        + "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    mimetype = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    with zipfile.ZipFile(path, "w") as target:
        target.writestr("mimetype", mimetype)
        body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
        target.writestr("content.xml", f"<office:document-content{spaces}>{body}</office:document-content>")
        entry = f'<m:file-entry m:full-path="/" m:media-type="{mimetype}"/>'
        target.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{manifest}">{entry}</m:manifest>')
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
    told: list[tuple[object, ...]] = []
    found = list(read_sheet(file, tell=lambda *note: told.append(note), refuse=pytest.fail))
    assert [cells for _, cells in found] == [["a"], ["1"]]
    assert told == [("only the sheet 'Human' was read. Others: Mouse.", Step.NAME_SHEET())]
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


WRITERS = {".xls": old_workbook, ".ods": open_document}
BIRDS: Sheet = [("id", "name"), (1.0, "Linnet"), (None, None), (2.5, " Siskin ")]


@pytest.mark.parametrize("ending", WRITERS)
def test_workbooks_of_other_programs_are_read_alike(tmp_path: Path, ending: str) -> None:
    file = WRITERS[ending](tmp_path / f"birds{ending}", A=BIRDS, B=[("a", "b")])
    assert is_workbook(file)
    assert sheet_names(file) == ["A", "B"]
    assert rows(file) == [(1, ["id", "name"]), (2, ["1", "Linnet"]), (4, ["2.5", "Siskin"])]
    assert rows(file, "B") == [(1, ["a", "b"])]
    with pytest.raises(RequestError, match=r"has no sheet 'C'\. Sheets: A, B"):
        rows(file, "C")
    assert [d.text for d in corpora.read(file, column="name", sheet="A", format="table")] == [
        "Linnet",
        "Siskin",
    ]
    names = [(concept.id, concept.name) for concept in read(file, options=ReadOptions(prefix="X"))]
    assert names == [("X:1", "Linnet"), ("X:2.5", "Siskin")]


@pytest.mark.parametrize("ending", WRITERS)
def test_damage_to_workbooks_of_other_programs_is_told(tmp_path: Path, ending: str) -> None:
    file = WRITERS[ending](tmp_path / f"birds{ending}", A=BIRDS)
    whole = file.read_bytes()
    for place in range(30, len(whole), 97):
        file.write_bytes(whole[:place] + b"\xf7\xf7" + whole[place + 2 :])
        try:
            if is_workbook(file):
                rows(file, refused=[])
        except DataError as error:
            assert str(file) in str(error)  # noqa: PT017 (most damage is to cells, and cannot be noticed)


def test_a_date_in_an_open_document_is_known_as_one(tmp_path: Path) -> None:
    file = open_document(tmp_path / "birds.ods", A=[("a",), (datetime.date(2099, 3, 1),)])
    [_, (_, [cell])] = rows(file)
    assert (cell, type(cell)) == ("2099-03-01", ExcelDate)


def test_without_calamine_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = old_workbook(tmp_path / "birds.xls", A=BIRDS)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtraError, match=r"needs the 'xlsx' extra"):
        rows(file)


def test_other_files_are_no_workbooks(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_text("id,name\n")
    assert not is_workbook(tmp_path / "a.xlsx")
    assert not is_workbook(tmp_path / "none.xlsx")
    assert not is_workbook("-")
    (tmp_path / "letter.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000))
    assert not is_workbook(tmp_path / "letter.doc")
