"""How mentions of a project are linked: chosen when it is made, and changed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.conftest import Site

from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.jobs import worker
from linnet.annotate.settings import Settings
from linnet.link import Linker

TEXT = "Gout and asthma."

pytestmark = pytest.mark.usefixtures("accurate")


@pytest.fixture
def own_site(tmp_path: Path, small_terminology: Path) -> Iterator[Site]:
    """A site whose terminology has no index of the pipeline "accurate"; jobs are done when the test says so."""
    place = tmp_path / "terminologies" / "small"
    shutil.copytree(small_terminology, place, ignore=shutil.ignore_patterns("accurate"))
    made = Site(Settings(data=tmp_path / "data", terminologies=(place,)), working=False)
    yield made
    made.close()


@pytest.fixture
def eve(own_site: Site) -> Any:
    """Its admin."""
    return own_site.client().sign_in("eve", path="setup")


def _linker(site: Site, project: int) -> Linker:
    with site.state.database.read() as session:
        return site.state.linkers.get(find_project(session, project), None)


def _reranker(site: Site, project: int) -> str:
    reranking = _linker(site, project).reranking
    return "" if reranking is None else reranking.reranker.name


def _document(site: Site, client: Any, project: int) -> int:
    """A document with predictions."""
    client.upload(project, {"a.txt": TEXT})
    site.work()
    [found] = client.ok("GET", f"projects/{project}/documents")["documents"]
    return int(found["id"])


def _found(client: Any, document: int) -> list[list[str]]:
    return [each["concepts"] for each in client.ok("GET", f"documents/{document}")["annotations"]]


def _kinds(client: Any, project: int) -> list[tuple[str, str]]:
    """Kind and state of the jobs, the oldest first."""
    return [(job["kind"], job["state"]) for job in reversed(client.ok("GET", f"projects/{project}/jobs"))]


def test_pipelines_are_listed_with_each_terminology(eve: Any) -> None:
    small = next(each for each in eve.ok("GET", "terminologies") if each["name"] == "small")
    assert [each["name"] for each in small["pipelines"]] == ["default", "accurate", "clinical"]
    assert all(each["description"] for each in small["pipelines"])


def test_a_new_project_is_linked_as_it_chooses(own_site: Site, eve: Any) -> None:
    usual, named, accurate = eve.project(), eve.project(pipeline="default"), eve.project(pipeline="accurate")
    stored = [eve.ok("GET", f"projects/{each}")["pipeline"] for each in (usual, named, accurate)]
    assert stored == ["", "", "accurate"]
    assert not eve.ok("GET", f"projects/{accurate}")["ready"]
    document = _document(own_site, eve, accurate)
    assert eve.ok("GET", f"projects/{accurate}")["ready"]
    assert _found(eve, document) == [["X:1"], ["X:2"]]
    assert [_reranker(own_site, each) for each in (usual, named, accurate)] == [
        "context",
        "context",
        "accurate",
    ]
    found = eve.ok("GET", f"documents/{document}/candidates?start=0&end=4")
    assert found["candidates"][0]["id"] == "X:1"


def test_a_pipeline_that_is_not_offered_is_refused_with_those_that_are(eve: Any) -> None:
    new = {"name": "B", "terminology": "small", "pipeline": "no-memory"}
    message = eve.refused(422, "POST", "projects", new)["message"]
    assert "Choose from: accurate, clinical, default" in message
    project = eve.project()
    message = eve.refused(422, "PATCH", f"projects/{project}", {"pipeline": "magic"})["message"]
    assert "Choose from: accurate, clinical, default" in message
    assert eve.ok("GET", f"projects/{project}")["pipeline"] == ""


def test_another_pipeline_predicts_again_and_search_waits_until_its_index_is_built(
    own_site: Site, eve: Any
) -> None:
    project = eve.project()
    document = _document(own_site, eve, project)
    candidates = f"documents/{document}/candidates?start=0&end=4"
    assert _reranker(own_site, project) == "context"
    changed = eve.ok("PATCH", f"projects/{project}", {"pipeline": "accurate"})
    assert (changed["pipeline"], changed["ready"]) == ("accurate", False)
    assert "still being prepared" in eve.refused(503, "GET", candidates)["message"]
    assert _found(eve, document) == [["X:1"], ["X:2"]]
    assert _kinds(eve, project)[-1] == ("predict", "queued")
    own_site.work()
    assert _kinds(eve, project)[-1] == ("predict", "done")
    assert eve.ok("GET", f"projects/{project}")["ready"]
    assert eve.ok("GET", candidates)["candidates"]
    assert _reranker(own_site, project) == "accurate"


def test_back_to_the_usual_pipeline_nothing_has_to_be_prepared(own_site: Site, eve: Any) -> None:
    project = eve.project(pipeline="accurate")
    _document(own_site, eve, project)
    assert eve.ok("PATCH", f"projects/{project}", {"pipeline": "accurate"})["ready"]
    assert _kinds(eve, project)[-1][1] == "done"
    changed = eve.ok("PATCH", f"projects/{project}", {"pipeline": "default"})
    assert (changed["pipeline"], changed["ready"]) == ("", True)
    assert _kinds(eve, project)[-1] == ("predict", "queued")
    own_site.work()
    assert _reranker(own_site, project) == "context"


def test_a_job_ends_with_the_pipeline_that_it_prepared_and_leaves_the_rest_to_the_next(
    own_site: Site, eve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = eve.project()
    _document(own_site, eve, project)
    ensure = worker.ensure_indexes
    ready = []

    def changed_meanwhile(*args: Any, **options: Any) -> None:
        monkeypatch.setattr(worker, "ensure_indexes", ensure)
        ensure(*args, **options)
        eve.ok("PATCH", f"projects/{project}", {"pipeline": "accurate"})

    monkeypatch.setattr(worker, "ensure_indexes", changed_meanwhile)
    eve.ok("PATCH", f"projects/{project}", {"min_probability": 0.1})
    assert own_site.worker.work()
    ready.append(eve.ok("GET", f"projects/{project}")["ready"])
    assert _kinds(eve, project)[-2:] == [("predict", "done"), ("predict", "queued")]
    own_site.work()
    ready.append(eve.ok("GET", f"projects/{project}")["ready"])
    assert ready == [False, True]


def test_a_project_that_was_being_prepared_waits_for_the_pipeline_that_replaced_the_first(
    own_site: Site, eve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = eve.project()
    ensure = worker.ensure_indexes

    def changed_meanwhile(*args: Any, **options: Any) -> None:
        monkeypatch.setattr(worker, "ensure_indexes", ensure)
        ensure(*args, **options)
        eve.ok("PATCH", f"projects/{project}", {"pipeline": "accurate"})

    monkeypatch.setattr(worker, "ensure_indexes", changed_meanwhile)
    assert own_site.worker.work()
    assert not eve.ok("GET", f"projects/{project}")["ready"]
    own_site.work()
    assert eve.ok("GET", f"projects/{project}")["ready"]


def test_a_cancelled_preparation_is_continued_by_the_next_job(
    own_site: Site, eve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = eve.project()
    document = _document(own_site, eve, project)
    monkeypatch.setattr(worker, "_REPORT_INTERVAL", 0)
    ensure = worker.ensure_indexes

    def cancelled_meanwhile(*args: Any, **options: Any) -> None:
        monkeypatch.setattr(worker, "ensure_indexes", ensure)
        [job, *_] = eve.ok("GET", f"projects/{project}/jobs")
        eve.ok("POST", f"jobs/{job['id']}/cancel")
        ensure(*args, **options)

    monkeypatch.setattr(worker, "ensure_indexes", cancelled_meanwhile)
    eve.ok("PATCH", f"projects/{project}", {"pipeline": "accurate"})
    own_site.work()
    assert _kinds(eve, project)[-1] == ("predict", "cancelled")
    assert not eve.ok("GET", f"projects/{project}")["ready"]
    assert _found(eve, document) == [["X:1"], ["X:2"]]
    eve.ok("POST", f"projects/{project}/jobs", {"kind": "predict"})
    own_site.work()
    assert eve.ok("GET", f"projects/{project}")["ready"]


def test_what_a_project_learns_is_linked_by_its_pipeline(own_site: Site, eve: Any) -> None:
    project = eve.project(pipeline="accurate")
    own_site.work()
    eve.upload(
        project, {"a.pubtator": "1|t|Podagra\n1|a|\n1\t0\t7\tPodagra\tDisease\tX:1\n"}, complete="true"
    )
    eve.ok("POST", f"projects/{project}/jobs", {"kind": "train", "learners": ["names"]})
    own_site.work()
    assert {state for _, state in _kinds(eve, project)} == {"done"}
    manifest = own_site.settings.data / "projects" / str(project) / "v1" / "version.json"
    assert '"reranker": ' in manifest.read_text()
    assert "accurate" in manifest.read_text().split('"reranker": ')[1].split(",")[0]
    eve.upload(project, {"b.txt": "Podagra hurts."})
    own_site.work()
    [found] = eve.ok("GET", f"projects/{project}/documents?search=b")["documents"]
    assert _found(eve, found["id"]) == [["X:1"]]
