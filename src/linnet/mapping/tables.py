"""How a store reaches its tables: those of a file, or those that the mappings of a server share.

The statements of a store are the same for both. What it selects, it selects by the plain names of the tables; what it writes goes through
the four methods that make their statements here, with the columns that tell whose rows they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

__all__ = ["COLUMNS", "Tables"]

COLUMNS = {
    "settings": "name value",
    "versions": "version at described",
    "rows": "number text context frequency probability",
    "states": "row status who second returned disagrees has_targets",
    "codes": "row code frequency",
    "proposals": "row version link",
    "log": "entry row event status targets equivalence who at comment choice version",
}
"""The columns of each table; its key is the first one, of codes the first two."""


class Tables(ABC):
    """The tables of one mapping.

    place   names it in messages
    prefix  of the tables' names when they are written
    scope   columns that each written row has, with their values
    only    whose decisions alone are selected, beside those that everybody sees; "" for all. Inside `changing` all are
    """

    place: str
    prefix = ""
    scope: Mapping[str, int] = {}
    only = ""

    @abstractmethod
    def changing(self) -> AbstractContextManager[None]:
        """A transaction that no other one changes the mapping beside: all of the block, or nothing."""

    @abstractmethod
    def select(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query finds. Its parameters are question marks."""

    @abstractmethod
    def stamp(self) -> int:
        """Another number once another process has changed anything but the log and the states."""

    @abstractmethod
    def close(self) -> None:
        """Let go of them; nothing is lost without it."""

    @abstractmethod
    def _write(self, table: str, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each row of parameters, which are question marks; inside `changing`."""

    def insert(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Add rows with these columns."""
        self._put(table, columns.split(), rows, "")

    def put(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Add rows with all columns, in place of those with the same key."""
        key, *others = COLUMNS[table].split()
        changed = ", ".join(f"{name} = excluded.{name}" for name in others)
        target = ", ".join([*self.scope, key])
        self._put(table, [key, *others], rows, f" ON CONFLICT ({target}) DO UPDATE SET {changed}")

    def change(self, table: str, column: str, rows: Iterable[tuple[Any, Any]]) -> None:
        """Set a column of rows: pairs of the value and the key."""
        key = COLUMNS[table].split()[0]
        self._many(table, f"UPDATE {self.prefix}{table} SET {column} = ? WHERE {self._mine()}{key} = ?", rows)

    def remove(self, table: str, numbers: Iterable[int]) -> None:
        """Remove what belongs to rows of the mapping."""
        statement = f"DELETE FROM {self.prefix}{table} WHERE {self._mine()}row = ?"
        self._many(table, statement, ((number,) for number in numbers))

    def _put(self, table: str, columns: list[str], rows: Iterable[Sequence[Any]], then: str) -> None:
        names = ", ".join([*self.scope, *columns])
        values = ", ".join([*map(str, self.scope.values()), *("?" for _ in columns)])
        self._many(table, f"INSERT INTO {self.prefix}{table} ({names}) VALUES ({values}){then}", rows)

    def _many(self, table: str, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        if rows := list(rows):
            self._write(table, statement, rows)

    def _mine(self) -> str:
        return "".join(f"{name} = {value} AND " for name, value in self.scope.items())
