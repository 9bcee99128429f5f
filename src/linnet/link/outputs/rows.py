"""One row per linked mention, for tables: CSV, TSV and Parquet.

Rows of a table that was read come back whole, in their order, with what was found in further columns.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from linnet.errors import DataError, RequestError
from linnet.files import open_output, replacing
from linnet.link.linker import Linked
from linnet.types import Link

__all__ = ["COLUMNS", "FOUND", "write_csv", "write_parquet", "write_tsv"]

FOUND = ("concepts", "name", "probability", "score", "matched", "origin")
COLUMNS = ("document", "id", "start", "end", "text", "type", *FOUND)
_BATCH = 50_000

Row = dict[str, Any]


def write_csv(linked: Iterable[Linked], path: str | Path) -> None:
    """Comma-separated, with a header; several concepts are joined with `|`; the best candidate's name is `matched`.

    Mentions that are rows of a table keep its columns instead of `document` … `type`; where the table has a column
    of that name already, what was found stands in `linked_concepts`, `linked_name` …
    """
    _write_delimited(linked, path, delimiter=",")


def write_tsv(linked: Iterable[Linked], path: str | Path) -> None:
    """As `write_csv`, tab-separated."""
    _write_delimited(linked, path, delimiter="\t")


def write_parquet(linked: Iterable[Linked], path: str | Path) -> None:
    """The same columns as a Parquet file, `concepts` as a list. Of a table, all rows are held until the end."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if str(path) == "-":
        raise RequestError("Parquet cannot be written to standard output. Name a file: -o links.parquet")
    columns, rows = _rows(linked, path)
    with replacing(path) as draft:
        if columns == COLUMNS:
            with pq.ParquetWriter(draft, _schema(columns)) as writer:
                for batch in _batches(rows):
                    writer.write_table(pa.Table.from_pylist(batch, _schema(columns)))
            return
        kept, own = list(rows), columns[: -len(FOUND)]
        try:
            given = pa.Table.from_pylist([{name: row[name] for name in own} for row in kept]).schema
            table = pa.Table.from_pylist(kept, pa.unify_schemas([given, _schema(columns[len(own) :])]))
        except pa.ArrowException as error:
            raise DataError(f"the rows do not make a Parquet table: {error}.", path=path) from None
        pq.write_table(table, draft)


def _write_delimited(linked: Iterable[Linked], path: str | Path, *, delimiter: str) -> None:
    with open_output(path) as stream:
        columns, rows = _rows(linked, path)
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_cell(row[name]) for name in columns])


def _rows(linked: Iterable[Linked], path: str | Path) -> tuple[Sequence[str], Iterator[Row]]:
    """The columns, which the first document decides, and the rows."""
    documents = iter(linked)
    first = next(documents, None)
    own = None if first is None else _table_row(first)
    complete = documents if first is None else chain([first], documents)
    if own is None:
        return COLUMNS, (_mention_row(document.id, link) for document, links in complete for link in links)
    columns = (*own, *(_free(name, own) for name in FOUND))
    return columns, _table_rows(complete, columns, path)


def _table_rows(linked: Iterable[Linked], columns: Sequence[str], path: str | Path) -> Iterator[Row]:
    own, found = columns[: -len(FOUND)], columns[-len(FOUND) :]
    for one in linked:
        row = _table_row(one)
        if row is None or tuple(row) != own:
            raise DataError(
                f"document '{one.document.id}' is no row with the columns {', '.join(own)}, as those before it are. "
                "Write JSON Lines instead: --format jsonl",
                path=path,
            )
        answer = _found(one.links[0]) if one.links else {"concepts": []}
        yield {**row, **{name: answer.get(key) for name, key in zip(found, FOUND, strict=True)}}


def _table_row(linked: Linked) -> Mapping[str, Any] | None:
    row: Mapping[str, Any] | None = linked.document.extra.get("table", {}).get("row")
    return row


def _mention_row(document: str, link: Link) -> Row:
    mention = link.mention
    return {
        "document": document,
        "id": str(mention.extra.get("id", "")),
        "start": mention.start,
        "end": mention.end,
        "text": mention.text,
        "type": mention.type,
        **_found(link),
    }


def _found(link: Link) -> Row:
    """What was found; for a composite the names that its parts matched, and the lowest of their scores."""
    best = [part.candidates[0] for part in link.parts or (link,) if part.candidates]
    return {
        "concepts": list(link.concepts),
        "name": link.name,
        "probability": link.probability,
        "score": min((candidate.score for candidate in best), default=None),
        "matched": "|".join(candidate.name for candidate in best),
        "origin": "|".join(candidate.origin for candidate in best),
    }


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name = f"linked_{name}"
    return name


def _cell(value: Any) -> Any:
    return "|".join(map(str, value)) if isinstance(value, list) else value


def _schema(columns: Sequence[str]) -> Any:
    import pyarrow as pa

    kinds = {
        "start": pa.int64(),
        "end": pa.int64(),
        "concepts": pa.list_(pa.string()),
        "probability": pa.float64(),
        "score": pa.float64(),
    }
    return pa.schema([(name, kinds.get(name.rpartition("linked_")[2], pa.string())) for name in columns])


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
