"""Who is no member of a project sees, exports and changes nothing of it."""

from __future__ import annotations

from typing import Any

import pytest

PASSWORD = "correct horse battery staple"


@pytest.fixture(scope="session")
def eve(site: Any, ada: Any) -> Any:
    """The browser of somebody who is a member of nothing but what a test adds her to."""
    ada.ok("POST", "users", {"name": "eve", "password": PASSWORD})
    return site.client().sign_in("eve")


@pytest.fixture
def project(ada: Any) -> int:
    """A project of ada's alone, with a document."""
    number: int = ada.project(alone=True)
    ada.document(number, "Gout and asthma.")
    return number


def _document(ada: Any, project: int) -> int:
    return int(ada.ok("GET", f"projects/{project}/documents")["documents"][0]["id"])


def _member(ada: Any, project: int, name: str, role: str) -> None:
    assert ada.ok("PUT", f"projects/{project}/members/{name}", {"role": role})["role"] == role


def test_whoever_is_no_member_gets_the_answer_of_a_project_that_does_not_exist(
    site: Any, ada: Any, eve: Any, project: int
) -> None:
    job = ada.ok("GET", f"projects/{project}/jobs")[0]["id"]
    places = {"project": str(project), "document": str(_document(ada, project)), "job": str(job)}
    tried = 0
    for path, methods in site.app.openapi()["paths"].items():
        if not any("{" + name + "}" in path for name in places):
            continue
        place = path.replace("{name}", "ada")
        for name, value in places.items():
            place = place.replace("{" + name + "}", value)
        for name in ("annotation", "comment", "number", "removal", "invitation"):
            place = place.replace("{" + name + "}", "1")
        for method in methods:
            answer = eve.request(method.upper(), place, json={})
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), (method, path)
            tried += 1
    assert tried > 40
    assert project not in {one["id"] for one in eve.ok("GET", "projects")}
    assert ada.ok("GET", f"projects/{project}")["progress"]["documents"] == 1


def test_a_member_sees_the_project_until_the_membership_ends(ada: Any, eve: Any, project: int) -> None:
    _member(ada, project, "eve", "annotator")
    assert eve.ok("GET", f"projects/{project}")["role"] == "annotator"
    assert project in {one["id"] for one in eve.ok("GET", "projects")}
    _accept(eve, _document(ada, project))
    ada.ok("DELETE", f"projects/{project}/members/eve")
    eve.refused(404, "GET", f"projects/{project}")
    ada.refused(404, "DELETE", f"projects/{project}/members/eve")
    entries = ada.ok("GET", f"projects/{project}/log")["entries"]
    assert [one["action"] for one in entries if one["action"].startswith("member")] == [
        "member.remove",
        "member.add",
    ]
    [listed] = ada.ok("GET", f"projects/{project}/documents")["documents"]
    assert (listed["state"], listed["annotators"]) == ("accepted", ["eve"])  # the work stays


def test_each_role_may_do_what_it_is_for(ada: Any, eve: Any, project: int) -> None:
    managing = [
        ("PATCH", f"projects/{project}", {"description": "x"}),
        ("POST", f"projects/{project}/models/current", {"number": 0}),
        ("PATCH", f"documents/{_document(ada, project)}", {"held_out": True}),
        ("PUT", f"projects/{project}/members/eve", {"role": "annotator"}),
    ]
    curating = [("GET", f"projects/{project}/members", None), ("GET", f"projects/{project}/agreement", None)]
    _member(ada, project, "eve", "annotator")
    for method, path, body in managing + curating:
        assert eve.refused(403, method, path, body)["code"] == "forbidden", path
    assert eve.request("GET", f"/api/projects/{project}/backup").status_code == 403
    _member(ada, project, "eve", "curator")
    for method, path, body in managing:
        assert "managers" in eve.refused(403, method, path, body)["message"], path
    for method, path, body in curating:
        eve.ok(method, path, body)
    _member(ada, project, "eve", "manager")
    assert eve.request("GET", f"/api/projects/{project}/backup").is_success
    for method, path, body in managing:
        eve.ok(method, path, body)
    eve.refused(403, "PATCH", f"projects/{project}", {"description": "y"})  # she gave her own role up
    eve.refused(403, "POST", "projects", {"name": "x", "terminology": "small"})
    ada.refused(404, "PUT", f"projects/{project}/members/nobody", {"role": "curator"})
    ada.refused(422, "PUT", f"projects/{project}/members/eve", {"role": "king"})


def test_whoever_creates_a_project_manages_it(ada: Any) -> None:
    project = ada.project(alone=True)
    [member] = ada.ok("GET", f"projects/{project}/members")
    assert (member["name"], member["role"], member["active"]) == ("ada", "manager", True)


def test_a_restored_project_has_the_members_that_have_an_account_here(
    ada: Any, eve: Any, project: int
) -> None:
    _member(ada, project, "eve", "curator")
    ada.ok("POST", "users", {"name": "zoe", "password": PASSWORD})
    _member(ada, project, "zoe", "annotator")
    backup = ada.get(f"/api/projects/{project}/backup").content
    ada.ok("DELETE", "users/zoe")
    report = ada.ok("POST", "projects/restore", files={"file": ("a.zip", backup)})
    assert eve.ok("GET", f"projects/{report['project']}")["role"] == "curator"
    assert any("zoe" in note for note in report["notes"])
    members = ada.ok("GET", f"projects/{report['project']}/members")
    assert [(one["name"], one["role"], one["takes_part"]) for one in members] == [
        ("ada", "manager", False),
        ("eve", "curator", False),
    ]


def _accept(client: Any, document: int) -> None:
    revision = client.ok("GET", f"documents/{document}")["revision"]
    client.ok("POST", f"documents/{document}/state", {"revision": revision, "state": "accepted"})
