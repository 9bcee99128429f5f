"""Tables of regular expressions that are made of each other: one row an entry, with the columns role, entry and examples."""

from __future__ import annotations

import re
from functools import cache

from linnet.read.rules import rows

__all__ = ["patterns"]

_NAMED = re.compile(r"\{([a-z]+)\}")


@cache
def patterns(table: str, role: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of the entries of a table with this role, in their order.

    A role in braces, "{acid} to {acid}", stands for the first entry above with this role.
    """
    return tuple(map(re.compile, _entries(table)[role]))


@cache
def _entries(table: str) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for row in rows(table):
        entry = _NAMED.sub(lambda named: entries[named[1]][0], row["entry"])
        entries.setdefault(row["role"], []).append(entry)
    return entries
