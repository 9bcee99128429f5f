"""Opens a database for reading and writing, and migrates it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session

from linnet.annotate.store.durable import Durable
from linnet.annotate.store.migrate import migrate
from linnet.errors import MismatchError, RequestError, StoreError

__all__ = ["Database", "open_database"]

_BUSY = 30_000  # milliseconds that SQLite waits for another writing process
# Enough for the requests that can run at once (40 threads of the server) and the server itself.
_CONNECTIONS = 48


class Database:
    """Sessions for reading and for writing. Thread-safe.

    With SQLite, writers queue for a lock: the file would make them poll.

    durable  syncs commits to disk if the database does not do so itself
    """

    def __init__(self, engine: Engine, *, durable: Durable | None = None) -> None:
        self.engine = engine
        self._writing = engine.execution_options(writes=True)
        # A reader of SQLite sees one state anyway.
        one_state = {} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        self._reading = engine.execution_options(**one_state)
        self._turn = threading.RLock() if engine.dialect.name == "sqlite" else nullcontext()
        self._durable = durable

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that sees one state of the database. Its changes are discarded."""
        with Session(self._reading, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session whose changes are committed together, and are on disk when the block ends without an error."""
        with self._turn, Session(self._writing, expire_on_commit=False) as session, session.begin():
            yield session
        if self._durable is not None:
            self._durable.sync()

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_database(url: str | URL, *, upgrade: bool = True) -> Database:
    """Open a database; creates missing tables, and for SQLite the file.

    url      sqlite:///FILE, or postgresql://USER:PASSWORD@HOST/NAME
    upgrade  migrate the tables to this version of linnet; False if another process does

    Raises RequestError for another URL, StoreError if the database cannot be used.
    """
    address = _address(url)
    options: dict[str, Any] = {"pool_size": _CONNECTIONS, "max_overflow": 0}
    if address.get_backend_name() == "sqlite":
        if not address.database or address.database == ":memory:":
            raise RequestError(
                "A database in memory is lost when the server stops. Give a file: sqlite:///linnet.db"
            )
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
        options["connect_args"] = {"check_same_thread": False, "timeout": _BUSY / 1000}
    else:
        options |= {"pool_pre_ping": True, "connect_args": {"connect_timeout": 10}}
    engine = create_engine(address, **options)
    durable = None
    if address.get_backend_name() == "sqlite":
        durable = Durable(Path(str(address.database)).absolute())
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    try:
        if upgrade:
            migrate(engine)
        else:
            engine.connect().close()
    except MismatchError:
        engine.dispose()
        raise
    except DBAPIError as error:
        engine.dispose()
        shown = address.render_as_string(hide_password=True)
        raise StoreError(
            f"The database {shown} cannot be used: {error.orig}. Check its URL and permissions."
        ) from error
    return Database(engine, durable=durable)


def _address(url: str | URL) -> URL:
    try:
        address = make_url(url)
        backend = address.get_backend_name()
        if backend == "postgresql":
            return address.set(drivername="postgresql+psycopg")
    except (ArgumentError, NoSuchModuleError):
        backend = ""
    if backend != "sqlite":
        raise RequestError(
            f"Got database '{str(url).split('@')[-1]}'; expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME."
        )
    return address


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # `_begin_sqlite` begins transactions, not the driver; `Durable` syncs commits.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", f"busy_timeout={_BUSY}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that will write must lock now: upgrading a reading one can fail.
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
