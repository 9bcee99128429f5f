"""Zip archives, read in place."""

from __future__ import annotations

import gzip
import io
import os
import struct
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from linnet.errors import DataError
from linnet.io import archive, compression
from linnet.io.files import exists, head_of, inner_name, open_bytes, open_seekable, read_text


def packed(path: Path, files: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "release.zip"


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_an_archive_of_one_data_file_is_that_file(place: Path, method: int) -> None:
    files: dict[str, bytes | str] = {
        "drugs/": "",
        "drugs/names.csv": "id,name\n",
        "drugs/README.txt": "read me",
        "License.pdf": "%PDF",
        "__MACOSX/drugs/._names.csv": "x",
        "drugs/.DS_Store": "x",
    }
    packed(place, files, method)
    assert read_text(place) == "id,name\n"
    assert head_of(place, 2) == b"id"
    assert inner_name(place) == "names.csv"
    assert archive.is_archive(place)


def test_the_files_of_several_are_listed_with_what_to_type(place: Path) -> None:
    packed(place, {"b.csv": "b", "sub/a.csv": "a"})
    with pytest.raises(
        DataError, match=r"holds 2 files: b\.csv, sub/a\.csv\. Name one of them, e\.g\. .*release\.zip/b\.csv"
    ):
        read_text(place)
    assert read_text(place / "sub/a.csv") == "a"
    assert exists(place / "sub/a.csv")
    assert exists(place / "sub")
    assert not exists(place / "gone")
    assert archive.members(place / "sub") == [place / "sub/a.csv"]
    with pytest.raises(DataError, match=r"no such file in the archive\. It holds: b\.csv, sub/a\.csv"):
        read_text(place / "gone")


def test_a_member_may_be_packed_itself(place: Path) -> None:
    packed(place, {"a.txt.gz": gzip.compress(b"text")})
    assert read_text(place) == "text"


def test_an_archive_in_an_archive_is_refused(place: Path, tmp_path: Path) -> None:
    inner = packed(tmp_path / "inner.zip", {"a.txt": "a"})
    packed(place, {"inner.zip": inner.read_bytes()})
    with pytest.raises(DataError, match="zip archive in a zip archive"):
        read_text(place)


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/passwd", "a\\b.txt", "a/../../b"])
def test_names_that_lead_out_of_the_archive_are_refused(place: Path, name: str) -> None:
    packed(place, {name: "x"})
    with pytest.raises(DataError, match="unsafe name"):
        read_text(place)
    with pytest.raises(DataError, match="unsafe name"):
        archive.members(place)


def test_two_files_of_one_name_are_refused(place: Path) -> None:
    raw = packed(place, {"a.txt": "first", "b.txt": "second"}).read_bytes()
    place.write_bytes(raw.replace(b"b.txt", b"a.txt"))
    with pytest.raises(DataError, match=r"two files called 'a\.txt'"):
        read_text(place)


def test_a_truncated_or_damaged_archive_is_refused(place: Path) -> None:
    whole = packed(place, {"a.txt": os.urandom(10_000)}).read_bytes()
    for content in (whole[:-30], whole[:5_000], whole[:3_000] + bytes(9) + whole[3_009:], b"PK\x03\x04"):
        place.write_bytes(content)
        with pytest.raises(DataError, match="the zip file is truncated or damaged"):
            read_text(place)


def test_a_locked_member_is_told(place: Path) -> None:
    raw = bytearray(packed(place, {"a.txt": "secret"}).read_bytes())
    raw[6] |= 1  # the flag in the member's header and in the directory
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    place.write_bytes(raw)
    with pytest.raises(DataError, match="is encrypted"):
        read_text(place)


def test_an_unknown_way_of_packing_is_told(place: Path) -> None:
    raw = bytearray(packed(place, {"a.txt": "text"}).read_bytes())
    for at in (8, raw.index(b"PK\x01\x02") + 10):
        struct.pack_into("<H", raw, at, 9)  # Deflate64, which Windows uses for large files
    place.write_bytes(raw)
    with pytest.raises(DataError, match="another program"):
        read_text(place)


def test_a_member_made_to_fill_the_memory_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_LARGE", 1 << 20)
    packed(place, {"a.txt": bytes(50_000_000)})
    with pytest.raises(DataError, match="unpacks to more than 200 times"):
        read_text(place)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"[Content_Types].xml": "x", "xl/workbook.xml": "x"}, "is an Excel workbook"),
        ({"word/document.xml": "x"}, "is a Word document"),
        (
            {"mimetype": "application/vnd.oasis.opendocument.spreadsheet"},
            r"OpenDocument spreadsheet \(\.ods\)",
        ),
    ],
)
def test_a_document_that_is_a_zip_file_inside_is_named(
    place: Path, files: dict[str, bytes | str], says: str
) -> None:
    packed(place, files)
    assert not archive.is_archive(place)
    with pytest.raises(DataError, match=says):
        read_text(place)


def test_standard_input_cannot_be_an_archive(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = packed(place, {"a.txt": "a"}).read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    with pytest.raises(DataError, match="cannot be read from standard input"):
        read_text("-")


def test_a_file_is_read_in_any_order_from_an_unpacked_copy_that_goes_away(place: Path) -> None:
    packed(place, {"a.bin": b"0123456789"})
    with open_seekable(place) as stream:
        stream.seek(-2, os.SEEK_END)
        assert stream.read() == b"89"
    assert os.listdir(place.parent) == ["release.zip"]  # noqa: PTH208


def test_a_path_below_a_file_that_is_no_archive_is_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(DataError, match="no such file"), open_bytes(tmp_path / "a.txt/b"):
        pytest.fail("the block ran")


def test_the_directory_of_an_archive_is_read_once_until_the_archive_changes(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed(place, {"a.txt": "a"})
    opened: list[object] = []

    class Counting(zipfile.ZipFile):
        def __init__(self, *arguments: object, **options: object) -> None:
            opened.append(arguments)
            super().__init__(*arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(archive.zipfile, "ZipFile", Counting)
    for _ in range(3):
        assert archive.is_archive(place)
        assert archive.document_kind(place) is None
        assert archive.only_member(place) == place / "a.txt"
    assert len(opened) == 1
    packed(place, {"longer.txt": "a"})
    assert archive.only_member(place) == place / "longer.txt"
