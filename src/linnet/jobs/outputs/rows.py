"""Tables with one row per linked mention: CSV, TSV and Parquet.

If the input was a table, its rows are written with all their columns, in order, followed by columns for the links.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.link_output import ASSERTION, LINK_COLUMNS, RELATION, SECTION, TEXT_KIND
from linnet.errors import DataError, RequestError
from linnet.formats.delimited import ROW_END, row_stream
from linnet.io.control_characters import spaced
from linnet.io.files import open_output, replacing
from linnet.link.linker import Linked
from linnet.link.relations import relation_of
from linnet.types import Document, Link

__all__ = ["COLUMNS", "LINK_COLUMNS", "write_csv", "write_parquet", "write_tsv"]

_MENTION_COLUMNS = ("document", "id", "start", "end", "text", "type")
_LINKS = (*LINK_COLUMNS, RELATION)
COLUMNS = (*_MENTION_COLUMNS, *_LINKS)
_BATCH = 50_000

Row = dict[str, Any]


def write_csv(linked: Iterable[Linked], path: str | Path, *, assertion: bool = False) -> None:
    """Comma-separated, with a header; several concepts are joined with `|`; the best candidate's name is `matched`; `relation` is what
    the concept is to the text, see `relation_of`.

    Mentions from a table keep its columns, in place of `document` … `type`. If one of these has the name of a column of
    links, the latter becomes `linked_concepts`, `linked_name` …

    assertion  with a column of what the text says of the mentions, joined as concepts are, and columns of the section they stand in
               and of what their text was read as
    """
    _write_delimited(linked, path, delimiter=",", links=_link_columns(assertion))


def write_tsv(linked: Iterable[Linked], path: str | Path, *, assertion: bool = False) -> None:
    """As `write_csv`, tab-separated."""
    _write_delimited(linked, path, delimiter="\t", links=_link_columns(assertion))


def write_parquet(linked: Iterable[Linked], path: str | Path, *, assertion: bool = False) -> None:
    """As `write_csv`, as a Parquet file, with `concepts` and `assertion` as lists. From a table, all rows are held in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if str(path) == "-":
        raise RequestError("Parquet cannot be written to standard output. Name a file: -o links.parquet")
    links = _link_columns(assertion)
    columns, rows = _rows(linked, path, links)
    with replacing(path) as draft:
        if columns == (*_MENTION_COLUMNS, *links):
            with pq.ParquetWriter(draft, _schema(columns)) as writer:
                while batch := list(islice(rows, _BATCH)):
                    writer.write_table(pa.Table.from_pylist(batch, _schema(columns)))
            return
        kept, own = list(rows), columns[: -len(links)]
        try:
            given = pa.Table.from_pylist([{name: row[name] for name in own} for row in kept]).schema
            table = pa.Table.from_pylist(kept, pa.unify_schemas([given, _schema(columns[len(own) :])]))
        except pa.ArrowException as error:
            raise DataError(f"the rows do not form a Parquet table: {error}.", path=path) from None
        pq.write_table(table, draft)


def _link_columns(assertion: bool) -> tuple[str, ...]:
    return (*_LINKS, ASSERTION, SECTION, TEXT_KIND) if assertion else _LINKS


def _write_delimited(
    linked: Iterable[Linked], path: str | Path, *, delimiter: str, links: Sequence[str]
) -> None:
    with open_output(path) as stream:
        columns, rows = _rows(linked, path, links)
        writer = csv.writer(row_stream(stream), delimiter=delimiter, lineterminator=ROW_END)
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_cell(row[name]) for name in columns])


def _rows(
    linked: Iterable[Linked], path: str | Path, links: Sequence[str]
) -> tuple[Sequence[str], Iterator[Row]]:
    """The columns, as determined by the first document, and the rows."""
    documents = iter(linked)
    first = next(documents, None)
    own = None if first is None else _table_row(first.document)
    complete = documents if first is None else chain([first], documents)
    if own is None:
        columns = (*_MENTION_COLUMNS, *links)
        return columns, (_mention_row(document.id, link) for document, found in complete for link in found)
    columns = (*own, *(_free(name, own) for name in links))
    return columns, _table_rows(complete, columns, path, links)


def _table_rows(
    linked: Iterable[Linked], columns: Sequence[str], path: str | Path, links: Sequence[str]
) -> Iterator[Row]:
    own, added = columns[: -len(links)], columns[-len(links) :]
    for document, found in linked:
        row = _table_row(document)
        if row is None or tuple(row) != own:
            raise DataError(
                f"document '{document.id}' is not a row with the columns {', '.join(own)}, like those before it.",
                Step.WRITE_AS(format="jsonl"),
                path=path,
            )
        link = _link_row(found[0]) if found else {"concepts": []}
        yield {**row, **{name: link.get(key) for name, key in zip(added, links, strict=True)}}


def _table_row(document: Document) -> Mapping[str, Any] | None:
    row: Mapping[str, Any] | None = document.extra.get("table", {}).get("row")
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
        **_link_row(link),
    }


def _link_row(link: Link) -> Row:
    """The columns of a link; for a composite, the names that its parts matched, and the lowest of their scores."""
    best = [part.candidates[0] for part in link.parts or (link,) if part.candidates]
    return {
        "concepts": list(link.concepts),
        "name": link.name,
        "probability": link.probability,
        "score": min((candidate.score for candidate in best), default=None),
        "matched": "|".join(candidate.name for candidate in best),
        "origin": "|".join(part.origin for part in link.parts or (link,) if part.origin),
        RELATION: relation_of(link),
        ASSERTION: list(link.assertion or ()),
        SECTION: link.section,
        TEXT_KIND: link.mention.document.text_kind,
    }


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name = f"linked_{name}"
    return name


def _cell(value: Any) -> Any:
    """A list joined; control characters as spaces, as readers take a file with them for a binary one."""
    cell = "|".join(map(str, value)) if isinstance(value, list) else value
    return spaced(cell) if isinstance(cell, str) else cell


def _schema(columns: Sequence[str]) -> Any:
    import pyarrow as pa

    kinds = {
        "start": pa.int64(),
        "end": pa.int64(),
        "concepts": pa.list_(pa.string()),
        ASSERTION: pa.list_(pa.string()),
        "probability": pa.float64(),
        "score": pa.float64(),
    }
    return pa.schema([(name, kinds.get(name.rpartition("linked_")[2], pa.string())) for name in columns])
