from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Barrier, Thread

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, func, select, text, update
from sqlalchemy.exc import DBAPIError, StatementError

from linnet.annotate.store import Database, migrate, open_database
from linnet.annotate.store.database import _address
from linnet.annotate.store.tables import (
    Annotation,
    Base,
    Correction,
    Device,
    LogEntry,
    Member,
    Project,
    ReservedName,
    SignIn,
    User,
)
from linnet.errors import MismatchError, RequestError, StoreError


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = open_database(database_url)
    yield opened
    opened.close()


def _note(database: Database, by: str) -> None:
    with database.write() as session:
        session.add(LogEntry(by=by, action="test", changes={"letters": "ä€😀"}))


def test_the_migrations_make_the_tables_that_the_code_uses(database: Database) -> None:
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_what_was_written_is_there_when_it_is_opened_again(database: Database, database_url: str) -> None:
    _note(database, "ada")
    again = open_database(database_url)
    with again.read() as session:
        entry = session.scalars(select(LogEntry)).one()
    again.close()
    assert (entry.by, entry.changes) == ("ada", {"letters": "ä€😀"})
    assert entry.at.utcoffset() is not None


@pytest.mark.parametrize("statement", ["UPDATE log SET action = 'other'", "DELETE FROM log"])
def test_the_log_can_be_neither_changed_nor_shortened(database: Database, statement: str) -> None:
    _note(database, "ada")
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text(statement))
    with database.read() as session:
        assert session.scalars(select(LogEntry.action)).all() == ["test"]


def test_an_error_undoes_the_whole_transaction(database: Database) -> None:
    def fail() -> None:
        with database.write() as session:
            session.add(LogEntry(by="ada", action="test", changes={}))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(LogEntry)) == 0


def test_many_writers_at_once_lose_nothing(database: Database) -> None:
    begin = Barrier(8)

    def work(number: int) -> None:
        begin.wait()
        for _ in range(5):
            _note(database, f"user{number}")

    threads = [Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        counts = session.execute(select(LogEntry.by, func.count()).group_by(LogEntry.by)).all()
    assert sorted(count for _, count in counts) == [5] * 8


def test_a_database_of_the_first_version_keeps_what_it_holds(database_url: str) -> None:
    engine = create_engine(_address(database_url))
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).with_name("migrations")))
    moment = "'2026-01-02 03:04:05+00:00'"
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for statement in (
            f"INSERT INTO users VALUES (1, 'ada', 'Ada', 'admin', true, '$argon2id$x', {moment})",
            f"INSERT INTO sign_ins VALUES ('d', 1, 'c', {moment}, {moment}, {moment})",
            "INSERT INTO projects VALUES (1, 'Gout', '', 'mesh', 'x', 'shared', '[\"Disease\"]', '[]', 'random', 0.2, 0, true, "
            f"{moment}, 'Ada')",
        ):
            connection.exec_driver_sql(statement)
    engine.dispose()
    opened = open_database(database_url)
    with opened.read() as session:
        user, project = session.scalars(select(User)).one(), session.scalars(select(Project)).one()
        assert (user.name, project.name, project.types) == ("Ada", "Gout", ["Disease"])
        assert project.learners == []
        assert session.scalar(select(func.count()).select_from(SignIn)) == 1
        assert session.scalar(select(func.count()).select_from(Device)) == 0
        assert session.scalar(select(func.count()).select_from(Correction)) == 0
    with opened.write() as session:
        session.delete(session.scalars(select(User)).one())
    opened.close()


def test_every_account_stays_able_to_see_every_project_of_a_database_without_members(
    database_url: str,
) -> None:
    engine = create_engine(_address(database_url))
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).with_name("migrations")))
    moment = "'2026-01-02 03:04:05+00:00'"
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
        for id, name, role, active in ((1, "ada", "admin", "true"), (2, "bob", "annotator", "false")):
            connection.exec_driver_sql(
                f"INSERT INTO users VALUES ({id}, '{name}', '{name}', '{role}', {active}, '$argon2id$x', {moment})"
            )
        for id, mode in ((1, "shared"), (2, "independent")):
            connection.exec_driver_sql(
                f"INSERT INTO projects VALUES ({id}, 'p{id}', '', 'mesh', 'x', '{mode}', '[]', '[]', 'random', 0.2, 0, true, "
                f"{moment}, 'ada')"
            )
    engine.dispose()
    opened = open_database(database_url)
    with opened.read() as session:
        members = session.execute(
            select(Member.project_id, User.name, Member.role).join(User, User.id == Member.user_id)
        ).all()
        assert {(project, name): role for project, name, role in members} == {
            (1, "ada"): "manager", (1, "bob"): "annotator", (2, "ada"): "manager", (2, "bob"): "annotator"
        }  # fmt: skip
        assert all(row.created.utcoffset() is not None for row in session.scalars(select(Member)))
    with opened.write() as session:
        session.add(Project(id=3, name="p3", terminology="mesh", terminology_digest="x", mode="shared", types=[], labels=[],
            strategy="random", held_out=0.2, created_by="ada"))  # fmt: skip
        session.flush()
        session.add(Member(project_id=3, user_id=1, role="manager", created_by="ada"))
    opened.close()


