"""The tables of one hosted mapping, as `linnet.mapping.store.Store` uses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from linnet.annotate.refusals import Invalid, NotFound
from linnet.annotate.store.columns import unstorable
from linnet.annotate.store.database import Database
from linnet.annotate.store.tables import Mapping
from linnet.mapping.tables import COLUMNS, Tables

__all__ = ["HostedTables"]

_OF_ALL = "('returned', 'settled', 'imported')"
"""Entries of the log that everybody sees."""


class HostedTables(Tables):
    """The rows that a project has in the tables of all mappings. For one thread at a time.

    Queries see them under the plain names of the tables: a WITH clause goes before each, which both databases fold into the query.
    Whoever changes them locks the mapping, so that entries of its log are committed in their order.
    """

    prefix = "mapping_"

    def __init__(self, database: Database, project: int, *, name: str = "", only: str = "") -> None:
        self.place, self.only = name or f"project {project}", only
        self.scope = {"project_id": project}
        self._database, self._project = database, project
        self._session: Session | None = None
        self._changed = False
        self._views = ", ".join(f"{table} AS ({self._view(table)})" for table in COLUMNS if table != "log")

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A transaction. Raises NotFound if the project or its mapping is gone."""
        with self._database.write() as session:
            mine = select(Mapping).where(Mapping.project_id == self._project)
            if session.scalar(mine.with_for_update()) is None:
                raise NotFound(f"{self.place} has no mapping. It may have been removed.")
            self._session, self._changed = session, False
            try:
                yield
            finally:
                self._session = None
            if self._changed:
                session.execute(
                    update(Mapping)
                    .where(Mapping.project_id == self._project)
                    .values(revision=Mapping.revision + 1)
                )

    def select(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query finds."""
        hidden = bool(self.only) and self._session is None
        seen = f" AND (who = ? OR event IN {_OF_ALL})" if hidden else ""
        statement = f"WITH {self._views}, log AS ({self._view('log')}{seen}) {query}"
        values = (*([self.only] if hidden else []), *parameters)
        if self._session is not None:
            return self._found(self._session, statement, values)
        with self._database.read() as session:
            return self._found(session, statement, values)

    def stamp(self) -> int:
        """See `Tables.stamp`."""
        with self._database.read() as session:
            return session.scalar(select(Mapping.revision).where(Mapping.project_id == self._project)) or 0

    def close(self) -> None:
        """Nothing is open between requests."""

    def _view(self, table: str) -> str:
        columns = ", ".join("id AS entry" if name == "entry" else name for name in COLUMNS[table].split())
        return f"SELECT {columns} FROM {self.prefix}{table} WHERE project_id = {self._project}"

    def _found(self, session: Session, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        connection = session.connection()
        return [tuple(row) for row in connection.exec_driver_sql(self._dialect(statement), values or None)]

    def _write(self, table: str, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        assert self._session is not None, "inside `changing`"
        for text in (value for row in rows for value in row if isinstance(value, str)):
            if character := unstorable(text):
                raise Invalid(
                    f"'{text[:50]}' contains {character}, which the database cannot hold. Remove it."
                )
        self._session.connection().exec_driver_sql(self._dialect(statement), [tuple(row) for row in rows])
        self._changed |= table not in ("log", "states")

    def _dialect(self, statement: str) -> str:
        is_sqlite = self._database.engine.dialect.name == "sqlite"
        return statement if is_sqlite else statement.replace("?", "%s")
