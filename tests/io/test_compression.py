"""Packed files: told by their first bytes, bounded, and refused where they are damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from linnet.errors import DataError
from linnet.io import compression
from linnet.io.files import head_of, inner_name, open_bytes, read_lines, read_text

PACK = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
kinds = pytest.mark.parametrize("kind", PACK)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "notes.txt"


@kinds
def test_a_packed_file_is_read_whatever_its_name(file: Path, kind: str) -> None:
    pack = PACK[kind]
    for content in (pack(b"one\ntwo\n"), pack(b"one\n") + pack(b"two\n"), pack(b"one\ntwo\n") + b"\0" * 512):
        file.write_bytes(content)
        assert list(read_lines(file)) == [(1, "one"), (2, "two")]
        assert head_of(file, 5) == b"one\nt"


@kinds
def test_a_stream_can_be_sought(file: Path, kind: str) -> None:
    text = os.urandom(3_000_000)
    file.write_bytes(PACK[kind](text))
    with open_bytes(file) as stream:
        for place in (2_500_000, 10, 1_048_576, 0):
            stream.seek(place)
            assert stream.read(100) == text[place : place + 100]


@kinds
def test_a_truncated_damaged_or_lengthened_file_is_refused(file: Path, kind: str) -> None:
    whole = PACK[kind](os.urandom(100_000))
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes(255 - byte for byte in whole[middle : middle + 8]) + whole[middle + 8 :]
    second = PACK[kind](b"more")
    for content in (whole[:-9], whole[:middle], flipped, whole + b"junk", whole + b"\1" + second[1:]):
        file.write_bytes(content)
        with pytest.raises(DataError, match=rf"notes\.txt: the {kind} file is truncated or damaged"):
            read_text(file)


@kinds
def test_a_file_made_to_fill_the_memory_is_refused(
    file: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "_LARGE", 1 << 20)
    file.write_bytes(PACK[kind](bytes(40_000_000)))
    made = []

    def read() -> None:
        with open_bytes(file) as stream:
            made.extend(len(block) for block in iter(lambda: stream.read(1 << 16), b""))

    with pytest.raises(DataError, match="unpacks to more than 200 times its size"):
        read()
    assert sum(made) < 30_000_000
    with pytest.raises(DataError, match="unpacks to more than"):
        list(read_lines(file))


@kinds
def test_standard_input_is_unpacked(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = io.BufferedReader(io.BytesIO(PACK[kind](b"typed\n")))  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=piped))
    assert head_of("-") == b"typed\n"
    assert list(read_lines("-")) == [(1, "typed")]


@kinds
def test_of_a_file_cut_off_the_head_is_what_there_is(file: Path, kind: str) -> None:
    text = os.urandom(2_000_000)
    file.write_bytes(PACK[kind](text)[:1_500_000])
    assert text.startswith(head_of(file))
    assert head_of(file)


def test_text_that_begins_like_a_packed_file_is_text(file: Path) -> None:
    file.write_text("BZh9 is a gene\n")
    assert read_text(file) == "BZh9 is a gene\n"


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (b"\x28\xb5\x2f\xfd....", r"is a Zstandard file.*zstd -d"),
        (b"7z\xbc\xaf\x27\x1c..", "is a 7-Zip archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", r"an old Excel or Word file.*Save it as \.xlsx"),
        (b"Rar!\x1a\x07\x01\x00", "is a RAR archive"),
    ],
)
def test_what_is_not_unpacked_is_named_with_the_program_that_does(file: Path, head: bytes, says: str) -> None:
    file.write_bytes(head)
    with pytest.raises(DataError, match=says):
        read_text(file)


def test_a_tar_archive_is_named_packed_or_not(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    for mode, name in (("w", "a.tar"), ("w:gz", "a.tar.gz"), ("w:xz", "a.tar.xz")):
        with tarfile.open(tmp_path / name, mode) as packed:
            packed.add(tmp_path / "a.txt", "a.txt")
        with pytest.raises(DataError, match=r"is a tar archive.*tar xf"):
            read_text(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "inner"), [("a.txt.gz", "a.txt"), ("a.tsv.XZ", "a.tsv"), ("a.txt", "a.txt"), ("a", "a")]
)
def test_the_name_of_what_is_packed(tmp_path: Path, name: str, inner: str) -> None:
    assert inner_name(tmp_path / name) == inner
