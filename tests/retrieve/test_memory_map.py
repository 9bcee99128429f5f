"""Files of an index as the system holds them."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from linnet.retrieve import memory_map
from linnet.retrieve.memory_map import read_anew


@pytest.mark.parametrize("size", [0, 1, 5000, 3 * mmap.ALLOCATIONGRANULARITY])
def test_a_file_that_is_read_anew_is_as_it_was_written(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_map, "_ANEW", 2 * mmap.ALLOCATIONGRANULARITY)
    file, content = tmp_path / "file", os.urandom(size)
    file.write_bytes(content)
    read_anew(file)
    assert file.read_bytes() == content


def test_where_a_system_cannot_be_told_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    read_anew(tmp_path / "not even there")
