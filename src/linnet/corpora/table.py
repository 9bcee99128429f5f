"""A column of a CSV, TSV or Parquet file or a workbook: each row is a document that is one mention as a whole.

The row is kept in `extra["table"]["row"]` (column → value), so that its other columns can be written beside the results. A
column `concepts` or `concept`, if any, holds the mention's concepts; a column `type` decides the vocabulary of bare
numbers. Columns that `linnet link` wrote hold its predictions: they are neither text nor gold. A row with an empty cell is a
document without text or mention, so that rows stay aligned.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.ids import as_curie, format_concepts, is_none, parse_concepts
from linnet.corpora.link_output import link_columns
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.shape import is_heading
from linnet.corpora.table_rows import frequency, has_schema, table_cells
from linnet.errors import DataError, RequestError
from linnet.formats.delimited import ROW_END, row_stream
from linnet.formats.refusal import Refuse, stop
from linnet.io.control_characters import spaced_text
from linnet.io.files import open_output, replacing
from linnet.io.workbook import ExcelDate
from linnet.types import Document, Mention

__all__ = ["read_table", "table_columns", "text_column", "write_table"]

_USUAL = ("text", "mention", "phrase", "term")
_CONCEPTS = ("concepts", "concept")
_HOLDS = frozenset({"mentions", "type", "concepts", "id", "combined", "attributes", "table"})
# What Parquet may hold in place of a text; `bool` is an `int`.
_NOT_TEXT = (bytes, int, float, Decimal, date, time, timedelta)
_BARE = ("document", "start", "end", "text", "type", "concepts")
_LAYERED = frozenset({"sheet", "layer", "annotator"})  # columns of a project's table of annotations
_EXACT = 2**53  # above this, floats cannot represent all whole numbers


def read_table(
    path: str | Path,
    *,
    column: str | None = None,
    id_column: str | None = None,
    concept_column: str | None = None,
    concept_prefix: str = "",
    frequency_column: str | None = None,
    sheet: str | None = None,
    annotated: bool = False,
    refuse: Refuse = stop,
    note: Note = ignore,
) -> Iterator[Document]:
    """One document per row, in row order, lazily.

    column          holds the text; None: the only column, or the one named text, mention, phrase, term or name
    id_column       holds the ids, which may repeat; None: rows are numbered from 1
    concept_column  holds the mention's concepts, as `parse_concepts` reads them; None: one named concepts or concept
    concept_prefix  for bare concept ids, e.g. MEDDRA
    frequency_column  holds how many records a row stands for; read into `extra["table"]["records"]`
    sheet           of a workbook; None: its only sheet
    annotated       refuse a table without a column of concepts

    Raises RequestError for an unknown column or sheet, with the existing ones, and for a workbook of several sheets
    without `sheet`; DataError for an unreadable file. A row with too many or too few cells is refused alone.
    """
    columns, rows = table_cells(path, sheet=sheet, refuse=refuse)
    for named in (id_column, concept_column, frequency_column):
        if named is not None and named not in columns:
            raise RequestError(_no_column(named, columns, path))
    links = link_columns(tuple(columns))
    latest = {name: column for column, name in links.items()}
    own = [name for name in columns if name not in links]
    gold = concept_column or next(
        (name for name in own if name.casefold() in _CONCEPTS), latest.get("concepts")
    )
    if column is None and gold is None and not has_schema(path):
        _check_heading(columns, path)
    if annotated and gold is None:
        raise RequestError(
            f"{path}: which column holds the concepts? Columns: {', '.join(columns)}.",
            Step.NAME_CONCEPT_COLUMN(),
        )
    text = text_column(columns if column else own, column, path)
    for number, row in rows:
        id = str(number) if id_column is None else _string(row[id_column])
        cell = _string(row[text])
        if isinstance(row[text], ExcelDate):
            message = f"expected a name, got an Excel date ({cell}). Format the column as text."
            refuse(DataError(message, path=path, line=number + 1))
            continue
        if isinstance(row[text], _NOT_TEXT):
            message = f"row {number} of the column '{text}' holds {row[text]!r}, which is not text. Convert the column to text first."
            refuse(DataError(message, path=path))
            continue
        home = Document(id, cell)
        stripped = cell.strip()
        start = cell.find(stripped)
        try:
            type = _string(row.get("type")).strip()
            concepts, combined = _concepts_in(row.get(gold or ""), prefix=concept_prefix, type=type)
            told = {"records": frequency(row, frequency_column)} if frequency_column else {}
        except DataError as error:
            refuse(error.again(words=f"row {number}: ", path=path))
            continue
        extra = {"id": id} | ({"combined": True} if combined else {})
        if not stripped:
            note(f"rows with an empty column '{text}', which have nothing to link")
        mention = Mention(home, start, start + len(stripped), stripped, concepts=concepts, extra=extra)
        if row.keys() >= _LAYERED:
            mention = replace(mention, source=_string(row["layer"]) or "gold")
        if gold in links:
            mention = replace(mention, source="linnet", confidence=_number(row.get(latest["probability"])))
        yield Document(id, cell, (mention,) if stripped else (), {"table": {"row": row, **told}})


def write_table(
    documents: Iterable[Document],
    path: str | Path,
    *,
    attributes: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> Losses:
    """Write a `.parquet` or `.tsv` file, by the ending of the path; else CSV.

    Documents read from a table keep its columns, followed by `concepts`; for others, each mention is a row. Concepts are
    joined with `|` (`+` if they hold only together); an existing column `concepts` is replaced, and other columns that
    `linnet link` wrote are left out: they describe its own answer. In CSV and TSV, control characters become spaces.

    attributes  of mentions, which get columns: `true` for a flag, else the value
    columns     of the table, see `table_columns`; those of the first row if left out, and other rows are refused then
    """
    lost: Counter[str] = Counter()
    name = str(path).lower()
    rows = _rows(documents, attributes, lost)
    first = next(rows, None)
    complete = rows if first is None else chain([first], rows)
    if columns:
        complete = ({name: row.get(name, "") for name in columns} for row in complete)
    columns = list(columns or first or (*_BARE, *attributes))
    if name.endswith(".parquet"):
        _write_parquet(complete, columns, path)
    else:
        with open_output(path) as stream:
            delimiter = "\t" if name.endswith(".tsv") else ","
            writer = csv.DictWriter(row_stream(stream), columns, delimiter=delimiter, lineterminator=ROW_END)
            writer.writeheader()
            for row in complete:
                _same_columns(row, columns, path)
                writer.writerow(
                    {
                        key: spaced_text(cell, lost) if isinstance(cell, str) else cell
                        for key, cell in row.items()
                    }
                )
    return Losses(lost)


def table_columns(documents: Iterable[Document], attributes: Sequence[str]) -> list[str]:
    """The columns of a table of all these documents: each in the order it first occurs, then concepts and attributes."""
    names = dict.fromkeys(name for row in _rows(documents, attributes, Counter()) for name in row)
    last = ("concepts", *attributes)
    return [*(name for name in names if name not in last), *last]


def _concepts_in(cell: Any, *, prefix: str, type: str) -> tuple[tuple[str, ...], bool]:
    """The concepts in a cell, which is a string or (in Parquet) a number or a list."""
    if isinstance(cell, list):
        ids = [_id(item) for item in cell]
        return tuple(as_curie(id, prefix=prefix, type=type) for id in ids if not is_none(id)), False
    return parse_concepts(_id(cell), prefix=prefix, type=type)


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _id(value: Any) -> str:
    """An id as text. Parquet stores a column of whole numbers with gaps as floating-point numbers."""
    if not isinstance(value, float) or math.isnan(value):
        return _string(value)
    if not value.is_integer() or abs(value) > _EXACT:
        raise DataError(
            f"the concept id {value!r} is a floating-point number, which cannot hold ids exactly. "
            "Write the column as text."
        )
    return str(int(value))


def _rows(
    documents: Iterable[Document], attributes: Sequence[str], lost: Counter[str]
) -> Iterator[dict[str, Any]]:
    for document in documents:
        row = document.extra.get("table", {}).get("row")
        lost += unheld(document, _HOLDS if row is not None else _HOLDS - {"id"})
        lost["attributes"] += sum(
            name not in attributes for m in document.mentions for name in m.extra.get("attributes", {})
        )
        if row is None:
            lost["text outside mentions, in documents"] += 1
            for m in document.mentions:
                cells = (document.id, m.start, m.end, m.text, m.type, _concepts(m))
                yield dict(zip(_BARE, cells, strict=True)) | _values([m], attributes)
        else:
            links = link_columns(tuple(row))
            own = {name: cell for name, cell in row.items() if links.get(name, "concepts") == "concepts"}
            joined = {"concepts": "|".join(_concepts(m) for m in document.mentions)}
            yield {**own, **joined, **_values(document.mentions, attributes)}


def _values(mentions: Sequence[Mention], attributes: Sequence[str]) -> dict[str, str]:
    """The cells of attributes; those of several mentions are joined with `|`."""
    return {
        name: "|".join(_value(mention.extra.get("attributes", {}).get(name)) for mention in mentions)
        for name in attributes
    }


def _value(value: Any) -> str:
    return "true" if value is True else _string(value)


def _concepts(mention: Mention) -> str:
    return format_concepts(
        mention.concepts, combined=bool(mention.extra.get("combined")), none="", bare_mesh=False
    )


def _same_columns(row: Mapping[str, Any], columns: Sequence[str], path: str | Path) -> None:
    if list(row) != columns:
        raise DataError(
            f"rows with different columns cannot share a table: {', '.join(columns)} and {', '.join(row)}. "
            "Write them to separate files.",
            path=path,
        )


def _write_parquet(rows: Iterable[dict[str, Any]], columns: Sequence[str], path: str | Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if str(path) == "-":
        raise RequestError("Parquet cannot be written to standard output. Name a file.")
    kept = []
    for row in rows:
        _same_columns(row, columns, path)
        kept.append(row)
    try:
        table = (
            pa.Table.from_pylist(kept)
            if kept
            else pa.table({name: pa.array([], pa.string()) for name in columns})
        )
    except pa.ArrowException as error:
        raise DataError(f"the rows do not make a Parquet table: {error}.", path=path) from None
    with replacing(path) as draft:
        pq.write_table(table, draft)


def text_column(columns: Sequence[str], column: str | None, path: str | Path) -> str:
    """The column that holds the texts: the one that is named, else the only one, or the only one with a usual name.

    Raises RequestError if there is no such column, or it is not clear which it is.
    """
    if column is not None:
        if column not in columns:
            raise RequestError(_no_column(column, columns, path))
        return column
    usual = [name for name in columns if name.casefold() in _USUAL]
    # Beside a column of texts, `name` is the name of the concept.
    usual = usual or [name for name in columns if name.casefold() == "name"]
    if len(columns) == 1 or len(usual) == 1:
        return (usual or list(columns))[0]
    raise RequestError(
        f"{path}: which column holds the text? Columns: {', '.join(columns)}.", Step.NAME_COLUMN()
    )


def _check_heading(columns: Sequence[str], path: str | Path) -> None:
    """Refuse a single column whose first line may be a name: as a header, it would not be linked."""
    if len(columns) == 1 and not is_heading(columns[0]):
        raise RequestError(
            f"{path}: is the first line, '{columns[0][:60]}', the header?",
            Step.CONFIRM_HEADER(column=columns[0]),
            Step.READ_LINES(format="text"),
        )


def _no_column(column: str, columns: Sequence[str], path: str | Path) -> str:
    return f"{path} has no column '{column}'. Columns: {', '.join(columns)}."


def _string(value: Any) -> str:
    return "" if value is None else str(value)
