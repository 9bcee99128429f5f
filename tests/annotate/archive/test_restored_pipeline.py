"""Backups of projects that chose a pipeline, and of earlier ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.compatibility.earlier import as_earlier

from linnet.link.pipeline_files import pipelines


def _restored(ada: Any, backup: bytes) -> Any:
    """The report, and the project."""
    report = ada.ok("POST", "projects/restore", files={"file": ("b.zip", backup)})
    return report, ada.ok("GET", f"projects/{report['project']}")


@pytest.mark.usefixtures("accurate")
def test_a_restored_project_keeps_its_pipeline(ada: Any) -> None:
    backup = ada.get(f"/api/projects/{ada.project(pipeline='accurate')}/backup").content
    report, project = _restored(ada, backup)
    assert (project["pipeline"], project["ready"]) == ("accurate", True)
    assert not any("pipeline" in note for note in report["notes"])


def test_without_the_model_it_links_by_the_terminologys_own_and_says_so(
    ada: Any, accurate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = ada.get(f"/api/projects/{ada.project(pipeline='accurate')}/backup").content
    monkeypatch.setitem(pipelines, "accurate", {"reranker": str(accurate / "absent")})
    report, project = _restored(ada, backup)
    assert (project["pipeline"], project["ready"]) == ("", True)
    assert any("pipeline 'accurate' is not available" in note for note in report["notes"])


def test_a_backup_from_before_pipelines_is_restored(ada: Any) -> None:
    def without(record: Any) -> Any:
        if "project" in record:
            assert record["project"].pop("pipeline") == ""
        return record

    backup = ada.get(f"/api/projects/{ada.project()}/backup").content
    assert _restored(ada, as_earlier(backup, without))[1]["pipeline"] == ""
