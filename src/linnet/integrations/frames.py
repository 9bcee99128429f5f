"""Data frames in, data frames with columns of concepts out: pandas, polars and Arrow.

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
from linnet.link.linker_config import LinkerConfig
from linnet.types import Link, Mention

__all__ = ["columns", "link_frame"]

Frame = TypeVar("Frame")

# What can be said of each row: name of the column (after the prefix) → its kind and value.
columns: dict[str, tuple[Kind, Callable[[Link], Any]]] = {
    "concept": ("text", lambda link: link.concepts[0] if link.concepts else None),
    "concepts": ("texts", lambda link: list(link.concepts)),
    "name": ("text", lambda link: link.name or None),
    "probability": ("number", lambda link: link.probability),
    "score": ("number", lambda link: link.candidates[0].score if link.candidates else None),
    "matched": ("text", lambda link: link.candidates[0].name if link.candidates else None),
    "origin": ("text", lambda link: link.candidates[0].origin if link.candidates else None),
    "candidates": ("candidates", lambda link: [asdict(one) for one in link.candidates]),
}

# Distinct mentions linked at a time; those of one document stay together.
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
    """A frame of the same kind with columns of concepts: same rows, same order, same index; the given one is not changed.

    frame           a pandas or polars DataFrame, or an Arrow table
    column          holds the mentions, as text. Where it is missing or blank, what is added is missing
    terminology     a directory that `linnet index` has seen, several in order of precedence, or a `linnet.Linker`, which
                    `linnet.load` opens with options
    left, right     columns with the text before and after the mention
    document        column that says which rows are of one document: they share its abbreviations. Ids may be numbers
    type            column that says what kind of thing is meant ("Disease")
    add             which columns, or which one, of `columns`; each is named with the prefix
    k               candidates, in a column of "candidates", 1 at least

    Of NIL, `concepts` is empty, while `concept`, `name` and `probability` are missing; of a composite mention `concepts` has
    several ids and `concept` is the first. Equal mentions are linked once.

    Raises RequestError for what is no such frame, a column it has not, one it has already, or no candidates; UnknownNameError for a
    column that cannot be added; DataError for a column that holds no text; StoreError and its kin where the
    terminology cannot be used.
    """
    add = [add] if isinstance(add, str) else list(dict.fromkeys(add))
    unknown = next((name for name in add if name not in columns), None)
    if unknown is not None:
        raise UnknownNameError("column to add", unknown, columns)
    if k < 1:
        raise RequestError(f"k is {k}: a mention needs a candidate to be linked to. Ask for 1 or more.")
    table = table_of(frame)
    taken = [prefix + name for name in add if prefix + name in table.columns]
    if taken:
        raise RequestError(
            f"The frame has a column '{taken[0]}' already. Drop it, or name what is added otherwise: prefix='linnet_'."
        )
    keys = _keys(table, column, [left, right, type], document)
    if isinstance(terminology, Linker):
        linker = terminology
    else:
        paths = [terminology] if isinstance(terminology, str | Path) else list(terminology)
        linker = LinkerConfig.of(paths, {}).open()
    wanted = [(prefix + name, *columns[name]) for name in add]
    places: dict[_Key | None, int] = {}
    rows = np.fromiter((places.setdefault(key, len(places)) for key in keys), np.int64, len(keys))
    said = _said(linker, [key for key in places if key is not None], [one[2] for one in wanted], k=k)
    nothing = [None] * len(wanted)
    values = [nothing if key is None else said[key] for key in places]
    added = [(name, kind, [one[place] for one in values]) for place, (name, kind, _) in enumerate(wanted)]
    return table.adding(added, rows)  # type: ignore[no-any-return]


def _keys(
    table: Table, column: Hashable, context: Sequence[Hashable | None], document: Hashable | None
) -> list[_Key | None]:
    """What is to be linked of each row; None where the text is missing or blank."""
    texts = _texts(table, column)
    nothing: list[str | None] = [None] * len(texts)
    left, right, type = (nothing if one is None else _texts(table, one) for one in context)
    homes = nothing if document is None else [_id(value) for value in _values(table, document)]
    return [
        (text.strip(), before or "", after or "", home or "", kind or "") if text and text.strip() else None
        for text, before, after, home, kind in zip(texts, left, right, homes, type, strict=True)
    ]


def _texts(table: Table, column: Hashable) -> list[str | None]:
    values = _values(table, column)
    for row, value in enumerate(values):
        if value is not None and not isinstance(value, str):
            raise DataError(
                f"row {row} (counted from 0) of column '{column}' holds {value!r}, which is no text. "
                "Convert the column to text first."
            )
    return values


def _values(table: Table, column: Hashable) -> list[Any]:
    if column not in table.columns:
        near = get_close_matches(str(column), [str(name) for name in table.columns], n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        there = ", ".join(str(name) for name in table.columns) or "none"
        raise RequestError(f"The frame has no column '{column}'.{hint} It has: {there}.")
    return table.values(column)


def _id(value: Any) -> str | None:
    """Ids of documents may be numbers; that which is no number is missing."""
    return None if value is None or value != value else str(value)


def _said(
    linker: Linker, keys: Sequence[_Key], asked: Sequence[Callable[[Link], Any]], *, k: int
) -> dict[_Key, list[Any]]:
    """What is asked of the link of each key. Only that is kept: links hold on to all they were made from."""
    said = {}
    for batch in _batches(keys):
        mentions = [
            Mention.alone(text, left=left, right=right, document=document, type=type)
            for text, left, right, document, type in batch
        ]
        for key, link in zip(batch, linker.link(mentions, k=k), strict=True):
            said[key] = [ask(link) for ask in asked]
    return said


def _batches(keys: Sequence[_Key]) -> Iterator[list[_Key]]:
    """The keys, those of one document in one batch."""
    together: dict[object, list[_Key]] = {}
    for key in keys:
        together.setdefault(key[3] or key, []).append(key)
    batch: list[_Key] = []
    for group in together.values():
        batch += group
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
