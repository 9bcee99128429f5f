"""Roles of a table's columns: the user's choice, else by the column names of well-known tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.formats.delimited import data_rows
from linnet.listing import first_few
from linnet.terminology.readers.options import SourceFile, column_list

__all__ = ["ROLES", "Columns", "choose", "usual_columns", "usual_names"]

# Roles with a single column; others may have several.
_SINGLE = ("id", "relation", "obsolete")
ROLES = (
    "id",
    "name",
    "synonyms",
    "types",
    "definition",
    "parents",
    "xrefs",
    "sources",
    "replaced_by",
    "relation",
    "obsolete",
)


def usual_names(where: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Role → its names in `column_names.tsv`, row by row."""
    names: dict[str, tuple[tuple[str, ...], ...]] = {}
    for place, role, listed in data_rows(Path(__file__).with_name("column_names.tsv")):
        if place == where:
            names[role] = (*names.get(role, ()), tuple(listed.split()))
    return names


_USUAL = usual_names("column")
_IDS, _NAMES, [_OBSOLETE] = (_USUAL.pop(role) for role in ("id", "name", "obsolete"))
_SEVERAL = {role: names for role, [names] in _USUAL.items()}
[_FURTHER] = usual_names("further")["synonyms"]
_PREFIXES = {name: prefix for prefix, [names] in usual_names("prefix").items() for name in names}
_SHOWN = 12  # columns that a message lists


@dataclass(frozen=True, slots=True)
class Columns:
    """Roles of a table's columns.

    places    role → positions of its columns, from 0; the first non-empty name or definition comes first
    prefixes  position → prefix for the bare ids of that column
    header    names of the columns; empty for a table without header
    """

    places: Mapping[str, tuple[int, ...]]
    prefixes: Mapping[int, str] = field(default_factory=dict)
    header: Sequence[str] = ()

    def tell(self, file: SourceFile) -> None:
        """Report the columns read per role, and those not read; nothing if all columns are named as their roles."""
        used = {place: role for role, places in self.places.items() for place in places}
        rest = [name for place, name in enumerate(self.header) if place not in used and name]
        if not rest and all(self.header[place].lower() == role for place, role in used.items()):
            return
        read = "; ".join(
            f"{role}: {', '.join(self.header[place] for place in places)}"
            for role, places in self.places.items()
        )
        unread = f" Not read: {first_few(rest, _SHOWN)}." if rest else ""
        advice = [Step.READ_THEM(columns={"ROLE": "COLUMN"})] if rest else []
        file.tell(f"columns read: {read}.{unread}", *advice)


def usual_columns(header: Sequence[str]) -> dict[str, int]:
    """Role → position of the column with the most usual name for it, the first of several with that name."""
    keys = [_key(cell) for cell in header]
    usual = {"id": _IDS, "name": _NAMES, **{role: (names,) for role, names in _SEVERAL.items()}}
    positions = {}
    for role, tiers in usual.items():
        position = next((keys.index(name) for tier in tiers for name in tier if name in keys), None)
        if position is not None:
            positions[role] = position
    return positions


def choose(cells: Sequence[str], file: SourceFile, *, headed: bool, line: int) -> Columns:
    """The roles of the columns of a table whose first row is `cells`.

    Roles missing from `options.columns` are filled by the usual column names, unless it holds column numbers.
    Raises RequestError for an unknown role or two columns for a single-column role, DataError for an unknown column, an
    ambiguous role, or a table without ids or preferred names.
    """
    options = file.options
    unknown = set(options.columns) - set(ROLES)
    if unknown:
        raise RequestError(f"Unknown role '{min(unknown)}' for a column. Choose from: {', '.join(ROLES)}.")
    header = [cell.strip().lstrip("?#").strip() for cell in cells] if headed else []
    places = {
        role: _named(role, columns, cells, header, file, line) for role, columns in options.columns.items()
    }
    prefixes: dict[int, str] = {}
    if headed and not any(isinstance(column, int) for column in _each(options.columns)):
        prefixes = _fill(places, header, file, line)
    _check(places, header, cells, file, line)
    ordered = {role: places[role] for role in ROLES if role in places}
    return Columns(ordered, prefixes, header)


def _each(columns: Mapping[str, str | int | Sequence[str | int]]) -> list[str | int]:
    return [column for given in columns.values() for column in column_list(given)]


