"""Rows in lists: sorted, filtered, a page at a time, from the indexes of the store."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from linnet.mapping.decisions import Status
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Row

__all__ = ["Filter", "Order", "Page", "Progress", "page", "progress"]


class Order(StrEnum):
    """What comes first."""

    URGENCY = "urgency"
    """Many records and little certainty: the frequency times how probably the proposal is wrong."""
    FREQUENCY = "frequency"
    DOUBT = "doubt"
    NUMBER = "number"
    TEXT = "text"


_ORDERS = {
    Order.URGENCY: "urgency DESC, number",
    Order.FREQUENCY: "frequency DESC, number",
    Order.DOUBT: "probability, number",
    Order.NUMBER: "number",
    Order.TEXT: "text, number",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which rows to list; what is None, "" or False restricts nothing.

    status     rows with it; returned and disputed ones are there under "unchecked" and the status of the last decision
    attention  only rows that were returned or are disputed
    by         decided by this person, first or second
    text       part of the string or of a code, in any letter case
    above      only proposals that are at least so probable
    gone       also rows that the newest table no longer has
    """

    status: Status | None = None
    attention: bool = False
    by: str = ""
    text: str = ""
    above: float | None = None
    gone: bool = False

    def where(self) -> tuple[str, list[Any]]:
        """A condition of SQL, and its parameters."""
        terms, values = ["1" if self.gone else "frequency > 0"], list[Any]()
        if self.status is not None:
            terms.append("status = ?")
            values.append(str(self.status))
        if self.attention:
            terms.append("attention")
        if self.by:
            terms.append("(who = ? OR second = ?)")
            values += [self.by, self.by]
        if self.text:
            like = "%" + self.text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            terms.append(
                "(text LIKE ? ESCAPE '\\' OR number IN (SELECT row FROM codes WHERE code LIKE ? ESCAPE '\\'))"
            )
            values += [like, like]
        if self.above is not None:
            terms.append("probability >= ?")
            values.append(self.above)
        return " AND ".join(terms), values


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list, and how many it has, with their records."""

    rows: list[Row]
    total: int
    records: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Strings and records in all, by status, and of those that are mapped to a concept."""

    strings: dict[str, int]
    records: dict[str, int]
    mapped: tuple[int, int]


def page(
    mapping: Folder,
    *,
    order: Order = Order.URGENCY,
    filter: Filter | None = None,
    offset: int = 0,
    limit: int = 50,
) -> Page:
    """Rows in an order, the first ones from `offset`."""
    where, values = (filter or Filter()).where()
    source = f"rows WHERE {where}"
    [[total, records]] = mapping.store.select(
        f"SELECT count(*), coalesce(sum(frequency), 0) FROM {source}", values
    )
    found = mapping.store.select(
        f"SELECT number FROM {source} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?", [*values, limit, offset]
    )
    numbers = [number for (number,) in found]
    rows = {row.number: row for row in mapping.store.rows(numbers)} if numbers else {}
    return Page([rows[number] for number in numbers], total, records)


def progress(mapping: Folder) -> Progress:
    """How far the strings of the newest table are."""
    strings: dict[str, int] = {}
    records: dict[str, int] = {}
    mapped = [0, 0]
    counted = mapping.store.select(
        "SELECT status, mapped AND (second != '' OR NOT ?), count(*), sum(frequency) FROM rows WHERE frequency > 0 GROUP BY 1, 2",
        [bool(mapping.settings.get("four_eyes"))],
    )
    for status, is_mapped, count, frequency in counted:
        strings[status] = strings.get(status, 0) + count
        records[status] = records.get(status, 0) + frequency
        if is_mapped:
            mapped = [mapped[0] + count, mapped[1] + frequency]
    return Progress(strings, records, (mapped[0], mapped[1]))
