"""Predictions in a CSV, TSV or Parquet table as `linnet link` writes it: one row per mention, or the rows of a linked table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.table_rows import table_cells
from linnet.errors import DataError
from linnet.io.files import open_bytes
from linnet.types import Mention

__all__ = ["is_table", "table_rows"]

_ENDINGS = (".csv", ".tsv", ".parquet")
_CONCEPTS = re.compile(r"^(?:linked_)*concepts?$", re.IGNORECASE)
_NUMBERS = {"start": int, "end": int, "probability": float}


def is_table(path: str | Path) -> bool:
    """Whether the file name ends as a table's does, or the file is Parquet."""
    if str(path) == "-":
        return False
    place = Path(path)
    if place.name.lower().removesuffix(".gz").endswith(_ENDINGS):
        return True
    if not place.is_file():
        return False
    with open_bytes(place) as stream:
        return stream.read(4) == b"PAR1"


def table_rows(path: str | Path, mentions: Sequence[Mention]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line and fields of each prediction, as in the mention format, in file order.

    The concepts are in the last column called `concepts`, or `linked_concepts`, as `linnet link` names it if the table
    has a column `concepts` already. Of a linked table, only rows that hold the text of a mention are predictions.
    Raises DataError if there is no such column, or a cell has the wrong type.
    """
    columns, cells = table_cells(path)
    concept_columns = sorted(
        (name for name in columns if _CONCEPTS.match(name)), key=lambda n: (len(n), columns.index(n))
    )
    if not concept_columns:
        raise DataError(
            f"no column holds the predicted concepts. It has: {', '.join(columns)}. Name one 'concepts'.",
            Step.PREDICT_AS_JSONL(),
            path=path,
        )
    of_rows = any("table" in mention.document.extra for mention in mentions)
    of_mentions = not of_rows and ("text" in columns or {"document", "start", "end"} <= set(columns))
    remaining = iter(mentions)
    mention = next(remaining, None)
    for number, row in cells:
        fields = _fields(row, concept_columns[-1], path, number + 1)
        if not of_mentions:
            text = _plain(mention.text) if mention else None
            if text is None or all(_plain(value) != text for value in row.values()):
                if fields["concepts"]:
                    expected = f"the gold mention here is '{text}'" if text else "no gold mention is left"
                    raise DataError(
                        f"no cell of this row holds the mention it answers: {expected}. Predict the rows of the corpus in "
                        "order.",
                        path=path,
                        line=number + 1,
                    )
                continue
            fields = {name: value for name, value in fields.items() if name != "id"} | {"text": text}
            mention = next(remaining, None)
        yield number + 1, fields


def _fields(row: Mapping[str, Any], concepts: str, path: str | Path, line: int) -> dict[str, Any]:
    ids = row[concepts]
    fields: dict[str, Any] = {
        "concepts": [str(id) for id in ids] if isinstance(ids, list) else str(ids or "")
    }
    for name, value in row.items():
        if name in ("document", "id", "text", "type") and value not in (None, ""):
            fields[name] = str(value)
        elif name in _NUMBERS and value not in (None, ""):
            try:
                fields[name] = _NUMBERS[name](value)
            except (TypeError, ValueError):
                raise DataError(
                    f"expected a number in '{name}', got {value!r}.", path=path, line=line
                ) from None
    return fields


def _plain(value: Any) -> str:
    return " ".join(str("" if value is None else value).lower().split())
