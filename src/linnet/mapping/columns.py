"""What lists need of a mapping's rows, as columns in memory: SQLite takes half a second to sort and skip 100,000 rows, arrays some
milliseconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.arrays import Ints, Mask
from linnet.errors import RequestError
from linnet.mapping.decisions import Status
from linnet.mapping.store import Store

__all__ = ["RowColumns"]

_STATUSES = list(Status)


class RowColumns:
    """Arrays with an element for each row, in the order of their numbers; `current` brings them up to date.

    number, frequency, probability (NaN: none), here            of the row; whether the newest table has it
    status (place in `Status`), who, second, returned,
    disagrees, has_targets                                      what the log comes to
    entry                                                       newest entry of the log about the row, 0 for none
    texts                                                       strings
    newest                                                      newest entry of all
    orders                                                      places of the rows in some order, until they are read again
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stamp = -1
        self._searched: list[str] | None = None
        self.texts: list[str] = []
        self.orders: dict[str, Ints] = {}
        self.newest = 0

    def current(self) -> RowColumns:
        """Itself, as the file is now: read again if another process has changed it, and what was decided here since the last call."""
        stamp = self._store.tables.stamp()
        if stamp != self._stamp:
            self._read()
            self._stamp = stamp
        changed = list(self._store.decided_since(self.newest).items())
        for start in range(0, len(changed), 500):
            part = changed[start : start + 500]
            self._take_states(self._store.states([row for row, _ in part]))
            for row, entry in part:
                self.entry[self.place(row)] = entry
                self.newest = max(self.newest, entry)
        return self

    def place(self, number: int) -> int:
        """Of a row in the arrays. Raises RequestError for an unknown number."""
        place = int(np.searchsorted(self.number, number))
        if place == len(self.number) or self.number[place] != number:
            raise RequestError(f"There is no row {number}.")
        return place

    def has(self, status: Status) -> Mask:
        """Rows with a status."""
        found: Mask = self.status == _STATUSES.index(status)
        return found

    def holds(self, text: str) -> Mask:
        """Rows whose string or one of whose codes contains a text, in any letter case."""
        if self._searched is None:
            codes: dict[int, list[str]] = {}
            for row, code in self._store.tables.select("SELECT row, code FROM codes"):
                codes.setdefault(row, []).append(code)
            numbers = self.number.tolist()
            self._searched = [
                "\n".join([text, *codes.get(number, ())]).casefold()
                for number, text in zip(numbers, self.texts, strict=True)
            ]
        wanted = text.casefold()
        return np.fromiter((wanted in each for each in self._searched), bool, len(self._searched))

    def _read(self) -> None:
        rows = self._store.tables.select(
            "SELECT number, frequency, probability, text FROM rows ORDER BY number"
        )
        size = len(rows)
        self.number = np.fromiter((row[0] for row in rows), np.int64, size)
        self.frequency = np.fromiter((row[1] for row in rows), np.int64, size)
        self.probability = np.array([row[2] for row in rows], np.float64)
        self.texts = [row[3] for row in rows]
        coded = self._store.tables.select("SELECT DISTINCT row FROM codes")
        self.here = np.isin(self.number, np.array([row for (row,) in coded], np.int64))
        self._searched, self.orders = None, {}
        self.status = np.zeros(size, np.int8)
        self.who, self.second = np.full(size, "", object), np.full(size, "", object)
        self.returned, self.disagrees, self.has_targets = (np.zeros(size, bool) for _ in range(3))
        self.entry = np.zeros(size, np.int64)
        self._take_states(self._store.states())
        for row, entry in self._store.decided_since(0).items():
            self.entry[self.place(row)] = entry
        self.newest = int(self.entry.max(initial=0))

    def _take_states(self, states: list[tuple[Any, ...]]) -> None:
        if not states:
            return
        row, status, who, second, returned, disagrees, has_targets = zip(*states, strict=True)
        places = np.searchsorted(self.number, np.array(row, np.int64))
        self.status[places] = [_STATUSES.index(Status(str(each))) for each in status]
        self.who[places], self.second[places] = np.array(who, object), np.array(second, object)
        self.returned[places], self.disagrees[places] = list(map(bool, returned)), list(map(bool, disagrees))
        self.has_targets[places] = list(map(bool, has_targets))
