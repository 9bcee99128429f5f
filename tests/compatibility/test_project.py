"""A data folder of `linnet annotate` and a backup, both of an earlier linnet, show what they showed."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the annotate extra")

from tests.annotate.conftest import Client, Site
from tests.compatibility.answers import differences, files_of, unpack
from tests.compatibility.project import told

from linnet.annotate.settings import Settings


@pytest.fixture
def folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder, a backup, and what the page showed; the terminology's encoder is named relative to `home`."""
    monkeypatch.chdir(home)
    return unpack("project", tmp_path)


@pytest.fixture
def expected(folder: Path) -> Any:
    return json.loads((folder / "project.json").read_text(encoding="utf-8"))


@pytest.fixture
def site(home: Path, folder: Path) -> Iterator[Site]:
    opened = Site(Settings(data=folder / "data", terminologies=(home / "flat",)), working=False)
    yield opened
    opened.close()


@pytest.fixture
def ada(site: Site) -> Client:
    """Signed in with the password that she chose then."""
    return site.client().sign_in("ada")


def test_a_project_shows_what_it_showed(ada: Client, folder: Path, expected: Any) -> None:
    versions = files_of(folder / "data" / "projects")
    old, new = expected["told"], told(ada, expected["number"])
    assert _unchanged(new) == _unchanged_in(expected)
    log, longer = old.pop("log"), new.pop("log")
    assert {entry.pop("token") for entry in longer} == {""}
    for part in ("summary", "documents"):
        new[part] = _as_then(new[part], _ADDED)
    for part in ("models", "curve"):
        new[part] = _as_then(new[part], _OF_SCORES)
    assert list(differences(old, new)) == []
    assert [entry for entry in longer if entry in log] == log
    assert files_of(folder / "data" / "projects") == versions


def test_a_waiting_job_is_done(site: Site, ada: Client, expected: Any) -> None:
    [waiting] = [
        job for job in ada.ok("GET", f"projects/{expected['number']}/jobs") if job["state"] == "queued"
    ]
    assert site.worker.work()
    done = ada.ok("GET", f"jobs/{waiting['id']}")
    assert (done["kind"], done["state"]) == ("predict", "done")


def test_what_was_done_can_be_undone(ada: Client, expected: Any) -> None:
    [document] = ada.ok("GET", f"projects/{expected['number']}/documents?order=name&search=text1")[
        "documents"
    ]
    view = ada.ok("GET", f"documents/{document['id']}")
    done = ada.ok("POST", f"documents/{document['id']}/undo", {"revision": view["revision"]})
    assert done["revision"] > view["revision"]


def test_the_files_of_a_version_are_those_of_then(ada: Client, home: Path, expected: Any) -> None:
    content = ada.get(f"/api/projects/{expected['number']}/models/1/files").content
    with zipfile.ZipFile(io.BytesIO(content)) as now, zipfile.ZipFile(home / "learned.zip") as then:
        assert {name: now.read(name) for name in now.namelist()} == {
            name: then.read(name) for name in then.namelist()
        }


def test_a_backup_brings_a_project_back(site: Site, ada: Client, folder: Path, expected: Any) -> None:
    backup = (folder / "backup.zip").read_bytes()
    report = ada.ok("POST", "projects/restore", files={"file": ("backup.zip", backup)})
    while site.worker.work():
        pass
    old, new = expected["told"], told(ada, report["project"])
    assert new["summary"]["name"] == "Fixtures (2)"
    assert _unchanged(new) == _unchanged_in(expected)
    for part in ("summary", "documents"):
        new[part] = _as_then(new[part], _ADDED)
    for part in ("models", "curve"):
        new[part] = _as_then(new[part], _OF_SCORES)
    for part in ("documents", "models", "curve", "names", "stops", "search"):
        assert list(differences(old[part], new[part])) == [], part


# What has been added since, doing as before: the quick learners, names alone, the terminology's pipeline, every prediction; every
# account sees every project and works on every document; no attributes.
_ADDED: dict[str, Any] = {
    "sections": [],
    "learners": [],
    "recogniser": "",
    "pipeline": "",
    "min_probability": 0.0,
    "role": "manager",
    "per_document": 0,
    "attributes": [],
    "assigned": [],
    "reason": "",
    "yours": True,
}
_OF_SCORES: dict[str, Any] = {"interval": None, "linking_interval": None}
# Added, and whatever they are now.
_SINCE = {"unchanged", "predictions"}


def _unchanged(told: Any) -> set[tuple[str, int]]:
    """The mentions that count as accepted unchanged, by name of the document and start."""
    return {
        (document["name"], mention["start"])
        for document in told["documents"]
        for mention in document["annotations"]
        if mention["unchanged"]
    }


def _unchanged_in(expected: Any) -> set[tuple[str, int]]:
    """Those that the log of then says became a user's annotation with their document, and that nobody has touched since."""
    accepted = {
        (entry["document_name"], change["after"]["start"], entry["revision"])
        for entry in expected["told"]["log"]
        if entry["action"] == "document.accept"
        for change in entry["changes"].get("annotations", ())
    }
    found = {
        (document["name"], mention["start"])
        for document in expected["told"]["documents"]
        for mention in document["annotations"]
        if mention["layer"] == "user"
        and (document["name"], mention["start"], mention["revision"]) in accepted
    }
    assert found
    return found


def _as_then(value: Any, added: dict[str, Any]) -> Any:
    """The same without what has been added; an annotation's attributes have a name each."""
    if isinstance(value, list):
        return [_as_then(item, added) for item in value]
    if not isinstance(value, dict):
        return value
    for name in added.keys() & value.keys():
        assert not value[name] if name == "attributes" else value[name] == added[name], (name, value[name])
    return {name: _as_then(item, added) for name, item in value.items() if name not in {*added, *_SINCE}}
