"""The pages of the experiments on papers: each can be made again, byte for byte, of its template, its plan and the tables kept."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytestmark = pytest.mark.torch

import dilbert  # noqa: E402
import dilbert_transformers  # noqa: E402
import le_nguyen  # noqa: E402
import le_nguyen_errors  # noqa: E402
import le_nguyen_transformers  # noqa: E402
import sapbert  # noqa: E402
import sapbert_transformers  # noqa: E402
import trainx  # noqa: E402
from harness import page_of, read_plan, tables_of  # noqa: E402

PAGES = Path(__file__).parents[2] / "docs/results"
SCRIPTS = {
    "dilbert": dilbert,
    "dilbert-transformer": dilbert_transformers,
    "le-nguyen": le_nguyen,
    "le-nguyen-errors": le_nguyen_errors,
    "le-nguyen-transformer": le_nguyen_transformers,
    "sapbert": sapbert,
    "sapbert-transformer": sapbert_transformers,
    "trainx": trainx,
}


def plan_of(script: ModuleType) -> Any:
    return script.read(script.PLAN) if hasattr(script, "read") else read_plan(script.PLAN, script.Plan)


@pytest.mark.parametrize("name", ["accurate", "active-learning", "context", "dual", "recogniser"])
def test_a_page_without_a_plan_is_made_again_of_what_was_kept(name: str) -> None:
    made = page_of(name, None, tables_of(PAGES / f"{name}.json"))
    assert made == (PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "script"), SCRIPTS.items())
def test_a_page_is_made_again_of_what_was_kept(name: str, script: ModuleType) -> None:
    made = page_of(name, plan_of(script), tables_of(PAGES / f"{name}.json"))
    assert made == (PAGES / f"{name}.md").read_text(encoding="utf-8")
