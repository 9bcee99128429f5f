"""Frames of other libraries as tables of Python values; a library is used only where a frame of it is given."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from linnet.arrays import Ints
from linnet.errors import RequestError

__all__ = ["Added", "Kind", "Table", "table_of"]

Kind = Literal["text", "texts", "number", "candidates"]

# Name, kind and distinct values of a column to add, None for missing.
Added = tuple[str, Kind, list[Any]]


class Table(Protocol):
    """A frame, seen as columns."""

    columns: list[Hashable]

    def values(self, column: Hashable) -> list[Any]:
        """The values of a column, None where one is missing."""

    def adding(self, added: Sequence[Added], rows: Ints) -> Any:
        """A new frame of the same kind, with further columns: of each the values at these places, (rows,)."""


def table_of(frame: object) -> Table:
    """The frame as a table. Raises RequestError for what is none, saying how to make one of it."""
    for library, kinds in _KINDS.items():
        module = sys.modules.get(library)
        for name, kind in kinds.items():
            if module is not None and isinstance(frame, getattr(module, name)):
                if isinstance(kind, str):
                    raise RequestError(f"A {library} {name} cannot be linked as it is. Give {kind}.")
                return kind(frame)
    got = f"{type(frame).__module__}.{type(frame).__qualname__}"
    raise RequestError(
        f"{got} is no frame that can be linked. Give a pandas or polars DataFrame or a pyarrow Table; "
        "for a list of texts there is linnet.load(DIR).link(texts)."
    )


class _Pandas:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns = list(frame.columns)

    def values(self, column: Hashable) -> list[Any]:
        if self.columns.count(column) > 1:
            raise RequestError(f"The frame has several columns '{column}'. Rename all but one.")
        found = self._frame[column]
        objects = found.astype(object)
        return objects.where(found.notna(), None).tolist()  # type: ignore[no-any-return]

    def adding(self, added: Sequence[Added], rows: Ints) -> Any:
        import pandas as pd

        made = {}
        for name, kind, values in added:
            if kind == "number":
                column = np.array(values, np.float64)[rows]
            elif kind == "text":
                column = pd.array(values, dtype="string").take(rows)
            else:
                # Tuples, as equal rows share them.
                objects = np.empty(len(values), object)
                objects[:] = [None if value is None else tuple(value) for value in values]
                column = objects[rows]
            # The index is the frame's own, so nothing is aligned: repeated labels do no harm.
            made[name] = pd.Series(column, index=self._frame.index)
        return self._frame.assign(**made)


class _Polars:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns: list[Hashable] = list(frame.columns)

    def values(self, column: Hashable) -> list[Any]:
        return self._frame[column].to_list()  # type: ignore[no-any-return]

    def adding(self, added: Sequence[Added], rows: Ints) -> Any:
        import polars as pl

        return self._frame.with_columns(pl.Series(one[0], _arrow(one, rows)) for one in added)


class _Arrow:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns: list[Hashable] = list(frame.column_names)

    def values(self, column: Hashable) -> list[Any]:
        if self.columns.count(column) > 1:
            raise RequestError(f"The table has several columns '{column}'. Rename all but one.")
        return self._frame[column].to_pylist()  # type: ignore[no-any-return]

    def adding(self, added: Sequence[Added], rows: Ints) -> Any:
        table = self._frame
        for one in added:
            table = table.append_column(one[0], _arrow(one, rows))
        return table


def _arrow(added: Added, rows: Ints) -> Any:
    """The column as an Arrow array."""
    import pyarrow as pa

    text, number = pa.string(), pa.float64()
    candidate = pa.struct({"concept": text, "name": text, "score": number, "origin": text})
    kinds: dict[Kind, Any] = {
        "text": text,
        "texts": pa.list_(text),
        "number": number,
        "candidates": pa.list_(candidate),
    }
    return pa.array(added[2], kinds[added[1]]).take(pa.array(rows))


# Library → class of its frames → how it is read, or what to give instead.
_KINDS: dict[str, dict[str, Callable[[Any], Table] | str]] = {
    "pandas": {"DataFrame": _Pandas, "Series": "series.to_frame(name) and the name as column"},
    "polars": {
        "DataFrame": _Polars,
        "LazyFrame": "frame.collect(): all rows have to be seen",
        "Series": "series.to_frame() and its name as column",
    },
    "pyarrow": {"Table": _Arrow, "RecordBatch": "pyarrow.Table.from_batches([batch])"},
}
