"""The tables of `lexicon/` as patterns: one row an entry, columns separated by tabs, `#` before a comment, names of the columns first.

An entry is a phrase, "history of", or a regular expression in which a blank stands for any blanks, brackets only group, and a name in
braces for the entries of that list in `lists.tsv`: "(past )?history of", "since {month}". Of entries that begin at one place, the first
row that matches counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import groupby, zip_longest
from typing import NamedTuple

__all__ = ["Rule", "Rules", "any_of", "compiled", "rows"]

_PART = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)| +|\{([a-z]+)\}")
_ALONE = {"": "%s"}


class Rule(NamedTuple):
    """What an entry is.

    kind    the rule's name: "severity", "date"
    weight  how much leaving it out counts
    """

    kind: str
    weight: float


class Rules:
    """The entries of a table in one pattern, and the rule of each match."""

    def __init__(self, table: str, frames: Mapping[str, str] = _ALONE) -> None:
        """frames: the value of the column `where` → an expression around the entries, in place of its %s"""
        self._rules: list[Rule] = []
        parts = []
        for where, group in groupby(rows(table), key=lambda row: row.get("where", "")):
            alternatives = []
            for rule, alike in groupby(
                group, key=lambda row: Rule(row["kind"], float(row.get("weight") or 1))
            ):
                self._rules.append(rule)
                alternatives.append(f"({_either(alike)})")
            parts.append(frames[where] % "|".join(alternatives))
        self.pattern = re.compile("|".join(parts), re.IGNORECASE)

    def rule(self, match: re.Match[str]) -> Rule:
        """The rule of a match of the pattern."""
        return self._rules[(match.lastindex or 0) - 1]


@cache
def compiled(template: str) -> re.Pattern[str]:
    """A pattern with {table:value} for any entry of the rows of a table with this value in their first column."""
    filled = re.sub(r"\{(\w+):([a-z ]+)\}", lambda found: any_of(found[1], found[2]), template)
    return re.compile(filled, re.IGNORECASE)


@cache
def any_of(table: str, value: str) -> str:
    """An expression for any entry of the rows of a table with this value in their first column."""
    return f"(?:{_either(row for row in rows(table) if next(iter(row.values())) == value)})"


@cache
def rows(table: str) -> tuple[dict[str, str], ...]:
    """The rows of a table, as column → cell, "" for a missing one."""
    text = files(__package__).joinpath("lexicon", f"{table}.tsv").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#") or "\t" in line)
    columns = next(lines)
    return tuple(dict(zip_longest(columns, cells, fillvalue="")) for cells in lines)


def _either(entries: Iterable[Mapping[str, str]]) -> str:
    return "|".join(_PART.sub(_written, row["entry"]) for row in entries)


def _written(part: re.Match[str]) -> str:
    if part[1]:
        return any_of("lists", part[1])
    return {"(": "(?:", " ": r"\s+"}.get(part.group(), part.group())
