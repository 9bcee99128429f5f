"""Files of an index as the system holds them."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from linnet.retrieve import memory_map
from linnet.retrieve.memory_map import refresh_page_cache


@pytest.mark.parametrize("size", [0, 1, 5000, 3 * mmap.ALLOCATIONGRANULARITY])
def test_a_file_keeps_its_content_when_its_page_cache_is_refreshed(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_map, "_READ", 2 * mmap.ALLOCATIONGRANULARITY)
    file, content = tmp_path / "file", os.urandom(size)
    file.write_bytes(content)
    refresh_page_cache(file)
    assert file.read_bytes() == content


def test_nothing_happens_on_a_system_without_these_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    refresh_page_cache(tmp_path / "not even there")
