"""Files of an index as the system holds them."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from linnet.retrieve import memory_map
from linnet.retrieve.memory_map import refresh_page_cache


@pytest.mark.parametrize("size", [0, 1, 5000, 3 * mmap.ALLOCATIONGRANULARITY])
def test_a_file_that_is_read_anew_is_as_it_was_written(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_map, "_ANEW", 2 * mmap.ALLOCATIONGRANULARITY)
    file, content = tmp_path / "file", os.urandom(size)
    file.write_bytes(content)
    refresh_page_cache(file)
    assert file.read_bytes() == content


def test_where_a_system_cannot_be_told_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    refresh_page_cache(tmp_path / "not even there")
