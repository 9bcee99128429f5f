from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from linnet.cli import app

NEW = "another horse battery staple"


def _reset(*arguments: str, password: str = NEW) -> Any:
    return CliRunner().invoke(app, ["annotate", "reset-password", *arguments], input=f"{password}\n")


def test_a_lost_password_is_replaced_while_the_server_runs(make_site: Any, database_url: str) -> None:
    site = make_site(database=database_url, working=False)
    ada = site.client().sign_in("Ada", path="setup")
    done = _reset("ADA", "--database", database_url)
    assert done.exit_code == 0, done.stderr
    assert "Ada (admin) has a new password" in done.stderr
    ada.refused(401, "GET", "projects")
    site.client().refused(401, "POST", "session", {"name": "ada", "password": "correct horse battery staple"})
    answer = site.client().post("/api/session", json={"name": "ada", "password": NEW})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("name", "password", "message"),
    [
        ("eve", NEW, "There is no account 'eve'. Accounts: ada."),
        ("ada", "short", "The password has 5 characters; expected at least 10."),
    ],
)
def test_what_cannot_be_reset_is_said(quiet: Any, name: str, password: str, message: str) -> None:
    quiet.client().sign_in("ada", path="setup")
    done = _reset(name, "--data", str(quiet.settings.data), password=password)
    assert done.exit_code != 0
    assert message in " ".join(done.stderr.split())
    quiet.client().sign_in("ada")


def test_a_folder_without_data_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    done = _reset("ada", "--data", str(tmp_path / "none"))
    assert done.exit_code != 0
    assert "--data" in done.stderr
    assert not (tmp_path / "none").exists()
