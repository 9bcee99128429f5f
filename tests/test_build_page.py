"""Packages hold the pages of `linnet annotate` and `linnet map review`, built from the source beside them."""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BUILD_PAGE = Path(__file__).resolve().parents[1] / "tools" / "build_page.py"


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The build hook, for a clone with a source file of its page. hatch itself is not needed."""
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = spec_from_file_location("build_page", BUILD_PAGE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "web" / "src").mkdir(parents=True)
    (tmp_path / "web" / "src" / "main.ts").write_text("1")
    hook = module.PageHook()
    hook.root = str(tmp_path)
    return hook


def put_pages(root: Path) -> list[Path]:
    folder = root / "src" / "linnet" / "annotate" / "web"
    folder.mkdir(parents=True)
    pages = [folder / "index.html", folder / "mapping.html"]
    for page in pages:
        page.write_text("page")
    return pages


def put_npm(root: Path, monkeypatch: pytest.MonkeyPatch, *, code: int) -> Path:
    """A program called npm, the only one on the path, that writes down what it is asked to do."""
    log = root / "npm.log"
    program = root / "bin" / "npm"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexit {code}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return log


def test_a_wheel_without_its_page_is_not_built(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match=r"has not been built, and npm is not installed\. Install Node"):
        hook.initialize("standard", {})


def test_a_clone_is_installed_without_the_page(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    hook.initialize("editable", {})


def test_npm_builds_a_page_that_is_missing(
    hook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = put_npm(tmp_path, monkeypatch, code=0)
    hook.initialize("standard", {})
    assert log.read_text().splitlines() == ["ci --no-audit --no-fund", "run --silent build"]


def test_a_page_as_new_as_its_source_is_not_built_again(
    hook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_pages(tmp_path)
    log = put_npm(tmp_path, monkeypatch, code=1)
    hook.initialize("standard", {})
    assert not log.exists()


@pytest.mark.parametrize("older", [0, 1])
def test_a_page_older_than_its_source_is_built_again_or_refused(
    hook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, older: int
) -> None:
    os.utime(put_pages(tmp_path)[older], (1, 1))
    put_npm(tmp_path, monkeypatch, code=1)
    with pytest.raises(SystemExit, match="is older than its source, and `npm ci` failed"):
        hook.initialize("standard", {})
