"""Tables of mappings: a row for each code of the source, whatever its status."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from linnet.formats.delimited import ROW_END, row_stream
from linnet.io.control_characters import spaced
from linnet.io.files import open_output
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Code, Row

__all__ = ["COLUMNS", "record", "records", "write_csv", "write_tsv"]

COLUMNS = (
    "code", "text", "frequency", "status", "equivalence", "concepts", "names", "probability", "comment", "by", "at",
    "second", "returned", "row",
)  # fmt: skip
"""Columns, with those of the context behind `text`. `concepts` is what was decided, else what linnet proposes."""


def write_csv(mapping: Folder, rows: Iterable[Row], path: str | Path, metadata: dict[str, Any]) -> list[str]:
    """Comma-separated."""
    return _write(mapping, rows, path, ",")


def write_tsv(mapping: Folder, rows: Iterable[Row], path: str | Path, metadata: dict[str, Any]) -> list[str]:
    """Tab-separated."""
    return _write(mapping, rows, path, "\t")


def records(mapping: Folder, rows: Iterable[Row] | None = None) -> Iterator[dict[str, Any]]:
    """A dictionary for each code of each row."""
    names = mapping.columns.context
    for row in mapping if rows is None else rows:
        for code in row.codes or (Code("", row.frequency),):
            yield record(row, code, names)


def record(row: Row, code: Code, context: Iterable[str]) -> dict[str, Any]:
    """The cells of a code; `context`: names of its columns."""
    made = row.state.decision
    own = {
        name if name not in COLUMNS else f"source_{name}": value
        for name, value in zip(context, row.context, strict=True)
    }
    return {
        "code": code.code,
        "text": row.text,
        **own,
        "frequency": code.frequency,
        "status": str(row.status),
        "equivalence": str(row.equivalence or ""),
        "concepts": "|".join(target.concept for target in row.targets),
        "names": "|".join(target.name for target in row.targets),
        "probability": row.probability,
        "comment": made.comment if made else "",
        "by": made.by if made else "",
        "at": made.at if made else "",
        "second": row.state.second,
        "returned": row.state.returned,
        "row": row.number,
    }


def _write(mapping: Folder, rows: Iterable[Row], path: str | Path, delimiter: str) -> list[str]:
    with open_output(path) as stream:
        writer = csv.writer(row_stream(stream), delimiter=delimiter, lineterminator=ROW_END)
        columns: list[str] = []
        for cells in records(mapping, rows):
            if not columns:
                writer.writerow(columns := list(cells))
            writer.writerow([spaced(cell) if isinstance(cell, str) else cell for cell in cells.values()])
    return []
