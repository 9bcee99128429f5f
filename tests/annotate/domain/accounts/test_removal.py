"""Removed accounts: what goes, what stays, and that nobody gets their work by accident."""

from __future__ import annotations

import io
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.annotate.conftest import PASSWORD

from linnet.annotate.store.tables import Device, Member, SignIn, User


@pytest.fixture
def removed(site: Any, ada: Any) -> Any:
    """Number of an independent project in which somebody worked whose account is gone, and their name."""
    project = ada.project(alone=True, mode="independent")
    name = f"Zoé{project}"
    ada.ok("POST", "users", {"name": name, "password": PASSWORD})
    ada.ok("PUT", f"projects/{project}/members/{name}", {"role": "annotator"})
    zoe = site.client().sign_in(name)
    view = ada.document(project, "Gout and asthma.")
    revision = zoe.ok("GET", f"documents/{view['id']}")["revision"]
    span = {"start": 5, "end": 8, "type": "Disease", "revision": revision, "concepts": ["X:6"]}
    zoe.ok("POST", f"documents/{view['id']}/annotations", span)
    ada.ok("DELETE", f"users/{name}")
    return project, name, view["id"], zoe


def test_the_work_stays_under_the_name_and_the_rest_goes(site: Any, ada: Any, removed: Any) -> None:
    project, name, document, zoe = removed
    zoe.refused(401, "GET", "projects")
    zoe.refused(401, "POST", "session", {"name": name, "password": PASSWORD})
    assert name not in {account["name"] for account in ada.ok("GET", "users")}
    assert [member["name"] for member in ada.ok("GET", f"projects/{project}/members")] == ["ada"]
    theirs = ada.ok("GET", f"documents/{document}?sheet={name}")["annotations"]
    assert ["X:6"] in [annotation["concepts"] for annotation in theirs]
    by = {entry["by"] for entry in ada.ok("GET", f"projects/{project}/log")["entries"]}
    assert name in by
    with site.database.read() as session:
        for table in (SignIn, Device, Member):
            users = select(func.count()).select_from(table).where(table.user_id.not_in(select(User.id)))
            assert session.scalar(users) == 0


def test_nobody_gets_the_name_by_accident_but_the_same_person_gets_it_back(
    site: Any, ada: Any, removed: Any
) -> None:
    project, name, document, _ = removed
    body = {"name": name.upper(), "password": PASSWORD}
    assert "its work stays under it" in ada.refused(409, "POST", "users", body)["message"]
    token = ada.ok("POST", f"projects/{project}/invitations", {})["link"].partition("#")[2]
    guest = {"token": token, **body}
    assert "is taken" in site.client().refused(409, "POST", "invitation/account", guest)["message"]
    reserved = {row["name"]: row for row in ada.ok("GET", "users/reserved")}
    assert (reserved[name]["reason"], reserved[name]["created_by"]) == ("removed", "ada")
    assert ada.ok("POST", "users", {**body, "returning": True})["name"] == name  # as their sheets have it
    ada.ok("PUT", f"projects/{project}/members/{name}", {"role": "annotator"})
    zoe = site.client().sign_in(name)
    assert ["X:6"] in [one["concepts"] for one in zoe.ok("GET", f"documents/{document}")["annotations"]]
    assert name not in {row["name"] for row in ada.ok("GET", "users/reserved")}
    fresh = {"name": f"new{project}", "password": PASSWORD, "returning": True}
    assert "Create it as a new one" in ada.refused(404, "POST", "users", fresh)["message"]


def test_a_restored_project_reserves_the_names_of_its_people(site: Any, ada: Any, removed: Any) -> None:
    project, name, _, _ = removed
    backup = ada.get(f"/api/projects/{project}/backup").content
    report = ada.ok("POST", "projects/restore", files={"file": ("a.zip", io.BytesIO(backup))})
    assert any(name in note and "without an account" in note for note in report["notes"])
    assert {row["name"]: row["reason"] for row in ada.ok("GET", "users/reserved")}[name] == "removed"


def test_a_project_of_another_server_reserves_names_that_are_free_here(
    make_site: Any, ada: Any, removed: Any
) -> None:
    project, name, _, _ = removed
    backup = ada.get(f"/api/projects/{project}/backup").content
    grace = make_site(working=False).client().sign_in("grace", path="setup")
    report = grace.ok("POST", "projects/restore", files={"file": ("a.zip", io.BytesIO(backup))})
    assert any("Members without an account" in note and "ada" in note for note in report["notes"])
    reserved = {row["name"]: row["reason"] for row in grace.ok("GET", "users/reserved")}
    assert reserved[name] == "restored"
    problem = grace.refused(409, "POST", "users", {"name": name, "password": PASSWORD})
    assert "restored project" in problem["message"]


def test_the_last_admin_and_ones_own_account_stay(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    assert "your own account" in ada.refused(409, "DELETE", "users/ada")["message"]
    ada.ok("POST", "users", {"name": "bob", "password": PASSWORD, "role": "admin"})
    bob = quiet.client().sign_in("bob")
    ada.ok("PATCH", "users/bob", {"role": "annotator"})
    bob.refused(403, "DELETE", "users/ada")
    ada.ok("DELETE", "users/bob")
    ada.refused(404, "DELETE", "users/bob")
    assert [account["name"] for account in ada.ok("GET", "users")] == ["ada"]
