"""The tables of a mapping in an SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from linnet.errors import StoreError
from linnet.mapping.tables import Tables

__all__ = ["FileTables"]

_BUSY = 30.0  # seconds to wait for another process
_TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE versions (version INTEGER PRIMARY KEY, at TEXT NOT NULL, described TEXT NOT NULL UNIQUE);
CREATE TABLE rows (
    number INTEGER PRIMARY KEY, text TEXT NOT NULL, context TEXT NOT NULL, frequency INTEGER NOT NULL, probability REAL,
    UNIQUE (text, context)
);
CREATE TABLE states (
    row INTEGER PRIMARY KEY REFERENCES rows, status TEXT NOT NULL, who TEXT NOT NULL, second TEXT NOT NULL, returned TEXT NOT NULL,
    disagrees INTEGER NOT NULL, has_targets INTEGER NOT NULL
);
CREATE TABLE codes (
    row INTEGER NOT NULL REFERENCES rows, code TEXT NOT NULL, frequency INTEGER NOT NULL, PRIMARY KEY (row, code)
) WITHOUT ROWID;
CREATE INDEX code_rows ON codes (code);
CREATE TABLE proposals (
    row INTEGER PRIMARY KEY REFERENCES rows, version INTEGER NOT NULL REFERENCES versions, link TEXT NOT NULL
);
CREATE TABLE log (
    entry INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL REFERENCES rows, event TEXT NOT NULL, status TEXT NOT NULL,
    targets TEXT NOT NULL, equivalence TEXT, who TEXT NOT NULL, at TEXT NOT NULL, comment TEXT NOT NULL,
    choice INTEGER NOT NULL, version INTEGER NOT NULL
);
CREATE INDEX log_rows ON log (row, entry);
CREATE TRIGGER log_kept BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
CREATE TRIGGER log_unchanged BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
"""


class FileTables(Tables):
    """Tables of an SQLite file; what is committed is on the disk. Several processes may read while one writes."""

    def __init__(self, path: Path) -> None:
        """Raises StoreError for a file that cannot be opened."""
        self.path, self.place = path, str(path.parent)
        try:
            self.connection = sqlite3.connect(
                path, timeout=_BUSY, isolation_level=None, check_same_thread=False
            )
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                self.connection.execute(f"PRAGMA {pragma}")
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path} cannot be opened: {error}.") from None

    def create(self) -> None:
        """Make the tables; inside `changing`."""
        for statement in _TABLES.replace(";\nCREATE", ";\0CREATE").split("\0"):
            self.connection.execute(statement)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A transaction. Raises StoreError where the disk refuses."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.connection.rollback()
                raise
            self.connection.commit()
        except sqlite3.OperationalError as error:
            raise StoreError(f"{self.path} cannot be written: {error}. Nothing was changed.") from error

    def select(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query finds."""
        return self.connection.execute(query, parameters).fetchall()

    def stamp(self) -> int:
        """See `Tables.stamp`."""
        [[stamp]] = self.select("PRAGMA data_version")
        return int(stamp)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def _write(self, table: str, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        self.connection.executemany(statement, rows)
