"""The tables of a mapping, and a connection to them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from linnet.errors import StoreError

__all__ = ["STATEMENTS", "connected"]

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
STATEMENTS = _TABLES.replace(";\nCREATE", ";\0CREATE").split("\0")
"""Make the tables; one by one, so that they are part of a transaction."""


def connected(path: Path) -> sqlite3.Connection:
    """What is committed is on the disk. Raises StoreError."""
    try:
        connection = sqlite3.connect(path, timeout=_BUSY, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path} cannot be opened: {error}.") from None
    return connection
