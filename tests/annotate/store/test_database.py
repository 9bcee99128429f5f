from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from threading import Barrier, Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, func, inspect, select, text, update
from sqlalchemy.exc import DBAPIError, StatementError

from linnet.annotate.store import Database, open_database
from linnet.annotate.store.database import _address
from linnet.annotate.store.tables import (
    Base,
    LogEntry,
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


@pytest.mark.parametrize(
    ("revision", "advice"),
    [
        ("9999", r"has version 9999; .* versions up to 0012\. Update linnet"),
        (
            "0009",
            r"has version 0009, of a linnet before .* versions 0010 to 0012\. Upgrade it with linnet of commit",
        ),
    ],
)
def test_a_database_of_a_version_that_linnet_cannot_migrate_is_refused_and_stays(
    database: Database, database_url: str, revision: str, advice: str
) -> None:
    with database.write() as session:
        session.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    with pytest.raises(MismatchError, match=advice):
        open_database(database_url)
    with database.read() as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == revision


def test_a_database_with_tables_of_another_program_is_refused_and_stays(database_url: str) -> None:
    engine = create_engine(_address(database_url))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE users (name TEXT)")
    with pytest.raises(StoreError, match="already exists"):
        open_database(database_url)
    assert inspect(engine).get_table_names() == ["users"]
    engine.dispose()


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
