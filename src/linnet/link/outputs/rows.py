"""One row per linked mention, for tables: CSV, TSV and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linnet.errors import RequestError
from linnet.files import open_output, replacing
from linnet.link.linker import Linked
from linnet.types import Link

__all__ = ["COLUMNS", "write_csv", "write_parquet", "write_tsv"]

COLUMNS = (
    "document",
    "id",
    "start",
    "end",
    "text",
    "type",
    "concepts",
    "name",
    "probability",
    "score",
    "matched",
    "origin",
)


def write_csv(linked: Iterable[Linked], path: str | Path) -> None:
    """Comma-separated, with a header; several concepts are joined with `|`; the best candidate's name is `matched`."""
    _write_delimited(linked, path, delimiter=",")


def write_tsv(linked: Iterable[Linked], path: str | Path) -> None:
    """As `write_csv`, tab-separated."""
    _write_delimited(linked, path, delimiter="\t")


def write_parquet(linked: Iterable[Linked], path: str | Path) -> None:
    """The same columns as a Parquet file, `concepts` as a list; row groups follow the batches."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if str(path) == "-":
        raise RequestError("Parquet cannot be written to standard output. Name a file: -o links.parquet")
    text, number = pa.string(), pa.float64()
    kinds: dict[str, Any] = {
        "start": pa.int64(),
        "end": pa.int64(),
        "concepts": pa.list_(text),
        "probability": number,
        "score": number,
    }
    schema = pa.schema([(name, kinds.get(name, text)) for name in COLUMNS])
    with replacing(path) as draft, pq.ParquetWriter(draft, schema) as writer:
        rows: list[dict[str, Any]] = []
        for document, links in linked:
            rows.extend(_row(document.id, link) for link in links)
            if len(rows) >= 50_000:
                writer.write_table(pa.Table.from_pylist(rows, schema))
                rows = []
        writer.write_table(pa.Table.from_pylist(rows, schema))


def _write_delimited(linked: Iterable[Linked], path: str | Path, *, delimiter: str) -> None:
    with open_output(path) as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        for document, links in linked:
            for link in links:
                row = _row(document.id, link)
                writer.writerow({**row, "concepts": "|".join(row["concepts"])})


def _row(document: str, link: Link) -> dict[str, Any]:
    mention, best = link.mention, link.candidates[0] if link.candidates else None
    return {
        "document": document,
        "id": str(mention.extra.get("id", "")),
        "start": mention.start,
        "end": mention.end,
        "text": mention.text,
        "type": mention.type,
        "concepts": list(link.concepts),
        "name": link.name,
        "probability": link.probability,
        "score": best.score if best else None,
        "matched": best.name if best else "",
        "origin": best.origin if best else "",
    }
