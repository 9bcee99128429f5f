"""API tokens: what a script may do with one, until when, and what the log says."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from tests.annotate.conftest import PASSWORD

from linnet.annotate.domain.accounts import tokens
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import ApiToken, LogEntry


def _script(site: Any, owner: Any, name: str = "nightly", **fields: Any) -> Any:
    """A client without cookies that sends a new token of somebody's."""
    token = owner.ok("POST", "tokens", {"name": name, **fields})["token"]
    script = site.client()
    script.headers["Authorization"] = f"Bearer {token}"
    return script


@pytest.fixture
def ada(quiet: Any) -> Any:
    """The admin of a site of its own."""
    return quiet.client().sign_in("ada", path="setup")


def test_a_script_works_without_cookie_and_csrf_token_and_the_log_says_so(quiet: Any, ada: Any) -> None:
    script = _script(quiet, ada)
    project = script.ok("POST", "projects", {"name": "By script", "terminology": "small"})["id"]
    script.upload(project, {"a.txt": "Gout and asthma."})
    [document] = script.ok("GET", f"projects/{project}/documents")["documents"]
    span = {"start": 0, "end": 4, "type": "Disease", "revision": 0, "concepts": ["X:1"]}
    script.ok("POST", f"documents/{document['id']}/annotations", span)
    ada.ok("PATCH", f"projects/{project}", {"description": "by hand"})
    entries = ada.ok("GET", f"projects/{project}/log")["entries"]
    by = {entry["action"]: (entry["by"], entry["token"]) for entry in entries}
    assert by["project.create"] == by["annotation.create"] == ("ada", "nightly")
    assert by["project.change"] == ("ada", "")


def test_a_token_that_only_reads_changes_nothing(quiet: Any, ada: Any) -> None:
    project = ada.project()
    script = _script(quiet, ada, reads_only=True)
    assert script.ok("GET", f"projects/{project}")["id"] == project
    for method, path in (
        ("PATCH", f"projects/{project}"),
        ("POST", "projects"),
        ("DELETE", f"projects/{project}"),
    ):
        assert "may only read" in script.refused(403, method, path, {"name": "x"})["message"]


def test_a_token_cannot_reach_accounts_tokens_passwords_and_invitations(quiet: Any, ada: Any) -> None:
    project = ada.project()
    ada.ok("POST", "users", {"name": "bob", "password": PASSWORD})
    script = _script(quiet, ada)
    for method, path, body in [
        ("GET", "tokens", None),
        ("POST", "tokens", {"name": "more"}),
        ("DELETE", "tokens/1", None),
        ("POST", "session/password", {"old": PASSWORD, "new": PASSWORD + "!"}),
        ("DELETE", "session", None),
        ("POST", "users", {"name": "eve", "password": PASSWORD}),
        ("PATCH", "users/bob", {"role": "admin"}),
        ("DELETE", "users/bob", None),
        ("PUT", f"projects/{project}/members/bob", {"role": "manager"}),
        ("DELETE", f"projects/{project}/members/bob", None),
        ("GET", "invitations", None),
        ("POST", "invitations", {}),
        ("POST", f"projects/{project}/invitations", {}),
        ("POST", "invitation/member", {"token": "x"}),
        ("DELETE", f"projects/{project}", None),
    ]:
        problem = script.refused(403, method, path, body)
        assert "An API token cannot do this" in problem["message"], (method, path)
    assert {account["name"] for account in ada.ok("GET", "users")} == {"ada", "bob"}


def test_a_token_has_the_rights_of_its_account_only(quiet: Any, ada: Any) -> None:
    project = ada.project(alone=True)
    ada.ok("POST", "users", {"name": "bob", "password": PASSWORD})
    bob = quiet.client().sign_in("bob")
    script = _script(quiet, bob)
    script.refused(404, "GET", f"projects/{project}")
    script.refused(403, "POST", "projects", {"name": "x", "terminology": "small"})
    assert [token["name"] for token in bob.ok("GET", "tokens")] == ["nightly"]
    assert ada.ok("GET", "tokens") == []
    ada.refused(404, "DELETE", f"tokens/{bob.ok('GET', 'tokens')[0]['id']}")


def test_a_token_ends_when_withdrawn_expired_disabled_or_removed(quiet: Any, ada: Any) -> None:
    script = _script(quiet, ada, days=1)
    with quiet.database.write() as session:
        session.execute(update(ApiToken).values(expires=now() - timedelta(seconds=1)))
    assert "expired on" in script.refused(401, "GET", "projects")["message"]
    ada.refused(409, "POST", "tokens", {"name": "nightly"})
    ada.ok("DELETE", f"tokens/{ada.ok('GET', 'tokens')[0]['id']}")
    assert "withdrawn" in script.refused(401, "GET", "projects")["message"]
    for number, end in enumerate(
        (("PATCH", {"active": False}), ("PATCH", {"password": PASSWORD}), ("DELETE", None))
    ):
        ada.ok("POST", "users", {"name": f"user{number}", "password": PASSWORD})
        script = _script(quiet, quiet.client().sign_in(f"user{number}"))
        script.ok("GET", "projects")
        ada.ok(end[0], f"users/user{number}", end[1])
        script.refused(401, "GET", "projects")
    with quiet.database.read() as session:
        assert session.scalars(select(ApiToken)).all() == []
        withdrawn = select(LogEntry.changes).where(LogEntry.action == "token.withdraw")
        assert session.scalars(withdrawn).all() == [{"name": "nightly"}]


def test_a_users_own_new_password_leaves_tokens_which_no_other_credential_replaces(
    quiet: Any, ada: Any
) -> None:
    script = _script(quiet, ada)
    ada.ok("POST", "session/password", {"old": PASSWORD, "new": PASSWORD + "!"})
    script.ok("GET", "projects")
    # A wrong token is refused even in a browser that is signed in; other schemes, as proxies use them, are none of ours.
    ada.headers["Authorization"] = "Bearer linnet_wrong"
    assert "unknown" in ada.refused(401, "GET", "projects")["message"]
    ada.headers["Authorization"] = "Basic YWRhOnB3"
    ada.ok("GET", "projects")


def test_an_account_has_only_so_many_tokens(ada: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST", 2)
    for name in ("a", "b"):
        ada.ok("POST", "tokens", {"name": name})
    assert "Withdraw one first" in ada.refused(409, "POST", "tokens", {"name": "c"})["message"]
    ada.ok("DELETE", f"tokens/{ada.ok('GET', 'tokens')[0]['id']}")
    ada.ok("POST", "tokens", {"name": "c"})


def test_the_last_use_is_recorded_and_the_token_shown_once(quiet: Any, ada: Any) -> None:
    made = ada.ok("POST", "tokens", {"name": "export", "days": 30})
    [listed] = ada.ok("GET", "tokens")
    assert listed == {name: value for name, value in made.items() if name != "token"}
    assert listed["seen"] is None
    script = quiet.client()
    script.headers["Authorization"] = f"Bearer {made['token']}"
    script.ok("GET", "projects")
    assert ada.ok("GET", "tokens")[0]["seen"] is not None
    with quiet.database.read() as session:
        assert made["token"] not in str(session.scalars(select(ApiToken.digest)).all())
    for body in ({"name": ""}, {"name": "x", "days": 0}, {"name": "x", "days": 367}, {"name": "x" * 65}):
        ada.refused(422, "POST", "tokens", body)