def _named(
    role: str,
    given: str | int | Sequence[str | int],
    cells: Sequence[str],
    header: Sequence[str],
    file: SourceFile,
    line: int,
) -> tuple[int, ...]:
    """The positions of the columns that the user chose for a role."""
    positions: dict[int, None] = {}
    for column in column_list(given):
        if isinstance(column, int):
            if not 1 <= column <= len(cells):
                raise file.error(f"no column {column}; the row has {len(cells)}.", line)
            positions[column - 1] = None
            continue
        if not header:
            raise RequestError(f"Column '{column}' is named but the table has no header. Give its number.")
        plain = column.strip().lstrip("?#").strip()
        same = [position for position, name in enumerate(header) if name == plain]
        if not same:
            raise file.error(f"no column '{plain}'. Columns: {', '.join(header)}.", line)
        positions.update(dict.fromkeys(same))
    if role in _SINGLE and len(positions) > 1:
        names = ", ".join(map(str, column_list(given)))
        raise RequestError(f"The role '{role}' has one column; got {len(positions)} ({names}). Name one.")
    return tuple(positions)


def _fill(
    places: dict[str, tuple[int, ...]], header: Sequence[str], file: SourceFile, line: int
) -> dict[int, str]:
    """Fill the remaining roles with columns of the usual names; the prefixes of bare ids by column."""
    keys = [_key(name) for name in header]
    taken = {place for given in places.values() for place in given}
    free = [(place, key) for place, key in enumerate(keys) if place not in taken]
    given_xrefs = "xrefs" in places
    for role, tiers in (("id", _IDS), ("name", _NAMES)):
        chosen = None if role in places else _first_tier(role, tiers, free, header, file, line)
        if chosen is not None:
            places[role] = (chosen,)
            free = [(place, key) for place, key in free if place != chosen]
    # In FDA's list of UNIIs, the type is that of the name (of, cn, sys), not of the substance.
    types_of_names = any(keys[place] == "unii" for place in places.get("id", ()))
    for role, usual in _SEVERAL.items():
        if role == "types" and types_of_names:
            places.setdefault(role, ())
        elif role not in places:
            also = _FURTHER if role == "synonyms" and "name" in places else ()
            places[role] = tuple(place for place, key in free if key in usual or key in also)
    if "obsolete" not in places:
        places["obsolete"] = tuple(place for place, key in free if key in _OBSOLETE)[:1]
    prefixes = {place: _PREFIXES[key] for place, key in enumerate(keys) if key in _PREFIXES}
    used = {place for given in places.values() for place in given}
    if not given_xrefs:
        places["xrefs"] = (*places["xrefs"], *(place for place in prefixes if place not in used))
    for role in [role for role, given in places.items() if not given]:
        del places[role]
    return prefixes


def _first_tier(
    role: str,
    tiers: Sequence[Sequence[str]],
    free: Sequence[tuple[int, str]],
    header: Sequence[str],
    file: SourceFile,
    line: int,
) -> int | None:
    for tier in tiers:
        places = [place for place, key in free if key in tier]
        if len(places) > 1:
            names = [header[place] for place in places]
            if len({name.lower() for name in names}) < len(names):
                problem = f"the column '{names[0]}' occurs twice. Rename one"
                raise file.error(f"{problem}; call a column of further names 'synonyms'.", line)
            listed = " and ".join(f"'{name}'" for name in names)
            what = "the ids" if role == "id" else "the preferred names"
            raise file.error(
                f"the columns {listed} could both hold {what}.",
                line,
                Step.READ_WITH(columns={role: names[0]}),
            )
        if places:
            return places[0]
    return None


def _check(
    places: Mapping[str, tuple[int, ...]],
    header: Sequence[str],
    cells: Sequence[str],
    file: SourceFile,
    line: int,
) -> None:
    listed = ", ".join(header or cells)
    if "id" not in places:
        raise file.error(
            f"which column holds the ids? Columns: {listed}. Give its name or number.",
            line,
            Step.READ_WITH(columns={"id": "NAME"}),
        )
    if "name" not in places and ("synonyms" in places or len(places) == 1):
        raise file.error(
            f"which column holds the names? Without preferred names, synonyms cannot be read. Columns: {listed}.",
            line,
            Step.READ_WITH(columns={"name": "NAME"}),
        )


def _key(name: str) -> str:
    """A column name without case, spaces and punctuation: the same for "Preferred Label" and "?preferred_label"."""
    return re.sub(r"[^\w]|_", "", name).lower()
