from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from tests.annotate.conftest import Client

from linnet.annotate.domain.accounts import signing_in
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import SignIn

PASSWORD = "correct horse battery staple"
PUBLIC = {
    ("get", "/api/status"),
    ("post", "/api/setup"),
    ("post", "/api/session"),
    ("post", "/api/invitation"),
    ("post", "/api/invitation/account"),
}


def test_the_first_account_is_an_admin_and_there_is_no_second_first(quiet: Any) -> None:
    visitor = quiet.client()
    assert visitor.ok("GET", "status")["set_up"] is False
    ada = quiet.client().sign_in("ada", path="setup")
    status = ada.ok("GET", "status")
    assert (status["set_up"], status["session"]["name"], status["session"]["role"]) == (True, "ada", "admin")
    assert visitor.ok("GET", "status")["session"] is None
    visitor.refused(409, "POST", "setup", {"name": "eve", "password": PASSWORD})


def test_every_route_but_the_public_ones_asks_who_it_is(quiet: Any) -> None:
    visitor = quiet.client()
    routes = {(method, path) for path, methods in quiet.app.openapi()["paths"].items() for method in methods}
    assert len(routes) > 40
    assert routes >= PUBLIC
    for method, path in sorted(routes - PUBLIC):
        place = path.replace("{name}", "eve")
        for name in ("project", "document", "annotation", "job", "invitation", "token"):
            place = place.replace("{" + name + "}", "1")
        answer = visitor.request(method.upper(), place)
        assert answer.status_code == 401, f"{method} {path}: {answer.status_code}"
        assert answer.json()["code"] == "not_signed_in"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(quiet: Any) -> None:
    answer = quiet.client().post("/api/setup", json={"name": "ada", "password": PASSWORD})
    cookie = answer.headers.get_list("set-cookie")[0].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "domain" not in cookie


