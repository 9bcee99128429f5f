"""Invitations: who may make, use and withdraw them, and what a link still says when it can no longer be used."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import select, update
from tests.annotate.conftest import PASSWORD, Client

from linnet.annotate.api.app import create_app
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import Invitation


def _token(answer: Any) -> str:
    return str(answer["link"].partition("#")[2])


def _enter(client: Any, token: str, name: str) -> Any:
    """Create the invited account and stay signed in with it."""
    begun = client.ok("POST", "invitation/account", {"token": token, "name": name, "password": PASSWORD})
    client.headers["X-CSRF-Token"] = begun["csrf"]
    return client


@pytest.fixture
def project(ada: Any) -> int:
    """A project of ada's alone."""
    return int(ada.project(alone=True))


def test_a_manager_who_is_no_admin_brings_somebody_in(site: Any, ada: Any, project: int) -> None:
    ada.ok("POST", "users", {"name": f"head{project}", "password": PASSWORD})
    ada.ok("PUT", f"projects/{project}/members/head{project}", {"role": "manager"})
    head = site.client().sign_in(f"head{project}")
    link = head.ok("POST", f"projects/{project}/invitations", {"role": "curator", "uses": 2})
    assert link["link"].startswith("http://127.0.0.1:8765/invitation#")
    view = site.client().ok("POST", "invitation", {"token": _token(link)})
    assert view["role"] == "curator"
    assert view["invited_by"] == f"head{project}"
    guest = _enter(site.client(), _token(link), f"guest{project}")
    assert guest.ok("GET", "status")["session"]["role"] == "annotator"  # no rights on the server
    assert guest.ok("GET", f"projects/{project}")["role"] == "curator"
    guest.refused(403, "GET", "users")
    [listed] = head.ok("GET", f"projects/{project}/invitations")
    assert (listed["state"], listed["uses"], [use["name"] for use in listed["used"]]) == (
        "open",
        2,
        [f"guest{project}"],
    )
    entries = head.ok("GET", f"projects/{project}/log")["entries"]
    assert [(entry["action"], entry["by"]) for entry in entries][:2] == [
        ("invitation.use", f"guest{project}"),
        ("invitation.create", f"head{project}"),
    ]
    assert _token(link) not in str(entries)


def test_an_invitation_to_the_server_gives_its_role(site: Any, ada: Any) -> None:
    link = ada.ok("POST", "invitations", {"role": "admin"})
    guest = _enter(site.client(), _token(link), "second-admin")
    assert guest.ok("GET", "status")["session"]["role"] == "admin"
    listed = next(row for row in ada.ok("GET", "invitations") if row["used"])
    assert (listed["project"], listed["role"], listed["state"]) == (None, "admin", "used up")


def test_whoever_is_signed_in_just_becomes_a_member(ada: Any, bob: Any, project: int) -> None:
    link = ada.ok("POST", f"projects/{project}/invitations", {"uses": 3})
    body = {"token": _token(link)}
    assert bob.ok("POST", "invitation/member", body) == {"project": project, "role": "annotator"}
    assert bob.ok("GET", f"projects/{project}")["role"] == "annotator"
    assert "member" in bob.refused(409, "POST", "invitation/member", body)["message"]
    assert len(ada.ok("GET", f"projects/{project}/invitations")[0]["used"]) == 1
    server = ada.ok("POST", "invitations", {})
    assert "bob" in bob.refused(409, "POST", "invitation/member", {"token": _token(server)})["message"]


def test_a_link_says_why_it_can_no_longer_be_used(site: Any, ada: Any, project: int) -> None:
    visitor = site.client()
    used, late, withdrawn = (ada.ok("POST", f"projects/{project}/invitations", {"days": 1}) for _ in range(3))
    _enter(site.client(), _token(used), f"once{project}")
    ids = [row["id"] for row in ada.ok("GET", f"projects/{project}/invitations")]
    with site.database.write() as session:
        session.execute(
            update(Invitation).where(Invitation.id == ids[1]).values(expires=now() - timedelta(days=1))
        )
    ada.ok("DELETE", f"projects/{project}/invitations/{ids[0]}")
    ada.ok("DELETE", f"projects/{project}/invitations/{ids[0]}")  # which ended before: no second entry
    for link, words in ((used, "used already"), (late, "expired on"), (withdrawn, "was withdrawn")):
        problem = visitor.refused(409, "POST", "invitation", {"token": _token(link)})
        assert words in problem["message"]
        assert "Ask ada" in problem["message"]
        account = {"token": _token(link), "name": f"late{project}", "password": PASSWORD}
        assert words in visitor.refused(409, "POST", "invitation/account", account)["message"]
    problem = visitor.refused(404, "POST", "invitation", {"token": "x" * 43})
    assert "not an invitation" in problem["message"]
    states = [row["state"] for row in ada.ok("GET", f"projects/{project}/invitations")]
    assert states == ["withdrawn", "expired", "used up"]
    actions = [entry["action"] for entry in ada.ok("GET", f"projects/{project}/log")["entries"]]
    assert actions.count("invitation.withdraw") == 1


