"""Adds columns of linked concepts to data frames of pandas, polars and Arrow.

from linnet.integrations.frames import link_frame

linked = link_frame(patients, "diagnosis", "mesh/")
linked[["diagnosis", "linked_concept", "linked_name", "linked_probability"]]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.integrations.tables import Kind, Table, table_of
from linnet.link import Linker
from linnet.link.arguments import checked_count
from linnet.link.linker_config import LinkerConfig
from linnet.link.relations import relation_of
from linnet.types import Link, Mention

__all__ = ["columns", "link_frame"]

Frame = TypeVar("Frame")

# Columns that can be added: name (without prefix) → kind and value.
columns: dict[str, tuple[Kind, Callable[[Link], Any]]] = {
    "concept": ("text", lambda link: link.concepts[0] if link.concepts else None),
    "concepts": ("texts", lambda link: list(link.concepts)),
    "name": ("text", lambda link: link.name or None),
    "probability": ("number", lambda link: link.probability),
    "score": ("number", lambda link: link.candidates[0].score if link.candidates else None),
    "matched": ("text", lambda link: link.candidates[0].name if link.candidates else None),
    "origin": ("text", lambda link: link.origin or None),
    "relation": ("text", lambda link: relation_of(link) or None),
    "candidates": ("candidates", lambda link: [asdict(candidate) for candidate in link.candidates]),
}

# Distinct mentions linked at a time; mentions of one document stay together.
_BATCH = 4096

# Text, left, right, document, type.
_Key = tuple[str, str, str, str, str]


def link_frame(
    frame: Frame,
    column: Hashable,
    terminology: str | Path | Sequence[str | Path] | Linker,
    *,
    left: Hashable | None = None,
    right: Hashable | None = None,
    document: Hashable | None = None,
    type: Hashable | None = None,
    add: str | Sequence[str] = ("concept", "concepts", "name", "probability"),
    prefix: str = "linked_",
    k: int = 5,
) -> Frame:
    """A copy of the frame with columns of linked concepts: same kind, rows, order and index.

    frame           a pandas or polars DataFrame, or an Arrow table
    column          the mentions, as text. If one is missing or blank, the added values are missing
    terminology     the folder of an indexed terminology, several in order of precedence, or a `linnet.Linker` from
                    `linnet.load`
    left, right     columns with the text before and after the mention
    document        column with the id of the document, text or number: mentions of one document share its abbreviations
    type            column with the type of the mention ("Disease")
    add             columns to add, or one column, of `columns`; their names get the prefix
    k               number of candidates in the column "candidates", at least 1

    For NIL, `concepts` is empty, and `concept`, `name` and `probability` are missing; of NIL that an override decides, `probability`
    is 1.0 and `origin` "override". For a composite mention, `concepts` has
    several ids and `concept` is the first. Equal mentions are linked once.

    Raises RequestError for other objects, an absent column, an existing column to add, and a k below 1; UnknownNameError for an
    unknown column to add; DataError for a column that is not text; StoreError or a subclass if the terminology cannot be used.
    """
    add = [add] if isinstance(add, str) else list(dict.fromkeys(add))
    unknown = next((name for name in add if name not in columns), None)
    if unknown is not None:
        raise UnknownNameError("column to add", unknown, columns)
    k = checked_count(k)
    table = table_of(frame)
    taken = [prefix + name for name in add if prefix + name in table.columns]
    if taken:
        raise RequestError(
            f"The frame already has a column '{taken[0]}'. Drop it, or use another prefix: prefix='linnet_'."
        )
    keys = _keys(table, column, [left, right, type], document)
    if isinstance(terminology, Linker):
        linker = terminology
    else:
        paths = [terminology] if isinstance(terminology, str | Path) else list(terminology)
        linker = LinkerConfig.of(paths, {}).open()
    positions: dict[_Key | None, int] = {}
    rows = np.fromiter((positions.setdefault(key, len(positions)) for key in keys), np.int64, len(keys))
    value_functions = [columns[name][1] for name in add]
    values = _linked_values(linker, [key for key in positions if key is not None], value_functions, k=k)
    rows_of_values = [[None] * len(add) if key is None else values[key] for key in positions]
    added = [
        (prefix + name, columns[name][0], [row[position] for row in rows_of_values])
        for position, name in enumerate(add)
    ]
    return table.adding(added, rows)  # type: ignore[no-any-return]


def _keys(
    table: Table, column: Hashable, context: Sequence[Hashable | None], document: Hashable | None
) -> list[_Key | None]:
    """The mention of each row; None if the text is missing or blank."""
    texts = _texts(table, column)
    missing: list[str | None] = [None] * len(texts)
    left, right, type = (missing if name is None else _texts(table, name) for name in context)
    ids = missing if document is None else [_id(value) for value in _values(table, document)]
    return [
        (text.strip(), before or "", after or "", id or "", kind or "") if text and text.strip() else None
        for text, before, after, id, kind in zip(texts, left, right, ids, type, strict=True)
    ]


def _texts(table: Table, column: Hashable) -> list[str | None]:
    values = _values(table, column)
    for row, value in enumerate(values):
        if value is not None and not isinstance(value, str):
            raise DataError(
                f"row {row} (counted from 0) of column '{column}' holds {value!r}, which is not text. "
                "Convert the column to text first."
            )
    return values


def _values(table: Table, column: Hashable) -> list[Any]:
    if column not in table.columns:
        near = get_close_matches(str(column), [str(name) for name in table.columns], n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        names = ", ".join(str(name) for name in table.columns) or "none"
        raise RequestError(f"The frame has no column '{column}'.{hint} Columns: {names}.")
    return table.values(column)


def _id(value: Any) -> str | None:
    """A document's id as text; None and NaN are missing."""
    return None if value is None or value != value else str(value)


def _linked_values(
    linker: Linker, keys: Sequence[_Key], functions: Sequence[Callable[[Link], Any]], *, k: int
) -> dict[_Key, list[Any]]:
    """The values of these functions for the link of each mention. Links are not kept, as they refer to all hits."""
    values = {}
    for batch in _batches(keys):
        mentions = [
            Mention.alone(text, left=left, right=right, document=document, type=type)
            for text, left, right, document, type in batch
        ]
        for key, link in zip(batch, linker.link(mentions, k=k), strict=True):
            values[key] = [function(link) for function in functions]
    return values


def _batches(keys: Sequence[_Key]) -> Iterator[list[_Key]]:
    """Batches of mentions; those of one document are in one batch."""
    documents: dict[object, list[_Key]] = {}
    for key in keys:
        documents.setdefault(key[3] or key, []).append(key)
    batch: list[_Key] = []
    for group in documents.values():
        batch += group
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