def test_a_change_needs_the_sessions_token_and_no_other_origin(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    body = {"name": "a", "terminology": "small"}
    token = ada.headers.pop("X-CSRF-Token")
    assert ada.refused(403, "POST", "projects", body)["code"] == "csrf"
    other = quiet.client().sign_in("ada").headers["X-CSRF-Token"]
    assert ada.refused(403, "POST", "projects", body, headers={"X-CSRF-Token": other})["code"] == "csrf"
    evil = {"X-CSRF-Token": token, "Origin": "https://evil.example"}
    assert ada.refused(403, "POST", "projects", body, headers=evil)["code"] == "forbidden"
    assert ada.refused(403, "POST", "session", {"name": "ada", "password": PASSWORD}, headers=evil)
    fine = {"X-CSRF-Token": token, "Origin": "http://127.0.0.1:8765"}
    assert ada.ok("POST", "projects", body, headers=fine)["name"] == "a"


def test_annotators_may_not_do_what_admins_may(ada: Any, bob: Any) -> None:
    project = ada.project()
    for method, path, body in [
        ("GET", "users", None),
        ("POST", "users", {"name": "eve", "password": PASSWORD}),
        ("PATCH", "users/bob", {"role": "admin"}),
        ("POST", "projects", {"name": "x", "terminology": "small"}),
        ("PATCH", f"projects/{project}", {"name": "x"}),
        ("DELETE", f"projects/{project}", None),
        ("GET", f"projects/{project}/backup", None),
        ("POST", f"projects/{project}/models/current", {"number": 0}),
    ]:
        assert bob.refused(403, method, path, body)["code"] == "forbidden", (method, path)
    assert bob.ok("GET", f"projects/{project}")["id"] == project


def test_an_expired_or_ended_session_is_none(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    with quiet.database.write() as session:
        session.execute(update(SignIn).values(expires=now() - timedelta(seconds=1)))
    assert "expired" in ada.refused(401, "GET", "projects")["message"]
    ada.sign_in("ada")
    kept = dict(ada.cookies)
    ada.ok("DELETE", "session")
    assert "linnet_session" not in ada.cookies
    ada.cookies.update(kept)
    ada.refused(401, "GET", "projects")


def test_a_session_in_use_is_prolonged(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    with quiet.database.write() as session:
        session.execute(
            update(SignIn).values(seen=now() - timedelta(hours=11), expires=now() + timedelta(hours=1))
        )
    ada.ok("GET", "projects")
    with quiet.database.read() as session:
        assert session.query(SignIn).one().expires > now() + timedelta(hours=11)


def _wrong(client: Any, name: str = "ADA", times: int = 10) -> None:
    for _ in range(times):
        client.refused(401, "POST", "session", {"name": name, "password": "not the password"})


def _at(site: Any, address: str) -> Any:
    """A browser at another network address."""
    return Client(site.app, address=address)


def test_guessing_passwords_is_slowed_down(quiet: Any) -> None:
    quiet.client().sign_in("ada", path="setup")
    eve = quiet.client()
    _wrong(eve)
    assert "Wait" in eve.refused(429, "POST", "session", {"name": "ada", "password": PASSWORD})["message"]
    assert eve.refused(401, "POST", "session", {"name": "nobody", "password": PASSWORD})


def test_wrong_passwords_lock_out_neither_who_is_elsewhere_nor_a_browser_that_is_known(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    _wrong(_at(quiet, "192.0.2.7"))
    _at(quiet, "192.0.2.8").sign_in("ada")
    _wrong(quiet.client())
    quiet.client().refused(429, "POST", "session", {"name": "ada", "password": PASSWORD})
    ada.ok("DELETE", "session")
    ada.sign_in("ada")  # at the same address, in a browser in which she has signed in before


def test_a_known_browser_does_not_help_to_guess(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    ada.ok("POST", "users", {"name": "eve", "password": PASSWORD})
    eve = quiet.client().sign_in("eve")
    _wrong(eve, "ada")
    eve.refused(429, "POST", "session", {"name": "ada", "password": PASSWORD})
    _wrong(ada, "ada")
    ada.refused(429, "POST", "session", {"name": "ada", "password": PASSWORD})


def test_one_account_cannot_be_guessed_at_from_everywhere(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    for number in range(10):
        _wrong(_at(quiet, f"192.0.2.{number}"))
    _at(quiet, "198.51.100.1").refused(429, "POST", "session", {"name": "ada", "password": PASSWORD})
    ada.sign_in("ada")


def test_a_new_password_from_an_admin_makes_browsers_unknown(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    ada.ok("POST", "users", {"name": "bob", "password": PASSWORD})
    bob = quiet.client().sign_in("bob")
    ada.ok("PATCH", "users/bob", {"password": PASSWORD})
    _wrong(quiet.client(), "bob")
    bob.refused(429, "POST", "session", {"name": "bob", "password": PASSWORD})


def test_a_name_that_nobody_has_costs_as_much_as_a_wrong_password(
    quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet.client().sign_in("ada", path="setup")
    asked: list[str | None] = []
    monkeypatch.setattr(
        signing_in,
        "matches",
        lambda kept, password: bool(asked.append(kept)),
    )
    eve = quiet.client()
    for name in ("ada", "nobody"):
        eve.refused(401, "POST", "session", {"name": name, "password": "not the password"})
    assert [kept is None for kept in asked] == [False, True]


def test_a_new_password_ends_the_other_sessions(quiet: Any) -> None:
    ada, elsewhere = quiet.client().sign_in("ada", path="setup"), quiet.client().sign_in("ada")
    new = "another horse battery staple"
    ada.refused(403, "POST", "session/password", {"old": "not the password", "new": new})
    ada.ok("POST", "session/password", {"old": PASSWORD, "new": new})
    ada.ok("GET", "projects")
    elsewhere.refused(401, "GET", "projects")
    elsewhere.refused(401, "POST", "session", {"name": "ada", "password": PASSWORD})


def test_the_last_admin_stays(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    ada.refused(409, "PATCH", "users/ada", {"role": "annotator"})
    ada.refused(409, "PATCH", "users/ada", {"active": False})
    ada.ok("POST", "users", {"name": "Bob", "password": PASSWORD})
    bob = quiet.client().sign_in("bob")
    ada.refused(409, "POST", "users", {"name": "BOB", "password": PASSWORD})
    assert ada.ok("PATCH", "users/bob", {"active": False})["active"] is False
    bob.refused(401, "GET", "projects")
    bob.refused(401, "POST", "session", {"name": "bob", "password": PASSWORD})


@pytest.mark.parametrize(
    "name",
    [
        "", "a b", "../x", "<b>", "a" * 65, "é\x00", "-ada", "ada\u200b", "\u202eada", "a\u3164b", "ad\ufe0fa",
        "\u0430da", "ß" * 40, "\ufdfa" * 10, "ada\u00ad", "\u0301ada",
    ],
)  # fmt: skip
def test_odd_names_are_refused(quiet: Any, name: str) -> None:
    problem = quiet.client().refused(422, "POST", "setup", {"name": name, "password": PASSWORD})
    assert "name" in problem["fields"]
    assert (
        "password"
        in quiet.client().refused(422, "POST", "setup", {"name": "a", "password": "short"})["fields"]
    )


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("Müller", "MU\u0308LLER"), ("Straße", "STRASSE"), ("田中", "田中"), ("Ἀθηνᾶ", "ἈΘΗΝΑ͂"), ("ａｄａ", "ADA"), ("İlker", "i̇LKER"),
    ],
)  # fmt: skip
def test_names_may_be_of_any_script_and_are_the_same_in_every_form(
    make_site: Any, database_url: str, name: str, same: str
) -> None:
    site = make_site(database=database_url, working=False)
    admin = site.client().sign_in(name, path="setup")
    site.client().sign_in(same)
    assert "already" in admin.refused(409, "POST", "users", {"name": same, "password": PASSWORD})["message"]
    admin.ok("POST", "users", {"name": "日本.花子", "password": PASSWORD})
    assert admin.ok("PATCH", "users/日本.花子", {"role": "admin"})["role"] == "admin"
    project = admin.project()
    assert (
        admin.ok("GET", f"projects/{project}")["created_by"] == admin.ok("GET", "status")["session"]["name"]
    )


def test_passwords_are_kept_as_argon2_hashes_only(quiet: Any) -> None:
    quiet.client().sign_in("ada", path="setup")
    content = b"".join(path.read_bytes() for path in quiet.settings.data.iterdir() if path.is_file())
    assert PASSWORD.encode() not in content
    assert b"$argon2id$" in content
