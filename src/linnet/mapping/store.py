"""What a mapping keeps. The log of decisions is only appended to; `states` is what it comes to, for lists.

Every change is one transaction that is on the disk when the call returns.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from linnet.errors import DamagedError, StoreError
from linnet.mapping.decisions import Decision, Equivalence, Event, State, Status, Target, state_of
from linnet.mapping.rows import Code, Proposal, Row
from linnet.mapping.schema import FileTables
from linnet.mapping.source_table import Strings
from linnet.mapping.tables import Tables

__all__ = ["FILE", "FORMAT", "Store"]

FILE = "mapping.sqlite"
FORMAT = 1
_TOGETHER = 500  # rows that are read at once
_FIELDS = ("row", "event", "status", "targets", "equivalence", "by", "at", "comment", "choice", "version")
_LOG = ", ".join("who" if name == "by" else name for name in _FIELDS)  # `by` is a word of SQL
_STATES = "row, status, who, second, returned, disagrees, has_targets"


class Store:
    """A mapping's settings, rows, proposals and log, in a file or on a server."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    @classmethod
    def create(cls, path: Path) -> Store:
        """An empty file. Raises StoreError if it cannot be written."""
        tables = FileTables(path)
        store = cls(tables)
        with store.changing():
            tables.create()
            store.put_setting("format", FORMAT)
        return store

    @classmethod
    def open(cls, path: Path) -> Store:
        """Raises DamagedError for a file that is no mapping, StoreError for one that a later linnet wrote."""
        store = cls(FileTables(path))
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
        self.tables.close()

    def changing(self) -> AbstractContextManager[None]:
        """A transaction: all of the block, or nothing. Raises StoreError where the disk refuses."""
        return self.tables.changing()

    # ── settings and versions ────────────────────────────────────────────────────────────────────────────

    def setting(self, name: str, default: Any = None) -> Any:
        """A setting, ready for JSON. Raises KeyError if there is neither it nor a default."""
        found = self.tables.select("SELECT value FROM settings WHERE name = ?", [name])
        if not found and default is None:
            raise KeyError(f"no setting '{name}'")
        return json.loads(found[0][0]) if found else default

    def put_setting(self, name: str, value: Any) -> None:
        """Set it, inside `changing`."""
        self.tables.put("settings", [(name, _json(value))])

    def version(self, described: Mapping[str, Any], at: str) -> int:
        """The number of a version of terminology and models, new if it is; inside `changing`."""
        text = json.dumps(described, sort_keys=True, ensure_ascii=False)
        if found := self.tables.select("SELECT version FROM versions WHERE described = ?", [text]):
            return int(found[0][0])
        version = self._last("version", "versions") + 1
        self.tables.insert("versions", "version at described", [(version, at, text)])
        return version

    def versions(self) -> dict[int, dict[str, Any]]:
        """Number → what it was, with `at`, when it was first used."""
        found = self.tables.select("SELECT version, at, described FROM versions ORDER BY version")
        return {version: {"at": at, **json.loads(described)} for version, at, described in found}

    def _last(self, column: str, table: str) -> int:
        [[last]] = self.tables.select(f"SELECT max({column}) FROM {table}")
        return int(last or 0)

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────

    def put_rows(self, strings: Mapping[Strings, Mapping[str, int]]) -> list[int]:
        """Add rows, or replace the codes and frequencies of those that are there; inside `changing`. The numbers of new rows."""
        known = {
            (text, context): number
            for number, text, context in self.tables.select("SELECT number, text, context FROM rows")
        }
        last = self._last("number", "rows")
        rows: list[tuple[Any, ...]] = []
        new: list[int] = []
        old: list[tuple[int, int]] = []
        codes: list[tuple[int, str, int]] = []
        for (text, context), counts in strings.items():
            frequency, key = sum(counts.values()), (text, _json(context))
            if (number := known.get(key)) is None:
                number = last + len(new) + 1
                rows.append((number, *key, frequency))
                new.append(number)
            else:
                old.append((frequency, number))
            codes += [(number, code, count) for code, count in counts.items()]
        self.tables.insert("rows", "number text context frequency", rows)
        self.tables.put("states", ((number, *_listed(State())) for number in new))
        self.tables.change("rows", "frequency", old)
        self.tables.remove("codes", (number for _, number in old))
        self.tables.insert("codes", "row code frequency", codes)
        return new

    def retire_rows(self, kept: Iterable[Strings]) -> int:
        """Take the codes and frequencies from all rows but these; inside `changing`. How many had codes."""
        known = {(text, _json(context)) for text, context in kept}
        found = self.tables.select(
            "SELECT number, text, context FROM rows WHERE EXISTS (SELECT 1 FROM codes WHERE row = number)"
        )
        gone = [number for number, text, context in found if (text, context) not in known]
        self.tables.remove("codes", gone)
        self.tables.change("rows", "frequency", ((0, number) for number in gone))
        return len(gone)

    def __len__(self) -> int:
        [[count]] = self.tables.select("SELECT count(*) FROM rows")
        return int(count)

    def rows(self, numbers: Sequence[int] | None = None) -> Iterator[Row]:
        """The rows with these numbers, or all, in the order of their numbers."""
        if numbers is None:
            for start in range(1, self._last("number", "rows") + 1, _TOGETHER):
                yield from self._rows(f"BETWEEN {start} AND {start + _TOGETHER - 1}")
        else:
            wanted = sorted(map(int, numbers))
            for start in range(0, len(wanted), _TOGETHER):
                yield from self._rows(f"IN ({', '.join(map(str, wanted[start : start + _TOGETHER]))})")

    def _rows(self, which: str) -> Iterator[Row]:
        codes: defaultdict[int, list[Code]] = defaultdict(list)
        for row, code, count in self.tables.select(
            f"SELECT row, code, frequency FROM codes WHERE row {which} ORDER BY row, code"
        ):
            codes[row].append(Code(code, count))
        log = self._logs(f"WHERE row {which}")
        for number, text, context, frequency, link, version in self.tables.select(
            "SELECT number, text, context, frequency, link, version FROM rows LEFT JOIN proposals ON row = number "
            f"WHERE number {which} ORDER BY number"
        ):
            yield Row(
                number=number,
                text=text,
                context=tuple(json.loads(context)),
                frequency=frequency,
                codes=tuple(codes[number]),
                proposal=None if link is None else Proposal.of(json.loads(link), version=version),
                state=state_of(log[number]),
            )

    def numbers_of(self, *, code: str | None = None, text: str | None = None) -> list[int]:
        """The rows with a code of the newest table, or with a text of this or an earlier one."""
        if code is not None:
            found = self.tables.select("SELECT row FROM codes WHERE code = ?", [code])
        else:
            found = self.tables.select("SELECT number FROM rows WHERE text = ?", [text])
        # Sorted here: else SQLite searches by project instead of code.
        return sorted(number for (number,) in found)

    # ── proposals ────────────────────────────────────────────────────────────────────────────────────────

    def without_proposal(self, version: int) -> list[tuple[Any, ...]]:
        """Number and text of the rows that this version has not been asked for."""
        return self.tables.select(
            "SELECT number, text FROM rows LEFT JOIN proposals ON row = number WHERE version IS NULL OR version != ? ORDER BY number",
            [version],
        )

    def put_proposals(self, version: int, links: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Set what is proposed for rows, as `Link.to_dict`; inside `changing`."""
        links = list(links)
        self.tables.put("proposals", ((row, version, _json(link)) for row, link in links))
        self.tables.change("rows", "probability", ((link["probability"], row) for row, link in links))

    # ── decisions ────────────────────────────────────────────────────────────────────────────────────────

    def append(self, decisions: Iterable[Decision]) -> None:
        """Append to the log; inside `changing`."""
        decisions = list(decisions)
        self.tables.insert("log", _LOG.replace(",", ""), map(_entry, decisions))
        changed = sorted({decision.row for decision in decisions})
        self.tables.put("states", ((row, *_listed(state_of(self.log(row)))) for row in changed))

    def log(self, row: int | None = None) -> list[Decision]:
        """The entries of a row, or of all, in the order of time."""
        where = "" if row is None else f"WHERE row = {int(row)}"
        return list(map(_decision, self.tables.select(f"SELECT {_LOG} FROM log {where} ORDER BY entry")))

    def decided_since(self, entry: int) -> dict[int, int]:
        """The rows with an entry of the log after this one, each with its newest."""
        query = "SELECT row, max(entry) FROM log WHERE entry > ? GROUP BY row ORDER BY row"
        return dict(self.tables.select(query, [entry]))

    def newest(self) -> int:
        """The newest entry of the log, 0 for none."""
        return self._last("entry", "log")

    def states(self, rows: Sequence[int] | None = None) -> list[tuple[Any, ...]]:
        """What the log comes to, of rows or of all: number, status, who, second, why it is returned, whether it is disputed, and
        whether it has targets."""
        where = "" if rows is None else f"WHERE row IN ({', '.join(map(str, map(int, rows)))})"
        if not self.tables.only:
            return self.tables.select(f"SELECT {_STATES} FROM states {where} ORDER BY row")
        log = self._logs(where)
        return [(row, *_listed(state_of(log[row]))) for row in log]

    def _logs(self, where: str) -> defaultdict[int, list[Decision]]:
        log: defaultdict[int, list[Decision]] = defaultdict(list)
        for entry in self.tables.select(f"SELECT {_LOG} FROM log {where} ORDER BY entry"):
            log[entry[0]].append(_decision(entry))
        return log


def _listed(state: State) -> list[Any]:
    """The columns of `states` behind the row."""
    made = state.decision
    by, has_targets = (made.by, int(bool(made.targets))) if made else ("", 0)
    return [str(state.status), by, state.second, state.returned, int(state.disagrees), has_targets]


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