def test_names_of_work_without_an_account_are_reserved_and_the_log_stays(database_url: str) -> None:
    engine = create_engine(_address(database_url))
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).with_name("migrations")))
    moment = "'2026-01-02 03:04:05+00:00'"
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")
        for statement in (
            f"INSERT INTO users VALUES (1, 'ada', 'Ada', 'admin', true, '$argon2id$x', {moment})",
            "INSERT INTO projects (id, name, description, terminology, terminology_digest, mode, types, labels, strategy, held_out, "
            "model, ready, created, created_by) VALUES "
            f"(1, 'Gout', '', 'mesh', 'x', 'independent', '[]', '[]', 'random', 0.2, 0, true, {moment}, 'Ada')",
            "INSERT INTO documents (id, project_id, name, title, text, digest, characters, held_out, rank, extra, created) "
            f"VALUES (1, 1, 'd', 'd', 'Gout', 'x', 4, false, 0, '{{}}', {moment})",
            *(
                f"INSERT INTO sheets (id, document_id, owner, revision, state) VALUES ({id}, 1, '{owner}', 0, 'open')"
                for id, owner in enumerate(("", "@curated", "Ada", "Zoé"), start=1)
            ),
            'INSERT INTO annotations (id, sheet_id, start, "end", layer, type, concepts, nil, composite, author, revision, '
            f"changed, extra) VALUES (1, 1, 0, 4, 'user', '', '[]', true, false, 'Max', 0, {moment}, '{{}}')",
            "INSERT INTO log (id, at, by, action, model_digest, terminology_digest, changes) "
            f"VALUES (1, {moment}, 'Ada', 'project.create', '', '', '{{}}')",
        ):
            connection.exec_driver_sql(statement)
    engine.dispose()
    opened = open_database(database_url)
    with opened.read() as session:
        reserved = session.scalars(select(ReservedName).order_by(ReservedName.key)).all()
        assert [(row.key, row.name, row.reason) for row in reserved] == [
            ("max", "Max", "restored"),
            ("zoé", "Zoé", "restored"),
        ]
        [entry] = session.scalars(select(LogEntry))
        assert (entry.by, entry.action, entry.token) == ("Ada", "project.create", "")
    with opened.write() as session:
        session.delete(session.scalars(select(User)).one())
    opened.close()


def test_a_database_of_a_later_version_is_refused(database: Database, database_url: str) -> None:
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(MismatchError, match="Update linnet"):
        open_database(database_url)


def test_times_without_a_zone_are_refused(database: Database) -> None:
    with pytest.raises(StatementError, match="no time zone"), database.write() as session:
        session.execute(update(LogEntry).values(at=datetime(2026, 1, 1)))


@pytest.mark.parametrize("url", ["mysql://host/name", "nonsense", "sqlite://", "sqlite:///:memory:"])
def test_other_databases_are_refused_with_what_is_expected(url: str) -> None:
    with pytest.raises(RequestError, match="sqlite:///"):
        open_database(url)


def test_a_server_that_is_not_there_is_refused_without_its_password() -> None:
    with pytest.raises(StoreError) as refused:
        open_database("postgresql://ada:secret@127.0.0.1:1/linnet")
    assert "secret" not in str(refused.value)
    assert "127.0.0.1" in str(refused.value)


def test_annotations_and_projects_of_a_database_without_attributes_have_none(database_url: str) -> None:
    engine = create_engine(_address(database_url))
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).with_name("migrations")))
    moment = "'2026-01-02 03:04:05+00:00'"
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")
        for table, names, values in (
            (
                "projects",
                "id, name, description, terminology, terminology_digest, mode, types, labels, strategy, held_out, model, ready, created, "
                "created_by",
                f"1, 'Gout', '', 'mesh', 'x', 'shared', '[]', '[]', 'random', 0.2, 0, true, {moment}, 'ada'",
            ),
            (
                "documents",
                "id, project_id, name, title, text, digest, characters, held_out, rank, extra, created",
                f"1, 1, 'a', 'a', 'Gout.', 'x', 5, false, 1, '{{}}', {moment}",
            ),
            ("sheets", "id, document_id, owner, revision, state", "1, 1, '', 3, 'open'"),
            (
                "annotations",
                'id, sheet_id, start, "end", layer, type, concepts, nil, composite, author, revision, changed, extra',
                f"1, 1, 0, 4, 'user', 'Disease', '[\"X:1\"]', false, false, 'ada', 3, {moment}, '{{\"id\": \"T1\"}}'",
            ),
        ):
            connection.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({values})")
    engine.dispose()
    opened = open_database(database_url)
    with opened.read() as session:
        annotation, project = (
            session.scalars(select(Annotation)).one(),
            session.scalars(select(Project)).one(),
        )
        assert (project.attributes, annotation.attributes) == ([], {})
        assert (annotation.concepts, annotation.extra) == (["X:1"], {"id": "T1"})
    opened.close()
