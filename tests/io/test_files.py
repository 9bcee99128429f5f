"""Text files: gzip by content, encodings, line ends, and outputs that appear whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.io.files import open_bytes, open_output, read_lines, read_text, replacing


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file.txt"


def listing(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))  # noqa: PTH208


def test_gzip_is_told_by_content_whatever_the_name(file: Path) -> None:
    for content in (
        b"one\ntwo\n",
        gzip.compress(b"one\ntwo\n"),
        gzip.compress(b"one\n") + gzip.compress(b"two\n"),
    ):
        file.write_bytes(content)
        assert list(read_lines(file)) == [(1, "one"), (2, "two")]
        assert read_text(file) == "one\ntwo\n"


def test_a_byte_order_mark_is_dropped_and_windows_line_ends_too(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rtoo\r\n\r\nlast")
    assert list(read_lines(file)) == [(1, "one"), (2, "two\rtoo"), (3, ""), (4, "last")]
    assert read_text(file) == "one\r\ntwo\rtoo\r\n\r\nlast"


def test_unicode_line_separators_end_no_line(file: Path) -> None:
    file.write_text("one\u2028still\x0bone\x85\n")
    assert list(read_lines(file)) == [(1, "one\u2028still\x0bone\x85")]


@given(lines=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\ufeff"))))
@settings(max_examples=50, deadline=None)
def test_lines_survive_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    place = tmp_path_factory.mktemp("lines") / "file"
    with open_output(place) as stream:
        stream.writelines(f"{line}\n" for line in lines)
    assert [line for _, line in read_lines(place)] == lines


@pytest.mark.parametrize("zipped", [False, True])
def test_bytes_that_are_not_utf8_are_named_with_their_line(file: Path, zipped: bool) -> None:
    raw = b"fine\nna\xefve\n"
    file.write_bytes(gzip.compress(raw) if zipped else raw)
    for read in (lambda path: list(read_lines(path)), read_text):
        with pytest.raises(DataError, match="0xef") as refused:
            read(file)
        assert (refused.value.path, refused.value.line) == (file, 2)


def test_a_truncated_or_corrupt_gzip_is_told(file: Path) -> None:
    whole = gzip.compress(os.urandom(10_000))
    for content in (whole[:-100], whole[:500] + b"\0\0\0\0" + whole[504:], whole[:-8] + b"12345678"):
        file.write_bytes(content)
        with pytest.raises(DataError, match="truncated or damaged"):
            read_text(file)


def test_missing_files_and_directories_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="gone: no such file"):
        read_text(tmp_path / "gone")
    with pytest.raises(DataError, match="is a directory"):
        read_text(tmp_path)


def test_a_dash_is_standard_input_and_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"typed\n")))
    assert list(read_lines("-")) == [(1, "typed")]
    with open_output("-") as stream:
        stream.write("shown")
    assert capsys.readouterr().out == "shown"


def test_an_empty_file_has_no_lines(file: Path) -> None:
    file.touch()
    assert list(read_lines(file)) == []
    with open_bytes(file) as stream:
        assert stream.read() == b""


def test_a_file_appears_when_the_block_ends(file: Path) -> None:
    with open_output(file) as stream:
        stream.write("new\n")
        stream.flush()
        assert not file.exists()
    assert file.read_bytes() == b"new\n"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_no_trace(file: Path, error: type[BaseException]) -> None:
    file.write_text("old")

    def write() -> None:
        with open_output(file) as stream:
            stream.write("half")
            raise error

    with pytest.raises(error):
        write()
    assert file.read_text() == "old"
    assert listing(file.parent) == ["file.txt"]


def test_a_full_disk_is_told_and_changes_nothing(file: Path) -> None:
    file.write_text("old")
    with pytest.raises(DataError, match=r"No space left.*Nothing was changed"), replacing(file):
        raise OSError(28, "No space left on device")
    assert file.read_text() == "old"
    assert listing(file.parent) == ["file.txt"]


def test_an_input_that_cannot_be_read_is_not_blamed_on_the_output(file: Path) -> None:
    file.write_text("old")
    with pytest.raises(FileNotFoundError, match="gone"), replacing(file):
        file.with_name("gone").read_text()
    assert file.read_text() == "old"
    assert listing(file.parent) == ["file.txt"]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"), open_output(tmp_path / "gone/file"):
        pytest.fail("the block ran")
    with pytest.raises(DataError, match="cannot be written"), open_output(tmp_path) as stream:
        stream.write("x")


def test_the_file_behind_a_link_is_replaced_and_the_link_stays(file: Path) -> None:
    file.write_text("old")
    link = file.with_name("link")
    link.symlink_to(file)
    with open_output(link) as stream:
        stream.write("new")
    assert link.is_symlink()
    assert file.read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with open_output(pipe) as stream:
        stream.write("through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("read", [lambda path: list(read_lines(path)), read_text])
@pytest.mark.parametrize(
    ("content", "place", "advice"),
    [
        ("Sjögren\ngout\nMénière\n".encode().replace(b"gout", b"g\xffut"), ":2: not valid UTF-8 at byte 1 of the line (0xff)",
         "; the rest is UTF-8. Correct the line, or leave such bytes out: iconv -c -f utf-8 -t utf-8 FILE > NEW"),
        ("gout\nSjögren\nMénière\n".encode("cp1252"), ":2: not valid UTF-8 at byte 2 of the line (0xf6)",
         "; the file looks like Windows-1252. To convert it from windows-1252: iconv -f windows-1252 -t utf-8 FILE > NEW"),
    ],
)  # fmt: skip
def test_advice_for_invalid_bytes_fits_the_rest_of_the_file(
    tmp_path: Path, read: Any, content: bytes, place: str, advice: str
) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(content)
    with pytest.raises(DataError) as refusal:
        read(file)
    assert str(refusal.value) == f"{file}{place}{advice}"


def test_the_advised_command_keeps_the_rest_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("Sjögren\n".encode() * 9 + b"g\xffut\n")
    with pytest.raises(DataError) as refusal:
        read_text(file)
    command = str(refusal.value).rpartition(": ")[2].replace("FILE", "a.txt").replace("NEW", "b.txt")
    subprocess.run(command, shell=True, cwd=tmp_path, check=False)
    assert (tmp_path / "b.txt").read_text() == "Sjögren\n" * 9 + "gut\n"
