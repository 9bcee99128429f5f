"""The tables of `lexicon/` as patterns: one row an entry, columns separated by tabs, `#` before a comment, names of the columns first.

An entry is a phrase, "history of", or a regular expression in which a blank stands for any blanks, brackets only group, and a name in
braces for the entries of that list in `lists.tsv`: "(past )?history of", "since {month}". Of entries that begin at one place, the first
row that matches counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib.resources import files
from itertools import groupby, zip_longest
from typing import NamedTuple

__all__ = ["Rule", "Rules", "any_of", "compiled", "rows"]

_PART = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)| +|\{([a-z]+)\}")
_ALONE = {"": "%s"}
_DIGIT = re.compile(r"\d")


class Rule(NamedTuple):
    """What an entry is.

    kind      the rule's name: "severity", "date"
    weight    how much leaving it out counts
    relation  what a text with it is to a text without it: "same" thing, "other" thing, or "", the same thing in more detail
    """

    kind: str
    weight: float
    relation: str = ""


class Rules:
    """The entries of a table in one pattern, and the rule of each match."""

    def __init__(self, table: str, frames: Mapping[str, str] = _ALONE) -> None:
        """frames: the value of the column `where` → an expression around the entries, in place of its %s"""
        self._rows, self._frames = rows(table), frames
        self._rules = [rule for _, group in _by_frame(self._rows) for rule, _ in _by_rule(group)]

    def pattern(self, text: str) -> re.Pattern[str]:
        """A pattern for any entry that may be in a text: without digits, none that `has_digit`."""
        return self._all if _DIGIT.search(text) else self._wordy

    def rule(self, match: re.Match[str]) -> Rule:
        """The rule of a match of the pattern, or of a full match."""
        found = self._named.match(match.string, match.start())
        if found is None or found.end() != match.end():
            found = self._named.fullmatch(match.string, match.start(), match.end()) or found
        assert found is not None, match
        return self._rules[(found.lastindex or 0) - 1]

    @cached_property
    def _all(self) -> re.Pattern[str]:
        return self._compiled(self._rows, named=False)

    @cached_property
    def _wordy(self) -> re.Pattern[str]:
        return self._compiled([row for row in self._rows if not row.get("digit")], named=False)

    @cached_property
    def _named(self) -> re.Pattern[str]:
        """As `_all`, with a group for each rule: slower, so only for what has matched."""
        return self._compiled(self._rows, named=True)

    def _compiled(self, chosen: Iterable[Mapping[str, str]], *, named: bool) -> re.Pattern[str]:
        parts = []
        for where, group in _by_frame(chosen):
            either = (
                "|".join(f"({_either(alike)})" for _, alike in _by_rule(group)) if named else _either(group)
            )
            parts.append(self._frames[where] % either)
        return re.compile("|".join(parts), re.IGNORECASE)


def _by_frame(chosen: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, Iterator[Mapping[str, str]]]]:
    return groupby(chosen, key=lambda row: row.get("where", ""))


def _by_rule(group: Iterable[Mapping[str, str]]) -> Iterator[tuple[Rule, Iterator[Mapping[str, str]]]]:
    return groupby(group, key=_rule)


def _rule(row: Mapping[str, str]) -> Rule:
    return Rule(row["kind"], float(row.get("weight", 1)), row.get("relation", ""))


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


def link_weights(model: str) -> dict[str, float]:
    """Feature → weight, of a model in the table of those small enough for it."""
    return {row["feature"]: float(row["weight"]) for row in rows("link_weights") if row["model"] == model}


def _either(entries: Iterable[Mapping[str, str]]) -> str:
    return "|".join(_PART.sub(_written, row["entry"]) for row in entries)


def _written(part: re.Match[str]) -> str:
    if part[1]:
        return any_of("lists", part[1])
    return {"(": "(?:", " ": r"\s+"}.get(part.group(), part.group())
