"""Databases and the backup of a server, as linnet made them when each version of the tables had a migration, are used further."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the annotate extra")

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, make_url, select, text
from sqlalchemy.exc import DBAPIError
from tests.annotate.conftest import PASSWORD, Client, Site, database_url, postgres, small_terminology
from tests.compatibility.answers import FIXTURES

from linnet.annotate.archive.server_backup import back_up_server
from linnet.annotate.archive.server_restore import restore_server
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database
from linnet.annotate.store.tables import Base, LogEntry

__all__ = ["database_url", "postgres", "small_terminology"]


def load(url: str, revision: str) -> None:
    """Fill an empty database as linnet made one with that version of the tables."""
    address = make_url(url)
    script = FIXTURES / f"database-{revision}.{address.get_backend_name()}.sql"
    if address.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(address.database))) as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
        return
    engine = create_engine(address.set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.connection.cursor().execute(script.read_text(encoding="utf-8"))
    engine.dispose()


@pytest.fixture(params=["0010", "0011"])
def old(
    request: pytest.FixtureRequest, database_url: str, tmp_path: Path, small_terminology: Path
) -> Settings:
    """A server's settings, with a database of then."""
    load(database_url, request.param)
    return Settings(data=tmp_path / "data", database=database_url, terminologies=(small_terminology,))


@pytest.fixture
def ada(old: Settings) -> Iterator[Client]:
    site = Site(old)
    yield site.client().sign_in("ada")
    site.close()


def _marks(client: Client, project: int) -> list[tuple[str, str, list[str], str, bool]]:
    """Text, layer, concepts, author and mark of all annotations that the user sees in a project."""
    found = client.ok("GET", f"projects/{project}/documents?order=name")["documents"]
    return [
        (mark["text"], mark["layer"], mark["concepts"], mark["author"], mark["unchanged"])
        for document in found
        for mark in client.ok("GET", f"documents/{document['id']}")["annotations"]
    ]


SHARED = [
    ("Gout", "user", ["X:1"], "bob", True),
    ("wheezing", "user", ["X:2"], "bob", False),
    ("migraine", "user", ["X:3"], "bob", True),
    ("scurvy", "pred", ["X:6"], "", False),
    ("but", "user", [], "ada", False),
    ("gout", "pred", ["X:1"], "", False),
]
APART = [("Asthma", "user", ["X:2"], "ada", True), ("scurvy", "user", ["X:6"], "ada", True)]


def _is_as_it_was(ada: Client) -> None:
    names = {one["id"]: one["name"] for one in ada.ok("GET", "projects")}
    assert names == {1: "Gout clinic", 2: "Two opinions"}
    assert _marks(ada, 1) == SHARED
    assert _marks(ada, 2) == APART
    [thread] = ada.ok("GET", "documents/1/comments")
    assert (thread["comments"][0]["text"], thread["discuss"]) == ("Is wheezing enough?", "open")
    actions = [entry["action"] for entry in ada.ok("GET", "projects/1/log")["entries"]]
    assert actions.count("annotation.create") == 2


def test_everything_in_it_is_shown_changed_undone_and_exported(ada: Client) -> None:
    _is_as_it_was(ada)
    view = ada.ok("GET", "documents/2")
    done = ada.ok("POST", "documents/2/state", {"revision": view["revision"], "state": "accepted"})
    assert [mark[4] for mark in _marks(ada, 1)[3:]] == [True, False, True]
    ada.ok("POST", "documents/2/undo", {"revision": done["revision"]})
    assert _marks(ada, 1) == SHARED
    exported = ada.get("/api/projects/1/export?format=pubtator")
    assert b"wheezing\tDisease\tX:2" in exported.content
    again = ada.ok(
        "POST", "projects/restore", files={"file": ("a.zip", ada.get("/api/projects/1/backup").content)}
    )
    assert _marks(ada, again["project"]) == SHARED


def test_its_tables_are_those_of_a_new_database_and_its_log_stays_append_only(old: Settings) -> None:
    with closing(open_database(old.database_url)) as database:
        with database.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
            session.execute(text("DELETE FROM log"))
        with database.read() as session:
            assert session.scalars(select(LogEntry.token).distinct()).all() == [""]


def test_its_backup_restores(old: Settings, tmp_path: Path) -> None:
    back_up_server(old, tmp_path / "server.zip")
    _restores(tmp_path / "server.zip", tmp_path, old.terminologies)


def test_a_backup_of_then_restores(tmp_path: Path, small_terminology: Path) -> None:
    _restores(FIXTURES / "server.zip", tmp_path, (small_terminology,))


@pytest.mark.parametrize(("name", "marks"), [("shared", SHARED), ("independent", APART)])
def test_a_projects_backup_of_then_restores(
    tmp_path: Path, small_terminology: Path, name: str, marks: list[Any]
) -> None:
    site = Site(Settings(data=tmp_path / "data", terminologies=(small_terminology,)))
    ada = site.client().sign_in("ada", path="setup")
    ada.ok("POST", "users", {"name": "bob", "password": PASSWORD})
    report = ada.ok(
        "POST", "projects/restore", files={"file": ("a.zip", (FIXTURES / f"project-{name}.zip").read_bytes())}
    )
    assert report["notes"] == ["bob is a member again (annotator)."]
    number = report["project"]
    assert _marks(ada, number) == marks
    site.close()


def _restores(backup: Path, folder: Path, terminologies: tuple[Path, ...]) -> None:
    settings = Settings(data=folder / "goal", terminologies=terminologies)
    restore_server(backup, settings)
    site = Site(settings)
    _is_as_it_was(site.client().sign_in("ada"))
    site.close()
