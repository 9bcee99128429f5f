"""Decisions in a file that Usagi saved; older files have fewer columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from linnet.corpora.table_rows import regular, table_cells
from linnet.errors import DataError, RequestError
from linnet.mapping.decisions import Equivalence, Status
from linnet.mapping.exports.usagi import EQUIVALENCES, STATUSES
from linnet.mapping.imports.made import MAPS_TO, Made

__all__ = ["read_usagi"]

_STATUSES = {name: status for status, name in STATUSES.items()} | {
    "AUTO_MAPPED": Status.UNCHECKED,
    "AUTO_MAPPED_TO_1": Status.UNCHECKED,
}
_EQUIVALENCES = {name: equivalence for equivalence, name in EQUIVALENCES.items()}
# Types of mappings as files before Usagi 1.4 name them.
_TYPES = {"EVENT": MAPS_TO, "VALUE": "MAPS_TO_VALUE", "UNIT": "MAPS_TO_UNIT", "": MAPS_TO}
_NEEDED = ("sourceCode", "mappingStatus", "conceptId")


def read_usagi(path: str | Path) -> Iterator[Made]:
    """What was decided of each code: its rows that follow each other are targets of one decision; unchecked ones are left out."""
    columns, rows = table_cells(path)
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise RequestError(
            f"{path} has no column '{missing[0]}', so Usagi did not write it. Columns: {', '.join(columns)}."
        )

    def key(numbered: tuple[int, dict[str, Any]]) -> tuple[str, str]:
        row = numbered[1]
        return _code(row), regular(row.get("sourceName"))

    for (code, text), group in groupby(rows, key=key):
        entries = list(group)
        number, first = entries[0]
        place = f"{path}:{number + 1}"
        status = _of(_STATUSES, first, "mappingStatus", path, number)
        if status is Status.UNCHECKED:
            continue
        targets = [_target(row, path, number) for number, row in entries]
        yield Made(
            place,
            code,
            text,
            status,
            tuple(target for target in targets if target is not None),
            _equivalence(first, path, number),
            regular(first.get("statusSetBy")),
            _time(regular(first.get("statusSetOn")), path, number),
            regular(first.get("comment")),
        )


def _code(row: dict[str, Any]) -> str:
    """The code of the value where a file maps values of a field, else that of the row."""
    return regular(row.get("sourceValueCode")) or regular(row["sourceCode"])


def _target(row: dict[str, Any], path: str | Path, number: int) -> tuple[str, str] | None:
    id = regular(row["conceptId"]).removesuffix(".0")
    if not id.isdigit():
        raise DataError(
            f"row {number}, column 'conceptId': '{id}'; expected a concept id of OMOP, a number.", path=path
        )
    type = regular(row.get("mappingType")).upper()
    return None if id == "0" else (f"OMOP:{id}", _TYPES.get(type, type))


def _equivalence(row: dict[str, Any], path: str | Path, number: int) -> Equivalence | None:
    text = regular(row.get("equivalence"))
    return _of(_EQUIVALENCES, row, "equivalence", path, number) if text else None


def _of(names: dict[str, Any], row: dict[str, Any], column: str, path: str | Path, number: int) -> Any:
    text = regular(row[column]).upper()
    if text not in names:
        raise DataError(
            f"row {number}, column '{column}': '{text}'; expected one of {', '.join(names)}.", path=path
        )
    return names[text]


def _time(text: str, path: str | Path, number: int) -> str:
    if text in ("", "0"):
        return ""
    try:
        return datetime.fromtimestamp(int(text) / 1000, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        message = f"row {number}, column 'statusSetOn': '{text}'; expected milliseconds since 1970."
        raise DataError(message, path=path) from None
