"""Rows of a database as the database itself describes them, whichever version its tables have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    DateTime,
    Inspector,
    MetaData,
    Table,
    event,
    func,
    inspect,
    select,
    text,
    true,
)

from linnet.annotate.store.columns import Moment

__all__ = ["insert_rows", "last_id", "read_rows", "reflected", "set_last_id"]

_BATCH = 500


def reflected(connection: Connection) -> dict[str, Table]:
    """All tables by name, each after the tables that it refers to."""
    metadata = MetaData()

    @event.listens_for(metadata, "column_reflect")
    def portable(inspector: Inspector, table: Table, column: Any) -> None:
        """Types that read and write the same values on SQLite and PostgreSQL."""
        if isinstance(column["type"], JSON):
            column["type"] = JSON(none_as_null=True)
        elif isinstance(column["type"], DateTime):
            column["type"] = Moment()

    metadata.reflect(connection)
    return {table.name: table for table in metadata.sorted_tables}


def read_rows(
    connection: Connection,
    table: Table,
    *,
    where: ColumnElement[bool] | None = None,
    columns: Collection[str] = (),
) -> Iterator[dict[str, Any]]:
    """Rows of a table by its key, times as text. where: only these; columns: only of these, () for all."""
    query = select(*(table.columns[name] for name in columns or table.columns.keys()))
    query = query.where(true() if where is None else where).order_by(*table.primary_key)
    for row in connection.execution_options(yield_per=_BATCH).execute(query).mappings():
        yield {
            name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()
        }


def insert_rows(
    connection: Connection, table: Table, rows: Iterable[dict[str, Any]], *, numbered: bool = False
) -> None:
    """Insert rows as `read_rows` gives them. numbered: with new ids. Raises ValueError for rows that do not have the table's columns."""
    names = {column.name for column in table.columns}
    moments = [column.name for column in table.columns if isinstance(column.type, Moment)]
    rows = iter(rows)
    while batch := list(islice(rows, _BATCH)):
        values = []
        for row in batch:
            if row.keys() != names:
                raise ValueError(f"{table.name}: expected the columns {', '.join(sorted(names))}")
            times = {name: datetime.fromisoformat(row[name]) for name in moments if row[name] is not None}
            values.append({**row, **times})
            if numbered:
                values[-1].pop("id", None)
        connection.execute(table.insert(), values)


def last_id(connection: Connection, table: Table) -> int:
    """The largest id that the table has given out, also to rows that are gone; 0 if none, or without counted ids."""
    if connection.dialect.name == "sqlite":
        if not inspect(connection).has_table("sqlite_sequence"):
            return 0
        query = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
        return connection.scalar(query, {"name": table.name}) or 0
    if (sequence := _sequence(connection, table)) is None:
        return 0
    value, is_called = connection.execute(text(f"SELECT last_value, is_called FROM {sequence}")).one()
    return int(value) if is_called else 0


def set_last_id(connection: Connection, table: Table, last: int) -> None:
    """Give out only ids above `last` and above those of all rows."""
    if "id" not in table.columns:
        return
    last = max(last, connection.scalar(select(func.max(table.columns["id"]))) or 0)
    if not last:
        return
    if connection.dialect.name != "sqlite":
        if (sequence := _sequence(connection, table)) is not None:
            connection.execute(text("SELECT setval(:sequence, :last)"), {"sequence": sequence, "last": last})
    elif inspect(connection).has_table("sqlite_sequence"):
        connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": table.name})
        counted = text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)")
        connection.execute(counted, {"name": table.name, "last": last})


def _sequence(connection: Connection, table: Table) -> str | None:
    """Name of the sequence of a PostgreSQL table's ids, None without one."""
    if "id" not in table.columns:
        return None
    query = text("SELECT pg_get_serial_sequence(:name, 'id')")
    name: str | None = connection.scalar(query, {"name": table.name})
    return name
