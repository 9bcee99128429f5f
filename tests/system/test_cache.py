"""Where the cache is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from linnet.system.cache import cache_directory


def test_the_cache_is_where_the_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path))
    assert cache_directory() == tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="the place on Linux")
def test_the_cache_is_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LINNET_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "linnet"
