"""Directories that appear whole or not at all, and notice damage."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, StoreError
from linnet.io import artifact


def fill(directory: Path, text: str = "content") -> None:
    with artifact.replacing_directory(directory) as draft:
        (draft / "deep").mkdir()
        (draft / "deep/file.bin").write_text(text)
        artifact.write_manifest(draft, "it.json", {"version": 1})


def opened(directory: Path) -> dict[str, object]:
    return artifact.read_manifest(directory, "it.json", what="thing", rebuild=Step.MODEL_AGAIN())


def test_a_directory_appears_when_the_block_ends_with_its_manifest(tmp_path: Path) -> None:
    fill(tmp_path / "new/deeper/it")
    fields = opened(tmp_path / "new/deeper/it")
    assert fields["version"] == 1
    assert fields["files"] == {"deep/file.bin": {"bytes": 7, "crc32": zlib.crc32(b"content")}}
    artifact.check(tmp_path / "new/deeper/it", fields, rebuild=Step.MODEL_AGAIN(), everything=True)


def test_the_new_directory_can_be_read_by_others(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        fill(tmp_path / "it")
    finally:
        os.umask(before)
    assert (tmp_path / "it").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_directory_and_no_trace(tmp_path: Path, error: type[BaseException]) -> None:
    fill(tmp_path / "it", "old")

    def write() -> None:
        with artifact.replacing_directory(tmp_path / "it") as draft:
            (draft / "half").touch()
            raise error

    with pytest.raises(error):
        write()
    assert (tmp_path / "it/deep/file.bin").read_text() == "old"
    assert os.listdir(tmp_path) == ["it"]  # noqa: PTH208


def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match=r"No space left.*Nothing was changed"),
        artifact.replacing_directory(tmp_path / "it"),
    ):
        raise OSError(28, "No space left on device")
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(StoreError, match="cannot be written"),
        artifact.replacing_directory(tmp_path / "file/it"),
    ):
        pytest.fail("the block ran")


def test_named_files_are_carried_over(tmp_path: Path) -> None:
    fill(tmp_path / "it")
    (tmp_path / "it/mine.tsv").write_text("mine")
    with artifact.replacing_directory(tmp_path / "it", keep=("mine.tsv", "absent.tsv")) as draft:
        (draft / "new").touch()
    assert sorted(os.listdir(tmp_path / "it")) == ["mine.tsv", "new"]  # noqa: PTH208


def test_a_missing_manifest_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(
        StoreError, match=r"is not a thing: no such directory\.", check=advises(Step.MODEL_AGAIN)
    ):
        opened(tmp_path / "gone")
    with pytest.raises(StoreError, match=r"it has no it\.json\.", check=advises(Step.MODEL_AGAIN)):
        opened(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file is a file; a thing is a directory\."):
        opened(tmp_path / "file")


@pytest.mark.parametrize("content", [b"", b"{", b"3", b"{}", b'{"files": 3}', b"\xff\xfe"])
def test_a_manifest_that_cannot_be_understood_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "it.json").write_bytes(content)
    with pytest.raises(DamagedError, match="train the model again"):
        opened(tmp_path)


def test_missing_longer_shorter_and_altered_files_are_told_apart(tmp_path: Path) -> None:
    fill(tmp_path / "it")
    fields = opened(tmp_path / "it")
    file = tmp_path / "it/deep/file.bin"
    for content, said in [
        ("c0ntent", "was altered"),
        ("conten", "has 6 bytes; expected 7"),
        (None, "is missing"),
    ]:
        if content is None:
            file.unlink()
        else:
            file.write_text(content)
        with pytest.raises(DamagedError, match=said):
            artifact.check(tmp_path / "it", fields, rebuild=Step.MODEL_AGAIN())


def test_large_files_are_compared_byte_by_byte_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifact, "_CHECKED_ON_OPEN", 3)
    fill(tmp_path / "it")
    fields = opened(tmp_path / "it")
    (tmp_path / "it/deep/file.bin").write_text("c0ntent")
    artifact.check(tmp_path / "it", fields, rebuild=Step.MODEL_AGAIN())
    with pytest.raises(DamagedError, match="was altered"):
        artifact.check(tmp_path / "it", fields, rebuild=Step.MODEL_AGAIN(), everything=True)


def test_the_smallest_files_are_compared_byte_by_byte_as_long_as_they_are_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifact, "_CHECKED_ON_OPEN", 25)
    with artifact.replacing_directory(tmp_path / "it") as draft:
        for name, size in (("a", 12), ("b", 11), ("c", 10)):
            (draft / name).write_bytes(bytes(size))
        artifact.write_manifest(draft, "it.json", {})
    fields = opened(tmp_path / "it")
    (tmp_path / "it/a").write_bytes(b"x" * 12)
    artifact.check(tmp_path / "it", fields, rebuild=Step.MODEL_AGAIN())
    (tmp_path / "it/b").write_bytes(b"x" * 11)
    with pytest.raises(DamagedError, match=r"b was altered.*train the model again"):
        artifact.check(tmp_path / "it", fields, rebuild=Step.MODEL_AGAIN())


@pytest.mark.parametrize("place", [0, 40, -1])
def test_the_ends_of_large_files_are_always_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    monkeypatch.setattr(artifact, "_CHECKED_ON_OPEN", 0)
    monkeypatch.setattr(artifact, "_END", 16)
    with artifact.replacing_directory(tmp_path / "it") as draft:
        (draft / "large").write_bytes(bytes(80))
        artifact.write_manifest(draft, "it.json", {})
    fields = opened(tmp_path / "it")
    content = bytearray(80)
    content[place] = 1
    (tmp_path / "it/large").write_bytes(content)
    if place == 40:
        artifact.check(tmp_path / "it", fields, rebuild=Step.MODEL_AGAIN())
    with pytest.raises(DamagedError, match="large was altered"):
        artifact.check(tmp_path / "it", fields, rebuild=Step.MODEL_AGAIN(), everything=place == 40)


def test_a_digest_depends_on_all_parts_and_on_the_content_of_files(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("same")
    (tmp_path / "two").write_text("same")
    assert (
        artifact.digest(tmp_path / "one") == artifact.digest(tmp_path / "two") == artifact.digest("same", b"")
    )
    assert artifact.digest("a", "b") != artifact.digest("b", "a")
    assert len(artifact.digest("a")) == 32


def test_a_manifest_is_readable_json(tmp_path: Path) -> None:
    fill(tmp_path / "it")
    assert json.loads((tmp_path / "it/it.json").read_text())["files"]["deep/file.bin"]["bytes"] == 7


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_manifest_that_is_a_named_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "thing.json")
    with pytest.raises(DamagedError, match=r"thing.json is not a file.", check=advises(Step.MODEL_AGAIN)):
        artifact.read_manifest(tmp_path, "thing.json", what="thing", rebuild=Step.MODEL_AGAIN())
