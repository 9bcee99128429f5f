"""Decisions in a table or workbook of `linnet map export`, as a colleague has edited it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.corpora.table_rows import regular, table_cells
from linnet.errors import DataError, LinnetError, RequestError
from linnet.io.workbook import is_workbook
from linnet.mapping.decisions import Equivalence, Status, named
from linnet.mapping.imports.made import MAPS_TO, Made

__all__ = ["read_table"]

_SHEET = "mapping"


def read_table(path: str | Path) -> Iterator[Made]:
    """Its rows whose status is not "unchecked". Raises DataError with row and column for what is no status, equivalence or id."""
    columns, rows = table_cells(path, sheet=_SHEET if is_workbook(path) else None)
    missing = [name for name in ("status", "concepts") if name not in columns]
    if missing or not {"code", "text"} & set(columns):
        raise RequestError(
            f"{path} has no column '{(missing or ['code'])[0]}'. Expected a table of `linnet map export`: code, text, status, concepts …"
        )
    for number, row in rows:
        place = f"{path}:{number + 1}"
        status = _cell(row, "status", Status, place)
        if status in (None, Status.UNCHECKED):
            continue
        ids = [id.strip() for id in regular(row["concepts"]).split("|") if id.strip()]
        bad = next((id for id in ids if ":" not in id), None)
        if bad is not None:
            raise DataError(
                f"row {number}, column 'concepts': '{bad}' is no concept id; expected ids such as MESH:D003920, several joined by |.",
                path=path,
            )
        yield Made(
            place,
            regular(row.get("code")),
            regular(row.get("text")),
            status,
            tuple((id, MAPS_TO) for id in ids),
            _cell(row, "equivalence", Equivalence, place),
            regular(row.get("by")),
            regular(row.get("at")),
            regular(row.get("comment")),
        )


def _cell(row: dict[str, Any], column: str, kind: Any, place: str) -> Any:
    text = regular(row.get(column))
    if not text:
        return None
    try:
        return named(kind, text)
    except LinnetError as error:
        raise DataError(f"{place}, column '{column}': {error.happened}", *error.advice) from None
