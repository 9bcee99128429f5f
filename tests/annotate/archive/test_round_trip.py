"""A server's backup and its restore: from SQLite to PostgreSQL and back, beside a running server, and what is refused."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from tests.annotate.conftest import PASSWORD, Site, _database
from typer.testing import CliRunner

from linnet.annotate.archive import writing as backups
from linnet.annotate.archive.server_backup import back_up_server, dated, remove_old
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database
from linnet.annotate.store.migrate import create_tables
from linnet.annotate.store.rows import read_rows, reflected
from linnet.annotate.store.tables import Annotation, Job, LogEntry, User, Version
from linnet.cli import app
from linnet.errors import RequestError

# What a restore adds to, or changes on purpose.
_CHANGED = {"jobs", "log", "projects", "sign_ins", "devices"}


def _run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["annotate", *map(str, arguments)])


def _words(result: Any) -> str:
    return " ".join(result.stderr.split())


@pytest.fixture
def busy(make_site: Any, database_url: str) -> Site:
    """A server with accounts, work, a trained model, a token, an invitation and a removed account."""
    site: Site = make_site(database=database_url if database_url.startswith("postgresql") else "")
    ada = site.client().sign_in("ada", path="setup")
    for name in ("bob", "Zoé"):
        ada.ok("POST", "users", {"name": name, "password": PASSWORD})
    project = ada.project(learners=["names"])
    for text in ("Gout and wheezing.", "Wheezing, asthma and\u2028😀 gout."):
        view = ada.document(project, text)
        place = text.lower().index("wheezing")
        span = {
            "start": place,
            "end": place + 8,
            "type": "Disease",
            "revision": view["revision"],
            "concepts": ["X:2"],
        }
        changed = ada.ok("POST", f"documents/{view['id']}/annotations", span)
        ada.ok(
            "POST", f"documents/{view['id']}/state", {"revision": changed["revision"], "state": "accepted"}
        )
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    files = {"file": ("codes.csv", b"code,label\nA,gout\nB,\xc3\xa4sthma\n")}
    columns = {"column": "label", "id_column": "code"}
    ada.ok("POST", f"projects/{project}/mapping", files=files, data=columns)
    ada.ok("POST", f"projects/{project}/mapping/rows/1/decision", {"concepts": ["X:1"], "comment": "😀"})
    ada.ok("POST", f"projects/{project}/invitations", {})
    ada.ok("POST", "tokens", {"name": "nightly"})
    ada.ok("DELETE", "users/Zoé")
    return site


@pytest.fixture(params=["sqlite", "postgresql"])
def goal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """An empty place, of either kind."""
    with _database(request, tmp_path) as url:
        yield Settings(data=tmp_path / "goal", database=url if request.param == "postgresql" else "")


def _options(settings: Settings) -> list[str]:
    return ["--data", str(settings.data), *(["--database", settings.database] if settings.database else [])]


def _contents(settings: Settings) -> dict[str, Any]:
    """All rows by table, and the files of the models."""
    with (
        closing(open_database(settings.database_url, upgrade=False)) as database,
        database.read() as session,
    ):
        connection = session.connection()
        tables = {name: list(read_rows(connection, table)) for name, table in reflected(connection).items()}
    files = sorted((settings.data / "projects").rglob("*"))
    return {
        **{name: rows for name, rows in tables.items() if name not in _CHANGED},
        "files": {
            file.relative_to(settings.data).as_posix(): file.read_bytes() for file in files if file.is_file()
        },
    }


def test_everything_is_there_again_whatever_the_database(
    busy: Site, goal: Settings, tmp_path: Path, small_terminology: Path
) -> None:
    with busy.database.write() as session:
        newest = session.scalars(select(Annotation).order_by(Annotation.id.desc())).first()
        assert newest is not None
        session.delete(newest)
    made = _run("backup", tmp_path / "server.zip", *_options(busy.settings))
    assert made.exit_code == 0, made.stderr
    assert "Backed up 2 accounts, 1 project, 2 documents" in _words(made)
    assert "Not included: the terminologies small" in _words(made)
    restored = _run("restore", tmp_path / "server.zip", *_options(goal))
    assert restored.exit_code == 0, restored.stderr
    assert "Terminology small (digest" in _words(restored)
    assert "is not here" in _words(restored)
    before, after = _contents(busy.settings), _contents(goal)
    assert after.keys() == before.keys()
    for name in before:
        assert after[name] == before[name], name
    assert before["files"]
    assert before["reserved_names"][0]["name"] == "Zoé"
    assert not (goal.data / ".restoring").exists()

    again = Site(Settings(data=goal.data, database=goal.database, terminologies=(small_terminology,)))
    with closing(again):
        with again.database.read() as session:
            entry = session.scalars(select(LogEntry).order_by(LogEntry.id.desc())).first()
            assert entry is not None
            assert entry.action == "job.prepare"
            assert session.scalars(select(Job.state).order_by(Job.id.desc())).first() == "queued"
        ada = again.client().sign_in("ada")
        again.work()
        assert ada.ok("GET", "projects")[0]["ready"]
        view = ada.document(1, "Nothing but gout.")
        # An id that was given out is not given out again, though its annotation is gone.
        assert min(one["id"] for one in view["annotations"]) > newest.id
        ada.refused(409, "POST", "users", {"name": "zoé", "password": PASSWORD})
        ada.ok("POST", "users", {"name": "eve", "password": PASSWORD})
        ada.ok("POST", "projects/1/jobs", {"kind": "train"})
        assert len(ada.ok("GET", "projects/1/models")) == 3


def test_a_backup_has_one_state_while_people_go_on_working(
    busy: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = Settings(data=tmp_path / "goal")
    ada = busy.client().sign_in("ada")
    before, add = _contents(busy.settings), backups._add_table

    def disturbed(archive: Any, name: str, *others: Any) -> Any:
        if name in ("tables/projects.jsonl", "tables/sheets.jsonl", "tables/versions.jsonl"):
            ada.document(1, f"Gout while {name} is read.")
        return add(archive, name, *others)

    monkeypatch.setattr(backups, "_add_table", disturbed)
    back_up_server(busy.settings, tmp_path / "server.zip")
    assert len(_contents(busy.settings)["documents"]) > len(before["documents"])
    assert _run("restore", tmp_path / "server.zip", *_options(goal)).exit_code == 0
    after = _contents(goal)
    for name in before:
        assert after[name] == before[name], name


def test_only_its_owner_may_read_a_backup_and_nothing_of_a_session_is_in_it(
    quiet: Site, tmp_path: Path
) -> None:
    quiet.client().sign_in("ada", path="setup")
    back_up_server(quiet.settings, tmp_path / "server.zip")
    assert (tmp_path / "server.zip").stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(tmp_path / "server.zip") as archive:
        names = archive.namelist()
        users = archive.read("tables/users.jsonl")
    assert b"$argon2id$" in users
    assert not {"tables/sign_ins.jsonl", "tables/devices.jsonl"} & set(names)
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_backup_into_a_folder_that_is_not_there_is_refused(quiet: Site, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"There is no folder .*absent"):
        back_up_server(quiet.settings, tmp_path / "absent" / "server.zip")
    assert not (tmp_path / "absent").exists()


def test_a_place_in_use_is_refused_and_stays_as_it_is(busy: Site, tmp_path: Path) -> None:
    back_up_server(busy.settings, tmp_path / "server.zip")
    before = _contents(busy.settings)
    refused = _run("restore", tmp_path / "server.zip", *_options(busy.settings))
    assert refused.exit_code == 1
    assert "already" in _words(refused) or "not empty" in _words(refused)
    models = tmp_path / "models"
    (models / "projects" / "1").mkdir(parents=True)
    refused = _run("restore", tmp_path / "server.zip", "--data", models)
    assert "models of another server" in _words(refused)
    assert (models / "projects" / "1").is_dir()
    assert not (models / "linnet.db").exists()
    assert _contents(busy.settings) == before


def _changed(source: Path, goal: Path, **members: Any) -> Path:
    """A copy of an archive; each member is given as a function of its bytes, None to leave it out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(goal, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            change = members.get(name, lambda content: content)
            if change is not None:
                new.writestr(name, change(old.read(name)))
    return goal


def test_a_damaged_or_foreign_file_is_refused_before_anything_is_written(quiet: Site, tmp_path: Path) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project()
    good, bad = tmp_path / "good.zip", tmp_path / "bad.zip"
    back_up_server(quiet.settings, good)

    def newer(content: bytes) -> bytes:
        return json.dumps(json.loads(content) | {"revision": "9999"}).encode()

    def older(content: bytes) -> bytes:
        return json.dumps(json.loads(content) | {"revision": "0009"}).encode()

    def later(content: bytes) -> bytes:
        return json.dumps(json.loads(content) | {"format": 3}).encode()

    cut = good.read_bytes()[:-100]
    one_project = ada.get(f"/api/projects/{project}/backup").content
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    cases: list[tuple[Any, str]] = [
        (
            lambda: _changed(good, bad, **{"tables/users.jsonl": lambda content: content[:-2] + b" }"}),
            "users.jsonl is not what",
        ),
        (lambda: _changed(good, bad, **{"tables/users.jsonl": None}), "users.jsonl is missing"),
        (
            lambda: _changed(good, bad, **{"manifest.json": newer}),
            "version 9999; this linnet knows versions up to",
        ),
        (
            lambda: _changed(good, bad, **{"manifest.json": older}),
            "has version 0009, of a linnet before 0.1.0",
        ),
        (lambda: _changed(good, bad, **{"manifest.json": later}), "has format 3"),
        (lambda: _changed(good, bad, **{"manifest.json": lambda content: b"[1]"}), "was modified"),
        (lambda: bad.write_bytes(cut), "the end of the zip archive is missing"),
        (lambda: bad.write_bytes(one_project), "the backup of one project"),
        (lambda: bad.write_bytes((tmp_path / "other.zip").read_bytes()), "an archive of other files"),
    ]
    for make, words in cases:
        make()
        refused = _run("restore", bad, "--data", tmp_path / "goal")
        assert refused.exit_code == 1, words
        assert words in _words(refused)
        assert not (tmp_path / "goal").exists()
    assert "no such file" in _words(_run("restore", tmp_path / "none.zip", "--data", tmp_path / "goal"))
    problem = ada.refused(
        422, "POST", "projects/restore", files={"file": ("a.zip", io.BytesIO(good.read_bytes()))}
    )
    assert "linnet annotate restore" in problem["message"]


def test_a_backup_of_an_earlier_version_is_migrated(tmp_path: Path, goal: Settings) -> None:
    old = Settings(data=tmp_path / "old")
    with closing(open_database(old.database_url, upgrade=False)) as database:
        connection = database.engine.execution_options(writes=True).connect()
        with connection, connection.begin():
            create_tables(connection, "0010")
            connection.exec_driver_sql(
                "INSERT INTO users VALUES (7, 'ada', 'Ada', 'admin', 1, '$argon2id$x', '2026-01-02 03:04:05')"
            )
            connection.exec_driver_sql(
                "INSERT INTO log (id, at, by, token, action, model_digest, terminology_digest, changes) "
                "VALUES (3, '2026-01-02 03:04:05', 'Ada', '', 'account.create', '', '', '{\"name\": \"Ada\"}')"
            )
    assert back_up_server(old, tmp_path / "old.zip").revision == "0010"
    assert _run("restore", tmp_path / "old.zip", *_options(goal)).exit_code == 0
    with closing(open_database(goal.database_url)) as database, database.read() as session:
        user = session.scalars(select(User)).one()
        assert (user.id, user.name, user.active, user.created.isoformat()) == (
            7,
            "Ada",
            True,
            "2026-01-02T03:04:05+00:00",
        )
        entries = session.scalars(select(LogEntry).order_by(LogEntry.id)).all()
        assert [(entry.id, entry.action, entry.token) for entry in entries] == [
            (3, "account.create", ""),
            (4, "server.restore", ""),
        ]


def test_a_folder_gets_dated_files_and_keeps_as_many_as_wanted(quiet: Site, tmp_path: Path) -> None:
    quiet.client().sign_in("ada", path="setup")
    folder = tmp_path / "backups"
    folder.mkdir()
    for day in range(1, 5):
        (folder / f"linnet-2026-01-0{day}T03-00-00Z.zip").write_bytes(b"old")
    (folder / "notes.txt").write_text("stays")
    made = _run("backup", folder, "--keep", 3, *_options(quiet.settings))
    assert made.exit_code == 0, made.stderr
    assert "removed 2 older" in _words(made)
    kept = sorted(file.name for file in folder.iterdir())
    assert kept[:2] == ["linnet-2026-01-03T03-00-00Z.zip", "linnet-2026-01-04T03-00-00Z.zip"]
    assert len(kept) == 4
    assert remove_old(folder, keep=10) == []
    assert dated(folder).suffix == ".zip"


def test_what_cannot_be_backed_up_is_said_and_writes_nothing(busy: Site, tmp_path: Path) -> None:
    target = tmp_path / "server.zip"
    usage = _run("backup", target, "--keep", 3, *_options(busy.settings))
    assert usage.exit_code == 2
    assert "--keep needs an existing folder" in _words(usage)
    nowhere = _run("backup", target, "--data", tmp_path / "none")
    assert (nowhere.exit_code, "--data" in _words(nowhere)) == (1, True)
    assert not (tmp_path / "none").exists()
    precious = busy.settings.data / "precious.txt"
    precious.write_text("do not lose")
    assert "Choose another name" in _words(_run("backup", precious, *_options(busy.settings)))
    assert precious.read_text() == "do not lose"
    with busy.database.read() as session:
        folder = session.scalars(select(Version.folder).where(Version.folder != "")).one()
    (busy.settings.data / folder).rename(tmp_path / "lost")
    lost = _run("backup", target, *_options(busy.settings))
    assert (lost.exit_code, "model version are missing" in _words(lost)) == (1, True)
    assert not target.exists()
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".part")] == []
