"""The files below a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.io.folders import files_below


def test_files_come_by_name_and_those_behind_links_last(tmp_path: Path) -> None:
    top = tmp_path / "top"
    for name in ("top/b.txt", "top/a/2.txt", "top/a/1.txt", "top/.hidden/3.txt", "top/x.md", "other/4.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (top / "0").symlink_to("../other")
    refused: list[DataError] = []
    found = files_below(top, named=lambda name: name.endswith(".txt"), refuse=refused.append)
    assert [path.relative_to(top).as_posix() for path in found] == ["b.txt", "a/1.txt", "a/2.txt", "0/4.txt"]
    assert refused == []


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused: list[DataError] = []
    assert list(files_below(tmp_path / "gone", named=lambda name: True, refuse=refused.append)) == []
    with pytest.raises(DataError, match="gone: cannot be read: No such file"):
        raise refused[0]
