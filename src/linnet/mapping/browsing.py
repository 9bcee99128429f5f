"""Rows in lists: sorted, filtered, a page at a time, from columns that are kept in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from linnet.arrays import Ints, Mask
from linnet.mapping.columns import RowColumns
from linnet.mapping.decisions import Status
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Row

__all__ = [
    "DISPUTED",
    "MAPPED",
    "NO_CONCEPT",
    "ONE_PERSON",
    "RETURNED",
    "Filter",
    "Listing",
    "Order",
    "Outcome",
    "Page",
    "Progress",
]

MAPPED, NO_CONCEPT, RETURNED, DISPUTED = "mapped", "no concept", "returned", "disputed"
ONE_PERSON = "by one person"
"""Where two are asked for."""


class Order(StrEnum):
    """What comes first."""

    URGENCY = "urgency"
    """Many records and little certainty: the frequency times how probably the proposal is wrong."""
    FREQUENCY = "frequency"
    DOUBT = "doubt"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which rows to list; what is None, "" or False restricts nothing.

    status     rows with it; returned and disputed ones are there under "unchecked" and the status of the last decision
    attention  only rows that were returned or are disputed
    undecided  only rows that nobody has decided, now or before a new release returned them
    by         decided by this person, first or second
    text       part of the string or of a code, in any letter case
    above      only proposals that are at least so probable
    numbers    only these rows
    gone       also rows that the newest table no longer has
    since      an entry of the log: rows decided after it are listed whatever their status, attention and person, so that a list
               which somebody works through keeps its places
    """

    status: Status | None = None
    attention: bool = False
    undecided: bool = False
    by: str = ""
    text: str = ""
    above: float | None = None
    numbers: Sequence[int] | None = None
    gone: bool = False
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list, and how many it has, with their records.

    next   place in the list of the first row from `offset` on that is still to be decided; None: there is none
    entry  the newest entry of the log, for `Filter.since`
    """

    rows: list[Row]
    total: int
    records: int
    next: int | None
    entry: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Strings and records in all, by status, and of those that are mapped to a concept."""

    strings: dict[str, int]
    records: dict[str, int]
    mapped: tuple[int, int]


class Outcome(NamedTuple):
    """Rows that have come to the same, by number, and their records."""

    numbers: list[int]
    records: int


class Listing:
    """Lists of a mapping's rows; it sees what other processes decide. For one thread at a time."""

    def __init__(self, mapping: Folder) -> None:
        self._mapping = mapping
        self._columns = RowColumns(mapping.store)
        self._four_eyes = bool(mapping.settings.get("four_eyes"))

    def page(
        self,
        *,
        order: Order = Order.URGENCY,
        filter: Filter | None = None,
        offset: int = 0,
        limit: int = 50,
        reviewer: str = "",
    ) -> Page:
        """Rows in an order, the first ones from `offset`. reviewer: `Page.next` is to be decided by them, who may be the second."""
        columns = self._columns.current()
        listed = self._mask(columns, filter or Filter())
        places = self._order(columns, order)
        places = places[listed[places]]
        shown = columns.number[places[offset : offset + limit]].tolist()
        rows = {row.number: row for row in self._mapping.store.rows(shown)} if shown else {}
        settled = self._done(columns)
        if self._four_eyes and reviewer:
            settled |= (columns.who == reviewer) & ~columns.has(Status.UNCHECKED) & ~columns.disagrees
        to_do = np.flatnonzero(~settled[places[offset:]])
        return Page(
            [rows[number] for number in shown],
            len(places),
            int(columns.frequency[listed].sum()),
            offset + int(to_do[0]) if len(to_do) else None,
            columns.newest,
        )

    def numbers(self, filter: Filter) -> list[int]:
        """Of all rows that it lists, rising."""
        columns = self._columns.current()
        found: list[int] = columns.number[self._mask(columns, filter)].tolist()
        return found

    def entries(self, numbers: Sequence[int]) -> list[int]:
        """For each of these rows, the newest entry of the log about it, 0 for none."""
        columns = self._columns.current()
        return [int(columns.entry[columns.place(number)]) for number in numbers]

    def reviewers(self) -> list[str]:
        """Who has decided what counts, by name."""
        columns = self._columns.current()
        return sorted({*columns.who.tolist(), *columns.second.tolist()} - {""})

    def progress(self) -> Progress:
        """How far the strings of the newest table are."""
        columns = self._columns.current()
        here = columns.here
        strings: dict[str, int] = {}
        records: dict[str, int] = {}
        for status in Status:
            chosen = here & columns.has(status)
            if chosen.any():
                strings[status] = int(chosen.sum())
                records[status] = int(columns.frequency[chosen].sum())
        mapped = self.outcomes().get(MAPPED, Outcome([], 0))
        return Progress(strings, records, (len(mapped.numbers), mapped.records))

    def outcomes(self) -> dict[str, Outcome]:
        """The strings of the newest table by what became of them; each is in one, and there are no empty ones."""
        columns = self._columns.current()
        done, open = self._done(columns), columns.returned | columns.disagrees
        approved = columns.has(Status.APPROVED) & ~open
        masks: dict[str, Mask] = {
            RETURNED: columns.returned,
            DISPUTED: columns.disagrees & ~columns.returned,
            ONE_PERSON: approved & ~done,
            MAPPED: approved & done & columns.has_targets,
            NO_CONCEPT: approved & done & ~columns.has_targets,
            **{status: columns.has(status) & ~open for status in Status if status is not Status.APPROVED},
        }
        return {
            what: Outcome(columns.number[mask].tolist(), int(columns.frequency[mask].sum()))
            for what, mask in ((what, mask & columns.here) for what, mask in masks.items())
            if mask.any()
        }

    def _done(self, columns: RowColumns) -> Mask:
        """Rows that nobody has to look at again, as `Folder.is_done`."""
        decided = ~columns.has(Status.UNCHECKED) & ~columns.disagrees
        return decided & (columns.second != "") if self._four_eyes else decided

    def _mask(self, columns: RowColumns, filter: Filter) -> Mask:
        fits = np.ones(len(columns.number), bool)
        if filter.status is not None:
            fits &= columns.has(filter.status)
        if filter.attention:
            fits &= columns.returned | columns.disagrees
        if filter.undecided:
            fits &= columns.has(Status.UNCHECKED) & ~columns.returned
        if filter.by:
            fits &= (columns.who == filter.by) | (columns.second == filter.by)
        if filter.since is not None:
            fits |= columns.entry > filter.since
        if not filter.gone:
            fits &= columns.here
        if filter.above is not None:
            fits &= columns.probability >= filter.above
        if filter.numbers is not None:
            fits &= np.isin(columns.number, np.asarray(filter.numbers, np.int64))
        return fits & columns.holds(filter.text) if filter.text else fits

    def _order(self, columns: RowColumns, order: Order) -> Ints:
        """Places of all rows; ties go to the lower number."""
        if order not in columns.orders:
            columns.orders[order] = _sorted(columns, order)
        return columns.orders[order]


def _sorted(columns: RowColumns, order: Order) -> Ints:
    certain = np.nan_to_num(columns.probability, nan=0.0)
    if order is Order.URGENCY:
        return np.argsort(-columns.frequency * (1 - certain), kind="stable")
    if order is Order.FREQUENCY:
        return np.argsort(-columns.frequency, kind="stable")
    if order is Order.DOUBT:
        return np.argsort(certain, kind="stable")
    if order is Order.TEXT:
        return np.array(sorted(range(len(columns.texts)), key=columns.texts.__getitem__), np.int64)
    return np.arange(len(columns.number))
