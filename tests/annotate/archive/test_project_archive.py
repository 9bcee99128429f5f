"""The backup of a project: an archive as of a server, with the rows of the project only."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.conftest import PASSWORD, Site

from linnet.annotate.archive.manifest import Manifest
from linnet.annotate.archive.reading import rows_of
from linnet.annotate.archive.server_backup import back_up_server
from linnet.annotate.archive.server_restore import restore_server
from linnet.annotate.archive.writing import PROJECT_TABLES
from linnet.annotate.refusals import Invalid
from linnet.annotate.settings import Settings
from linnet.errors import RequestError


def _rows(backup: bytes) -> dict[str, list[dict[str, Any]]]:
    with zipfile.ZipFile(io.BytesIO(backup)) as archive:
        assert {f"tables/{name}.jsonl" for name in PROJECT_TABLES} <= set(archive.namelist())
        return {name: list(rows_of(archive, name)) for name in PROJECT_TABLES}


def test_it_has_nothing_of_other_projects_and_of_accounts_their_names_only(quiet: Site) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    for name in ("bob", "eve"):
        ada.ok("POST", "users", {"name": name, "password": PASSWORD})
    other, project = ada.project(), ada.project(alone=True)
    ada.ok("PUT", f"projects/{project}/members/bob", {"role": "annotator"})
    ada.document(other, "Asthma.")
    view = ada.document(project, "Gout.")
    made = {"start": 0, "end": 4, "concepts": ["X:1"], "revision": view["revision"]}
    ada.ok("POST", f"documents/{view['id']}/annotations", made)
    ada.ok("POST", f"documents/{view['id']}/comments", {"text": "Sure?"})
    backup = ada.get(f"/api/projects/{project}/backup").content
    rows = _rows(backup)
    assert [row["name"] for row in rows["users"]] == ["ada", "bob"]
    assert all(row.keys() == {"id", "key", "name"} for row in rows["users"])
    assert [row["id"] for row in rows["projects"]] == [project]
    assert [row["text"] for row in rows["documents"]] == ["Gout."]
    assert [row["concepts"] for row in rows["annotations"]] == [["X:1"]]
    assert [row["text"] for row in rows["comments"]] == ["Sure?"]
    assert {row["project_id"] for row in rows["log"]} == {project}
    with zipfile.ZipFile(io.BytesIO(backup)) as archive:
        assert Manifest.read(archive).project == project


def test_it_is_not_replaced_by_the_backup_of_a_server(quiet: Site, tmp_path: Path) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    target = tmp_path / "backup.zip"
    backup = ada.get(f"/api/projects/{ada.project()}/backup").content
    target.write_bytes(backup)
    with pytest.raises(RequestError, match="is not the backup of a server"):
        back_up_server(quiet.settings, target)
    assert target.read_bytes() == backup
    with pytest.raises(Invalid, match="the backup of one project"):
        restore_server(target, Settings(data=tmp_path / "goal"))


def test_a_row_that_was_changed_is_refused(quiet: Site) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    backup = ada.get(f"/api/projects/{ada.project()}/backup").content
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(backup)) as source, zipfile.ZipFile(changed, "w") as goal:
        for name in source.namelist():
            content = source.read(name)
            if name == "tables/members.jsonl":
                content = json.dumps(json.loads(content) | {"role": "curator"}).encode()
            goal.writestr(name, content)
    files = {"file": ("b.zip", changed.getvalue())}
    assert "members.jsonl is not what" in ada.refused(422, "POST", "projects/restore", files=files)["message"]
    assert len(ada.ok("GET", "projects")) == 1
