"""Drafts of living processes are left alone, those of killed ones are removed by whoever writes next."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from linnet.io import artifact, drafts
from linnet.io.files import open_output

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no lock on folders")

WRITE = """
import sys, time
from pathlib import Path
from linnet.io import artifact
from linnet.io.files import open_output
kind, target = sys.argv[1:]
with artifact.replacing_directory(target) if kind == "directory" else open_output(target):
    print("writing", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "_YOUNG", -1.0)


def write(kind: str, target: Path) -> None:
    if kind == "directory":
        with artifact.replacing_directory(target) as draft:
            (draft / "file").write_text("whole")
    else:
        with open_output(target) as stream:
            stream.write("whole")


def hidden(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir() if entry.name.startswith(".")]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", ["directory", "file"])
def test_a_killed_process_leaves_a_draft_that_the_next_one_removes(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "result"
    with subprocess.Popen(
        [sys.executable, "-c", WRITE, kind, str(target)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "writing\n"
        write(kind, target)
        [left] = hidden(tmp_path)  # it is alive
        other.kill()
    assert hidden(tmp_path) == [left]
    write(kind, target)
    assert hidden(tmp_path) == []
    assert target.exists()


def test_a_draft_that_was_just_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".result.linnet-abcdefgh").mkdir()
    write("directory", tmp_path / "result")
    assert hidden(tmp_path) == [".result.linnet-abcdefgh"]


@pytest.mark.usefixtures("at_once")
def test_what_is_no_draft_of_the_target_is_left_alone(tmp_path: Path) -> None:
    others = [
        ".result.settings",
        ".result.linnet-notes",
        ".other.linnet-abcdefgh",
        ".result.linnet-abcdefgh.txt",
    ]
    for name in others:
        (tmp_path / name).mkdir()
    (tmp_path / ".result.linnet-aaaaaaaa").symlink_to(tmp_path / ".result.settings")
    write("directory", tmp_path / "result")
    assert sorted(hidden(tmp_path)) == sorted([*others, ".result.linnet-aaaaaaaa"])


@pytest.mark.usefixtures("at_once")
def test_a_result_that_was_moved_aside_by_a_killed_process_is_put_back(tmp_path: Path) -> None:
    target = tmp_path / "result"
    aside = tmp_path / ".result.old.linnet-abcdefgh" / "old"
    aside.mkdir(parents=True)
    (aside / "file").write_text("old")
    with pytest.raises(RuntimeError), artifact.replacing_directory(target):
        raise RuntimeError
    assert (target / "file").read_text() == "old"
    assert hidden(tmp_path) == []


def test_the_draft_of_a_process_known_to_be_dead_is_removed_at_once(tmp_path: Path) -> None:
    target = tmp_path / "result"
    with subprocess.Popen(
        [sys.executable, "-c", WRITE, "file", str(target)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "writing\n"
        drafts.remove_abandoned(target, young=True)
        assert len(hidden(tmp_path)) == 1  # it is alive
        other.kill()
    drafts.remove_abandoned(target, young=True)
    assert hidden(tmp_path) == []
