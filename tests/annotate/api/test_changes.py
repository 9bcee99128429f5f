"""An open page is told what happens in its project, each thing once, and nothing that its user may not see."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from linnet.annotate.domain.learning.job_store import finish, take
from linnet.annotate.domain.projects import events
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import SignIn


class Page:
    """Asks as an open page does."""

    def __init__(self, client: Any, project: int) -> None:
        self._client, self._path, self._since = client, f"projects/{project}/changes", ""
        self.jobs: list[tuple[str, str]] = []
        assert self.hears() == []

    def hears(self) -> list[tuple[str, int | None, str]]:
        """Kind, document and action of what has happened since; `jobs` has kind and state of those told."""
        query = f"?since={self._since}" if self._since else ""
        answer = self._client.ok("GET", self._path + query)
        self._since = answer["since"]
        self.jobs = [(job["kind"], job["state"]) for job in answer["jobs"]]
        return [(event["kind"], event["document"], event["action"]) for event in answer["events"]]


def _save(client: Any, view: Any, state: str = "") -> Any:
    body = {"revision": client.ok("GET", f"documents/{view['id']}")["revision"]}
    if state:
        return client.ok("POST", f"documents/{view['id']}/state", {**body, "state": state})
    span = {"start": 0, "end": 4, "nil": True}
    return client.ok("POST", f"documents/{view['id']}/annotations", body | span)


def test_each_change_is_told_once_with_what_has_to_be_loaded_again(ada: Any) -> None:
    project, other = ada.project(), ada.project()
    page = Page(ada, project)
    view = ada.document(project, "With asthma.")
    assert ("documents", None, "document.upload") in page.hears()
    page.hears()  # what was predicted in it
    ada.document(other, "With asthma.")
    assert page.hears() == []
    _save(ada, view)
    ada.ok("POST", f"documents/{view['id']}/comments", {"text": "Sure?"})
    ada.ok("PATCH", f"projects/{project}", {"description": "x"})
    assert page.hears() == [
        ("document", view["id"], "annotation.create"),
        ("comments", view["id"], "comment.add"),
        ("project", None, "project.change"),
    ]
    assert page.hears() == []
    _save(ada, view, "accepted")
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "train", "learners": ["stops"]})
    kinds = {kind for kind, _, _ in page.hears()}
    assert {"document", "model"} <= kinds


def test_an_event_has_the_revision_that_the_page_may_have_already(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, "With asthma.")
    since = ada.ok("GET", f"projects/{project}/changes")["since"]
    saved = _save(ada, view)
    [event] = ada.ok("GET", f"projects/{project}/changes?since={since}")["events"]
    assert (event["revision"], event["by"]) == (saved["revision"], "ada")


def test_a_job_is_told_while_it_waits_and_runs_and_once_it_has_ended(
    quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    page = Page(ada, ada.project())
    assert page.jobs == [("prepare", "queued")]
    job = take(quiet.database)
    assert job is not None
    page.hears()
    assert page.jobs == [("prepare", "running")]
    finish(quiet.database, job.id, "done")
    page.hears()
    assert page.jobs == [("prepare", "done")]
    monkeypatch.setattr(events, "_COMMIT", -2)
    page.hears()
    assert page.jobs == []


def test_more_than_an_answer_holds_comes_in_the_next_ones(ada: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_MOST", 2)
    project = ada.project()
    view = ada.document(project, "With asthma.")
    page = Page(ada, project)
    for state in ("accepted", "open", "skipped"):
        _save(ada, view, state)
    assert [len(page.hears()) for _ in range(3)] == [2, 1, 0]


def test_independent_annotators_hear_nothing_of_each_others_sheets_and_comments(ada: Any, bob: Any) -> None:
    project = ada.project(mode="independent")
    view = ada.document(project, "With asthma.")
    manager, annotator = Page(ada, project), Page(bob, project)
    for who in (ada, bob):
        _save(who, view, "accepted")
        who.ok("POST", f"documents/{view['id']}/comments", {"text": "Sure?"})
    both = [("document", view["id"], "document.accept"), ("comments", view["id"], "comment.add")]
    assert manager.hears() == [*both, *both]
    assert annotator.hears() == both


def test_a_page_of_somebody_who_may_not_see_the_project_is_refused(ada: Any, bob: Any) -> None:
    project = ada.project()
    Page(bob, project)
    ada.ok("DELETE", f"projects/{project}/members/bob")
    bob.refused(404, "GET", f"projects/{project}/changes")
    ada.refused(404, "GET", "projects/99999/changes")
    for since in ("1", "a-b", "1-", "9999999999-1"):
        ada.refused(422, "GET", f"projects/{project}/changes?since={since}")


def test_a_page_that_nobody_uses_does_not_prolong_the_session(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project()
    page = Page(ada, project)
    ends = now() + timedelta(hours=1)
    with quiet.database.write() as session:
        session.execute(update(SignIn).values(seen=now() - timedelta(hours=11), expires=ends))
    page.hears()
    ada.refused(404, "GET", f"projects/{project}/mapping/changes?since=0")
    with quiet.database.read() as session:
        assert session.query(SignIn).one().expires == ends