def test_names_and_passwords_are_checked_as_at_the_first_account(site: Any, ada: Any) -> None:
    token = _token(ada.ok("POST", "invitations", {}))
    visitor = site.client()
    wrong = {"token": token, "name": "a b", "password": "short"}
    assert set(visitor.refused(422, "POST", "invitation/account", wrong)["fields"]) == {"name", "password"}
    taken = {"token": token, "name": "ADA", "password": PASSWORD}
    assert "already exists" in visitor.refused(409, "POST", "invitation/account", taken)["message"]
    assert visitor.ok("POST", "invitation", {"token": token})["invited_by"] == "ada"  # not used up by either


def test_an_invitation_ends_with_the_rights_of_its_maker(site: Any, ada: Any, project: int) -> None:
    ada.ok("POST", "users", {"name": f"boss{project}", "password": PASSWORD})
    ada.ok("PUT", f"projects/{project}/members/boss{project}", {"role": "manager"})
    boss = site.client().sign_in(f"boss{project}")
    token = _token(boss.ok("POST", f"projects/{project}/invitations", {}))
    ada.ok("PUT", f"projects/{project}/members/boss{project}", {"role": "annotator"})
    assert (
        "may no longer invite"
        in site.client().refused(409, "POST", "invitation", {"token": token})["message"]
    )
    assert ada.ok("GET", f"projects/{project}/invitations")[0]["state"] == "ended"
    ada.ok("PUT", f"projects/{project}/members/boss{project}", {"role": "manager"})
    site.client().ok("POST", "invitation", {"token": token})
    ada.ok("DELETE", f"users/boss{project}")
    assert "was withdrawn" in site.client().refused(409, "POST", "invitation", {"token": token})["message"]


def test_only_managers_invite_and_only_to_modest_roles(ada: Any, bob: Any, project: int) -> None:
    bob.refused(404, "POST", f"projects/{project}/invitations", {})
    ada.ok("PUT", f"projects/{project}/members/bob", {"role": "curator"})
    for method, path in (("POST", ""), ("GET", ""), ("DELETE", "/1")):
        bob.refused(403, method, f"projects/{project}/invitations{path}", {})
    bob.refused(403, "POST", "invitations", {})
    bob.refused(403, "GET", "invitations")
    for body in ({"role": "manager"}, {"days": 0}, {"days": 91}, {"uses": 0}, {"uses": 101}):
        ada.refused(422, "POST", f"projects/{project}/invitations", body)
    other = ada.project(alone=True)
    ada.ok("POST", f"projects/{other}/invitations", {})
    [foreign] = ada.ok("GET", f"projects/{other}/invitations")
    ada.refused(404, "DELETE", f"projects/{project}/invitations/{foreign['id']}")


def test_two_people_cannot_use_the_last_place(site: Any, ada: Any, project: int) -> None:
    token = _token(ada.ok("POST", f"projects/{project}/invitations", {}))
    begin, answers = Barrier(4), []

    def enter(number: int) -> None:
        body = {"token": token, "name": f"racer{number}-{project}", "password": PASSWORD}
        begin.wait()
        answers.append(Client(site.app).post("/api/invitation/account", json=body).status_code)

    threads = [Thread(target=enter, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201, 409, 409, 409]
    assert len(ada.ok("GET", f"projects/{project}/members")) == 2


def test_guessing_is_slowed_down_but_locks_nobody_else_out(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    token = _token(ada.ok("POST", "invitations", {}))
    eve = Client(quiet.app, address="192.0.2.7")
    for number in range(10):
        eve.refused(404, "POST", "invitation", {"token": f"guess {number}"})
    assert "Wait" in eve.refused(429, "POST", "invitation", {"token": token})["message"]
    Client(quiet.app, address="192.0.2.8").ok("POST", "invitation", {"token": token})


def test_the_link_uses_the_public_address_and_only_its_digest_is_kept(quiet: Any) -> None:
    app = create_app(quiet.state, public="https://annotate.example.org")
    ada = Client(app).sign_in("ada", path="setup")
    link = ada.ok("POST", "invitations", {})["link"]
    assert link.startswith("https://annotate.example.org/invitation#")
    with quiet.database.read() as session:
        row = session.scalars(select(Invitation)).one()
    assert len(row.digest) == 64
    files = [path for path in quiet.settings.data.rglob("*") if path.is_file()]
    assert all(link.partition("#")[2].encode() not in path.read_bytes() for path in files)
