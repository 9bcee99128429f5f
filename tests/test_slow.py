"""The list of slow tests names tests that are there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
TOOLS = TESTS.parent / "tools"


def functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    methods = {f"{c.name}::{f.name}" for c in classes for f in c.body if isinstance(f, ast.FunctionDef)}
    return {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    } | methods


def test_every_slow_test_is_there() -> None:
    gone = []
    for line in (TESTS / "slow.txt").read_text(encoding="utf-8").split():
        file, _, function = line.partition("::")
        place = TESTS.parent / file
        if not place.is_file() or function not in functions(place):
            gone.append(line)
    assert not gone, "take them out, or run tools/slow_tests.py"


def test_a_case_counts_with_its_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    from slow_tests import slow_functions

    log = "0.15s call     tests/a.py::b[1]\n0.20s setup    tests/a.py::b[1]\n0.20s call     tests/a.py::c\n9.00s other"
    assert slow_functions(log) == ["tests/a.py::b"]
