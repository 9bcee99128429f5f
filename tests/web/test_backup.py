"""A project backed up and restored through the page is the same project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

TEXT = "Breast and ovarian cancer 😀 run in families.\nGout is not flumble."
GOLD = "7|t|Asthma at night\n7|a|Asthma, worse at night.\n7\t0\t6\tAsthma\tDisease\tMESH:D001249\n"
# What a restored annotation has to have in common with the one it was made from.
KEPT = (
    "start",
    "end",
    "text",
    "layer",
    "type",
    "concepts",
    "nil",
    "composite",
    "confidence",
    "author",
    "model",
)


def _content(script: Any, project: int) -> dict[str, Any]:
    """Everything that matters of the documents, by name."""
    found = {}
    for one in script.get(f"/projects/{project}/documents", limit=500)["documents"]:
        view = script.get(f"/documents/{one['id']}")
        annotations = [{name: mark[name] for name in KEPT} for mark in view["annotations"]]
        log = script.get(f"/documents/{one['id']}/log")["entries"]
        found[view["name"]] = {
            "text": view["text"],
            "state": view["state"],
            "revision": view["revision"],
            "annotations": annotations,
            "log": [(entry["by"], entry["action"], entry["at"]) for entry in log],
        }
    return found


def test_a_project_is_backed_up_and_restored_through_the_page(
    ada: Any, script: Any, sign_in: Any, server: Any, tmp_path: Path
) -> None:
    project = script.project("Precious", {"one.txt": TEXT, "gold.txt": GOLD})
    page = ada.page
    ada.open_document(script.document(project, "one"))
    ada.select("flumble")
    ada.search("gout").click()
    ada.said("Annotated “flumble”")
    ada.select("families")
    ada.nil()
    ada.said("Annotated “families”")
    ada.accept()
    drawn = ada.boxes("user")
    before = _content(script, project)
    assert before["one"]["state"] == "accepted"
    assert [one["layer"] for one in before["7"]["annotations"]] == ["gold"]

    ada.open(f"/projects/{project}/export")
    with page.expect_download() as download:
        page.get_by_role("link", name="Back up the project").click()
    file = tmp_path / "backup.zip"
    download.value.save_as(file)

    ada.open("/")
    page.get_by_label("Restore a backup").set_input_files(file)
    note = page.get_by_role("status").filter(has_text="Restored")
    note.wait_for()
    assert "2 documents" in note.inner_text()
    restored = next(
        one["id"]
        for one in script.get("/projects")
        if one["name"].startswith("Precious") and one["id"] != project
    )
    script.wait(restored)
    assert _content(script, restored) == before

    note.get_by_role("link").click()
    page.get_by_role("heading", name="Precious (2)").wait_for()
    ada.open_document(script.document(restored, "one"))
    page.locator(".text mark").first.wait_for()
    assert ada.boxes("user") == drawn
    # It is a project of its own: what is changed in it leaves the first one alone.
    page.get_by_role("button", name="Undo").click()
    ada.said("Undone")
    assert script.document(restored, "one")["state"] == "open"
    assert _content(script, project) == before


def test_a_file_that_is_not_a_backup_is_refused(ada: Any, tmp_path: Path) -> None:
    file = tmp_path / "photos.zip"
    file.write_bytes(b"PK\x05\x06" + b"\0" * 18)
    ada.open("/")
    ada.page.get_by_label("Restore a backup").set_input_files(file)
    ada.said("not a linnet backup")
