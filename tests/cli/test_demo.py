"""`linnet demo`: what a new user sees first."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from linnet.cli import app


def shown(monkeypatch: pytest.MonkeyPatch, cache: Path) -> str:
    monkeypatch.setenv("LINNET_CACHE", str(cache))
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(app, ["demo"])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_the_demo_fits_a_narrow_terminal_and_says_what_comes_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = shown(monkeypatch, tmp_path)
    assert max(map(len, text.splitlines())) <= 80
    rows = [line.split() for line in text.splitlines()]
    assert ["AT", "MESH:D001260", "Ataxia", "Telangiectasia"] in rows
    assert "linnet terminology fetch mesh-descriptors" in text


def test_the_second_demo_uses_what_the_first_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = shown(monkeypatch, tmp_path)
    manifest = tmp_path / "starter" / "terminology.json"
    written = manifest.stat().st_mtime_ns
    assert shown(monkeypatch, tmp_path) == first
    assert manifest.stat().st_mtime_ns == written


def test_a_damaged_copy_is_compiled_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = shown(monkeypatch, tmp_path)
    (tmp_path / "starter" / "terminology.json").write_text("{")
    assert shown(monkeypatch, tmp_path) == first


def test_a_damaged_index_is_compiled_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = shown(monkeypatch, tmp_path)
    (tmp_path / "starter" / "index" / "dense" / "index.json").write_text("{")
    assert shown(monkeypatch, tmp_path) == first


def test_a_cache_that_cannot_be_written_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "MESH:D001260" in shown(monkeypatch, tmp_path / "file" / "cache")
