"""What an earlier linnet wrote, unpacked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compatibility.answers import unpack


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Terminologies, models, runs, outputs and their sources, shared: not to be written to."""
    return unpack("home", tmp_path_factory.mktemp("home"))


@pytest.fixture
def at_home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same as working directory, with an empty cache."""
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(home)
    return home
