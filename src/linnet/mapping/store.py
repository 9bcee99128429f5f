"""A mapping on disk: one SQLite file. The log of decisions is only appended to; `states` is what it comes to, for lists.

Every change is one transaction that is on the disk when the call returns. Several processes may read while one writes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from linnet.errors import DamagedError, StoreError
from linnet.mapping.decisions import Decision, Equivalence, Event, State, Status, Target, state_of
from linnet.mapping.rows import Code, Proposal, Row
from linnet.mapping.schema import STATEMENTS, connected
from linnet.mapping.source_table import Strings

__all__ = ["FILE", "FORMAT", "Store"]

FILE = "mapping.sqlite"
FORMAT = 1
_PARAMETERS = 500
_FIELDS = ("row", "event", "status", "targets", "equivalence", "by", "at", "comment", "choice", "version")
_LOG = ", ".join("who" if name == "by" else name for name in _FIELDS)  # `by` is a word of SQL


class Store:
    """An open file. Methods that change it raise StoreError where the disk refuses."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection

    @classmethod
    def create(cls, path: Path) -> Store:
        """An empty file. Raises StoreError if it cannot be written."""
        store = cls(path, connected(path))
        with store.changing():
            for statement in STATEMENTS:
                store._connection.execute(statement)
            store.put_setting("format", FORMAT)
        return store

    @classmethod
    def open(cls, path: Path) -> Store:
        """Raises DamagedError for a file that is no mapping, StoreError for one that a later linnet wrote."""
        store = cls(path, connected(path))
        try:
            format = store.setting("format")
        except (sqlite3.DatabaseError, KeyError) as error:
            store.close()
            raise DamagedError(f"{path} is damaged: {error}. Restore it from a copy.") from None
        if format > FORMAT:
            store.close()
            raise StoreError(
                f"{path} was written by a later linnet (format {format}; this one reads {FORMAT}). Update linnet."
            )
        return store

    def close(self) -> None:
        """Close the file; nothing is lost without it."""
        self._connection.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A transaction: all of the block, or nothing."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.rollback()
                raise
            self._connection.commit()
        except sqlite3.OperationalError as error:
            raise StoreError(f"{self.path} cannot be written: {error}. Nothing was changed.") from error

    # ── settings and versions ────────────────────────────────────────────────────────────────────────────

    def setting(self, name: str, default: Any = None) -> Any:
        """A setting, ready for JSON. Raises KeyError if there is neither it nor a default."""
        found = self._connection.execute("SELECT value FROM settings WHERE name = ?", [name]).fetchone()
        if found is None and default is None:
            raise KeyError(f"no setting '{name}'")
        return default if found is None else json.loads(found[0])

    def put_setting(self, name: str, value: Any) -> None:
        """Set it, inside `changing`."""
        self._connection.execute("REPLACE INTO settings VALUES (?, ?)", [name, _json(value)])

    def version(self, described: Mapping[str, Any], at: str) -> int:
        """The number of a version of terminology and models, new if it is; inside `changing`."""
        text = json.dumps(described, sort_keys=True, ensure_ascii=False)
        self._connection.execute("INSERT OR IGNORE INTO versions (at, described) VALUES (?, ?)", [at, text])
        [[version]] = self._connection.execute("SELECT version FROM versions WHERE described = ?", [text])
        return int(version)

    def versions(self) -> dict[int, dict[str, Any]]:
        """Number → what it was, with `at`, when it was first used."""
        found = self._connection.execute("SELECT version, at, described FROM versions ORDER BY version")
        return {version: {"at": at, **json.loads(described)} for version, at, described in found}

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────

    def put_rows(self, strings: Mapping[Strings, Mapping[str, int]]) -> list[int]:
        """Add rows, or replace the codes and frequencies of those that are there; inside `changing`. The numbers of new rows."""
        new = []
        for (text, context), codes in strings.items():
            frequency = sum(codes.values())
            key = [text, _json(context)]
            found = self._connection.execute(
                "SELECT number FROM rows WHERE text = ? AND context = ?", key
            ).fetchone()
            if found is None:
                cursor = self._connection.execute(
                    "INSERT INTO rows (text, context, frequency) VALUES (?, ?, ?)", [*key, frequency]
                )
                number = int(cursor.lastrowid or 0)
                new.append(number)
                self._connection.execute(
                    "INSERT INTO states VALUES (?, ?, ?, ?, ?, ?, ?)", [number, *_listed(State())]
                )
            else:
                [number] = found
                self._connection.execute(
                    "UPDATE rows SET frequency = ? WHERE number = ?", [frequency, number]
                )
                self._connection.execute("DELETE FROM codes WHERE row = ?", [number])
            self._connection.executemany(
                "INSERT INTO codes VALUES (?, ?, ?)", [(number, code, count) for code, count in codes.items()]
            )
        return new

    def retire_rows(self, kept: Iterable[Strings]) -> int:
        """Take the codes and frequencies from all rows but these; inside `changing`. How many had codes."""
        known = {(text, _json(context)) for text, context in kept}
        found = self._connection.execute(
            "SELECT number, text, context FROM rows WHERE EXISTS (SELECT 1 FROM codes WHERE row = number)"
        ).fetchall()
        gone = [(number,) for number, text, context in found if (text, context) not in known]
        self._connection.executemany("DELETE FROM codes WHERE row = ?", gone)
        self._connection.executemany("UPDATE rows SET frequency = 0 WHERE number = ?", gone)
        return len(gone)

    def __len__(self) -> int:
        [[count]] = self._connection.execute("SELECT count(*) FROM rows")
        return int(count)

    def rows(self, numbers: Sequence[int] | None = None) -> Iterator[Row]:
        """The rows with these numbers, or all, in the order of their numbers."""
        if numbers is None:
            yield from self._rows("")
        else:
            for start in range(0, len(numbers), _PARAMETERS):
                part = sorted(numbers)[start : start + _PARAMETERS]
                yield from self._rows(f"WHERE {{}} IN ({', '.join(map(str, map(int, part)))})")

    def _rows(self, where: str) -> Iterator[Row]:
        codes = _by_row(
            self._connection.execute(f"SELECT * FROM codes {where.format('row')} ORDER BY row, code")
        )
        log = _by_row(
            self._connection.execute(f"SELECT {_LOG} FROM log {where.format('row')} ORDER BY row, entry")
        )
        for number, text, context, frequency, link, version in self._connection.execute(
            "SELECT number, text, context, frequency, link, version FROM rows LEFT JOIN proposals ON row = number "
            f"{where.format('number')} ORDER BY number"
        ):
            yield Row(
                number=number,
                text=text,
                context=tuple(json.loads(context)),
                frequency=frequency,
                codes=tuple(Code(code, count) for _, code, count in codes(number)),
                proposal=None if link is None else Proposal.of(json.loads(link), version=version),
                state=state_of([_decision(entry) for entry in log(number)]),
            )

    def select(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query of the tables finds."""
        return self._connection.execute(query, parameters).fetchall()

    def numbers_of(self, *, code: str | None = None, text: str | None = None) -> list[int]:
        """The rows with a code of the newest table, or with a text of this or an earlier one."""
        if code is not None:
            found = self._connection.execute("SELECT row FROM codes WHERE code = ? ORDER BY row", [code])
        else:
            found = self._connection.execute("SELECT number FROM rows WHERE text = ? ORDER BY number", [text])
        return [number for (number,) in found]

    # ── proposals ────────────────────────────────────────────────────────────────────────────────────────

    def without_proposal(self, version: int) -> list[tuple[int, str]]:
        """Number and text of the rows that this version has not been asked for."""
        return self._connection.execute(
            "SELECT number, text FROM rows LEFT JOIN proposals ON row = number WHERE version IS NULL OR version != ? ORDER BY number",
            [version],
        ).fetchall()

    def put_proposals(self, version: int, links: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Set what is proposed for rows, as `Link.to_dict`; inside `changing`."""
        links = list(links)
        self._connection.executemany(
            "REPLACE INTO proposals VALUES (?, ?, ?)", ((row, version, _json(link)) for row, link in links)
        )
        self._connection.executemany(
            "UPDATE rows SET probability = ? WHERE number = ?",
            ((link["probability"], row) for row, link in links),
        )

    # ── decisions ────────────────────────────────────────────────────────────────────────────────────────

    def append(self, decisions: Iterable[Decision]) -> None:
        """Append to the log; inside `changing`."""
        decisions = list(decisions)
        places = ", ".join("?" * len(_FIELDS))
        self._connection.executemany(f"INSERT INTO log ({_LOG}) VALUES ({places})", map(_entry, decisions))
        changed = sorted({decision.row for decision in decisions})
        self._connection.executemany(
            "REPLACE INTO states VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((row, *_listed(state_of(self.log(row)))) for row in changed),
        )

    def log(self, row: int | None = None) -> list[Decision]:
        """The entries of a row, or of all, in the order of time."""
        where = "" if row is None else f"WHERE row = {int(row)}"
        return list(
            map(_decision, self._connection.execute(f"SELECT {_LOG} FROM log {where} ORDER BY entry"))
        )


def _by_row(found: Iterable[tuple[Any, ...]]) -> Any:
    """A function of a row's number: the entries of that row; to be called with rising numbers."""
    groups = groupby(found, key=lambda entry: entry[0])
    held: list[Any] = [next(groups, None)]

    def of(number: int) -> list[tuple[Any, ...]]:
        while held[0] is not None and held[0][0] < number:
            held[0] = next(groups, None)
        if held[0] is None or held[0][0] > number:
            return []
        entries = list(held[0][1])
        held[0] = next(groups, None)
        return entries

    return of


def _listed(state: State) -> list[Any]:
    """The columns of `states` behind the row."""
    made = state.decision
    return [
        str(state.status), made.by if made else "", state.second, state.returned, state.disagrees, bool(made and made.targets)
    ]  # fmt: skip


def _entry(decision: Decision) -> list[Any]:
    fields = asdict(decision)
    fields["targets"] = _json([list(target) for target in decision.targets])
    return [fields[name] for name in _FIELDS]


def _decision(entry: Sequence[Any]) -> Decision:
    fields = dict(zip(_FIELDS, entry, strict=True))
    fields["targets"] = tuple(Target(*target) for target in json.loads(fields["targets"]))
    fields["event"], fields["status"] = Event(fields["event"]), Status(fields["status"])
    fields["equivalence"] = fields["equivalence"] and Equivalence(fields["equivalence"])
    return Decision(**fields)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
