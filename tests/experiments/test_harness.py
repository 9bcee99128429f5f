"""What the experiments on papers share: results kept under the settings they were made with, and pages of them."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path
from types import SimpleNamespace

import harness
import numpy as np
import pytest
from harness import Kept, key_of, write_page

SETTINGS = {"work": Path("here"), "seeds": 1, "steps": 10, "encoder": {"steps": 3}}


def test_results_are_kept_for_the_settings_they_were_made_with() -> None:
    key = key_of(SETTINGS)
    assert key_of({**SETTINGS, "work": Path("there"), "seeds": 5}) == key
    assert key_of({**SETTINGS, "steps": 20}) != key
    assert key_of({**SETTINGS, "encoder": {"steps": 4}}) != key
    without = key_of(SETTINGS, without=["steps"])
    assert key_of({**SETTINGS, "steps": 20}, without=["steps"]) == without


def test_what_a_run_found_comes_back_and_may_be_replaced(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "new")
    assert not kept.has("ncbi", "random + 2", 0)
    for rank in (3, 1):
        kept.keep("ncbi", "random + 2", 0, facts={"seconds": 1.5}, ranks=np.array([rank]))
        assert kept.arrays("ncbi", "random + 2", 0)["ranks"].tolist() == [rank]
        assert kept.facts("ncbi", "random + 2", 0) == {"seconds": 1.5}
    assert [file.name for file in kept.folder.iterdir()] == ["ncbi-random+2-0.npz"]
    Kept(tmp_path, "json").keep("ncbi", facts={"answers": ["X:1"]})
    assert Kept(tmp_path, "json").facts("ncbi") == {"answers": ["X:1"]}


def test_a_page_is_made_again_of_the_tables_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness, "HERE", tmp_path)
    monkeypatch.setattr(harness, "machine", lambda: "this machine")
    (tmp_path / "study.md").write_text("{plan.steps} steps on {machine}\n\n{scores}\n", encoding="utf-8")
    pages, plan = tmp_path / "pages", SimpleNamespace(steps=3)
    write_page(pages / "study.md", plan, {"scores": "| a |\n| - |\n"}, timed=True)
    page = (pages / "study.md").read_text(encoding="utf-8")
    assert page == "3 steps on this machine\n\n| a |\n| - |\n\n"

    monkeypatch.setattr(harness, "machine", lambda: "another machine")
    (pages / "study.md").unlink()
    write_page(pages / "study.md", plan, None)
    assert (pages / "study.md").read_text(encoding="utf-8") == page
    write_page(pages / "study.md", plan, {"scores": "none"})  # of results that the first machine left
    assert (pages / "study.md").read_text(encoding="utf-8") == "3 steps on this machine\n\nnone\n"


def test_an_experiment_runs_reports_or_does_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness, "HERE", tmp_path)
    monkeypatch.setattr(harness, "DATA", tmp_path)
    (tmp_path / "study.md").write_text("{plan.work}: {scores}, {run_file}\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text("", encoding="utf-8")
    done: list[object] = []
    pages = tmp_path / "pages"

    def execute(*arguments: str) -> str:
        monkeypatch.setattr("sys.argv", ["study.py", *arguments])
        harness.execute(
            "A study.",
            "study",
            tmp_path / "study.toml",
            read=lambda file, work: SimpleNamespace(work=work or "here", results=pages),
            run=lambda plan: done.append(plan.work),
            tables=lambda plan: {"scores": str(len(done))} if done else None,
            instead={"--rows": lambda plan, value: done.append(f"rows of {value}")},
        )
        return (pages / "study.md").read_text(encoding="utf-8") if pages.exists() else ""

    assert execute("--rows", "sparse") == ""
    assert done == ["rows of sparse"]
    assert execute("--work", "there").startswith("there: 2, ")
    assert done == ["rows of sparse", Path("there")]
    assert execute("--report").startswith("here: 2, ")
    done.clear()  # the results are gone, the tables are not
    assert execute("--report").startswith("here: 2, ")
    monkeypatch.setattr(harness, "DATA", tmp_path / "nowhere")
    done.append("something")
    assert execute("--report").startswith("here: 2, ")


def test_no_scripts_import_each_other_in_a_circle() -> None:
    folder = Path(harness.__file__).parent
    imports: dict[str, set[str]] = {}
    for file in folder.glob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        names |= {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
        imports[file.stem] = {name for name in names if (folder / f"{name}.py").is_file()}
    order = list(TopologicalSorter(imports).static_order())  # raises CycleError
    assert order.index("harness") < order.index("dilbert_transformers")
