"""What a user types to add an extra to linnet."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from linnet import extras
from linnet.errors import MissingExtraError

WHEEL = "file:///downloads/linnet-0.1.0-py3-none-any.whl"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """linnet in a folder that is no clone; call it with what its installer recorded."""
    monkeypatch.setattr(extras, "_PACKAGE", tmp_path / "lib" / "site-packages" / "linnet")

    def record(content: Any) -> None:
        package = SimpleNamespace(read_text=lambda name: json.dumps(content) if content else None)
        monkeypatch.setattr("importlib.metadata.distribution", lambda name: package)

    return record


def test_a_clone_is_installed_again_with_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "a clone"
    (clone / "src" / "linnet").mkdir(parents=True)
    (clone / "pyproject.toml").touch()
    monkeypatch.setattr(extras, "_PACKAGE", clone / "src" / "linnet")
    monkeypatch.chdir(tmp_path)
    assert extras.install_command("ray") == f"pip install -e '{clone}[ray]'"
    monkeypatch.chdir(clone)
    assert extras.install_command("ray") == "pip install -e '.[ray]'"
    assert str(MissingExtraError("X", "ray")).endswith("Run: pip install -e '.[ray]'")


@pytest.mark.parametrize(
    ("record", "requirement"),
    [
        ({"url": WHEEL, "archive_info": {}}, f"linnet[ray] @ {WHEEL}"),
        (
            {"url": "https://host/linnet.git", "vcs_info": {"vcs": "git", "commit_id": "1f"}},
            "linnet[ray] @ git+https://host/linnet.git@1f",
        ),
        (None, "linnet[ray]"),
    ],
)
def test_a_wheel_is_installed_again_from_where_it_came(wheel: Any, record: Any, requirement: str) -> None:
    wheel(record)
    assert extras.clone() is None
    assert extras.install_command("ray") == f"pip install '{requirement}'"
