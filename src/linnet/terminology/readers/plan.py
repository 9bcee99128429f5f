"""The plan by which a table is read, made from its first rows: separators, roles of columns, words for missing values, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from linnet.errors import RequestError
from linnet.formats.delimited import delimiter_of, rows
from linnet.io.files import read_lines
from linnet.io.workbook import is_workbook, read_sheet
from linnet.terminology.readers.column_roles import Columns, choose
from linnet.terminology.readers.missing_values import MissingValues
from linnet.terminology.readers.options import SourceFile, column_list
from linnet.terminology.readers.separators import Separators

__all__ = ["LISTS", "TablePlan", "plan_table"]

LISTS = ("synonyms", "types", "parents", "xrefs", "sources", "replaced_by")
"""Roles whose cells may hold several values."""

_SAMPLED = 2000  # rows from which the plan is made
_CALLED = {"\t": "tabs", ",": "commas", ";": "semicolons"}

Row = tuple[int, list[str]]


@dataclass(frozen=True, slots=True)
class TablePlan:
    """How a table is read.

    line, width  of the first row            delimiter  between cells; "" in a workbook
    lists        position → role of the columns that may hold several values in a cell
    separators, missing  have learnt from the first rows
    """

    file: SourceFile
    line: int
    width: int
    delimiter: str
    columns: Columns
    lists: Mapping[int, str]
    separators: Separators
    missing: MissingValues

    def explained(self) -> Iterator[str]:
        """The plan in sentences, each with its reason."""
        options, names = (
            self.file.options,
            self.columns.header or [f"column {n + 1}" for n in range(self.width)],
        )
        if self.delimiter:
            why = (
                "as asked for"
                if options.delimiter
                else "a tab, if the line has one, else what it has more of"
            )
            yield f"cells: separated by {_CALLED.get(self.delimiter, repr(self.delimiter))} ({why})"
        why = "as asked for" if options.header is not None else "columns are not chosen by number"
        if self.columns.header:
            yield f"header: line {self.line} ({why})"
        else:
            yield (
                "header: none (columns are chosen by number)"
                if options.header is None
                else "header: none (as asked for)"
            )
        for role, places in self.columns.places.items():
            why = "as asked for" if role in options.columns else "the usual name"
            prefixes = [self.columns.prefixes[place] for place in places if place in self.columns.prefixes]
            bare = f"; bare ids get the prefix {', '.join(prefixes)}" if prefixes else ""
            yield f"{role}: {', '.join(names[place] for place in places)} ({why}){bare}"
        for place, mark in self.separators.known(self.lists):
            why = "as asked for" if options.separator is not None else f"the first {_SAMPLED:,} rows have it"
            yield f"several values: {names[place]} at {mark!r} ({why})"
        for place, words in self.missing.known():
            yield f"empty: {', '.join(map(repr, words))} in {names[place]} (twice or more in the first {_SAMPLED:,} rows)"
        yield "empty: NULL, NaN, N/A and what databases and spreadsheets write alike, in all columns"
        used = {place for places in self.columns.places.values() for place in places}
        if unread := [name for place, name in enumerate(names) if place not in used]:
            yield f"not read: {', '.join(unread)} (no usual name of a role)"


def plan_table(file: SourceFile) -> tuple[TablePlan, Iterator[Row]] | None:
    """The plan, and the rows behind the header; None for a table without any row.

    Raises RequestError and DataError as `choose` does.
    """
    options = file.options
    given = [column for columns in options.columns.values() for column in column_list(columns)]
    numbered = bool(given) and all(isinstance(column, int) for column in given)
    headed = options.header if options.header is not None else not numbered
    body = _rows(file, headed=headed)
    found = next(body, None)
    if found is None:
        return None
    delimiter, (line, first) = found
    columns = choose(first, file, headed=headed, line=line)
    others = (row for _, row in body)
    unread = others if headed else chain([(line, first)], others)
    start = list(islice(unread, _SAMPLED))
    sample = [cells for _, cells in start]
    lists = {place: role for role in LISTS for place in columns.places.get(role, ())}
    separators, missing = Separators(options.separator), MissingValues()
    separators.learn(sample, list(lists))
    names = columns.places.get("name", ())  # "NA" may be the short form of several
    read = {place for role, places in columns.places.items() if role != "id" for place in places}
    missing.learn(sample, sorted(read.difference(names)))
    plan = TablePlan(file, line, len(first), delimiter, columns, lists, separators, missing)
    return plan, chain(start, unread)


def _rows(file: SourceFile, *, headed: bool) -> Iterator[tuple[str, Row]]:
    """The delimiter ("" in a workbook), and each row from the header on, without the lines above it that begin with `#`."""
    path, options = file.path, file.options
    if is_workbook(path):
        sheet = read_sheet(
            path,
            options.sheet,
            tell=file.tell,
            refuse=file.refuse,
        )
        yield from (("", row) for row in sheet)
        return
    if options.sheet:
        raise RequestError(
            f"{path} is not a workbook, so it has no sheet '{options.sheet}'. Leave the sheet out."
        )
    lines = read_lines(path)
    for number, line in lines:
        if line.strip() and not (headed and line.startswith("#")):
            delimiter = options.delimiter or delimiter_of(line)
            body = rows(chain([(number, line)], lines), delimiter, file.malformed)
            yield from ((delimiter, row) for row in body)
