"""Data frames of other libraries as tables of Python values; a library is used only for its own frames."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from linnet.arrays import Ints
from linnet.errors import RequestError

__all__ = ["Added", "Kind", "Table", "table_of"]

Kind = Literal["text", "texts", "number", "candidates"]

# Name, kind and distinct values of a column to add; None for missing.
Added = tuple[str, Kind, list[Any]]


class Table(Protocol):
    """A frame as columns."""

    columns: list[Hashable]

    def values(self, column: Hashable) -> list[Any]:
        """The values of a column; None for missing ones. Raises RequestError if several columns have this name."""

    def adding(self, added: Sequence[Added], rows: Ints) -> Any:
        """A new frame of the same kind with further columns; row i has the value with index `rows[i]`."""


def table_of(frame: object) -> Table:
    """The frame as a table. Raises RequestError for other objects, with the way to convert them."""
    for library, kinds in _KINDS.items():
        module = sys.modules.get(library)
        for name, kind in kinds.items():
            if module is not None and isinstance(frame, getattr(module, name)):
                if isinstance(kind, str):
                    raise RequestError(f"A {library} {name} cannot be linked. Use {kind}.")
                return kind(frame)
    got = f"{type(frame).__module__}.{type(frame).__qualname__}"
    raise RequestError(
        f"A {got} cannot be linked. Expected a pandas or polars DataFrame or a pyarrow Table; "
        "for a list of texts, use linnet.load(DIR).link(texts)."
    )


class _Pandas:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns = list(frame.columns)

    def values(self, column: Hashable) -> list[Any]:
        if self.columns.count(column) > 1:
            raise RequestError(f"The frame has several columns '{column}'. Rename all but one.")
        series = self._frame[column]
        return series.astype(object).where(series.notna(), None).tolist()  # type: ignore[no-any-return]

    def adding(self, added: Sequence[Added], rows: Ints) -> Any:
        import pandas as pd

        columns = {}
        for name, kind, values in added:
            if kind == "number":
                column = np.array(values, np.float64)[rows]
            elif kind == "text":
                column = pd.array(values, dtype="string").take(rows)
            else:
                # Tuples, as rows with equal values share them.
                objects = np.empty(len(values), object)
                objects[:] = [None if value is None else tuple(value) for value in values]
                column = objects[rows]
            # With the frame's own index, nothing is aligned, so repeated labels do no harm.
            columns[name] = pd.Series(column, index=self._frame.index)
        return self._frame.assign(**columns)


class _Polars:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns: list[Hashable] = list(frame.columns)

    def values(self, column: Hashable) -> list[Any]:
        return self._frame[column].to_list()  # type: ignore[no-any-return]

    def adding(self, added: Sequence[Added], rows: Ints) -> Any:
        import polars as pl

        return self._frame.with_columns(pl.Series(column[0], _arrow(column, rows)) for column in added)


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
        for column in added:
            table = table.append_column(column[0], _arrow(column, rows))
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


# Library → class of its frames → its table, or what to use instead.
_KINDS: dict[str, dict[str, Callable[[Any], Table] | str]] = {
    "pandas": {"DataFrame": _Pandas, "Series": "series.to_frame(name) and the name as column"},
    "polars": {
        "DataFrame": _Polars,
        "LazyFrame": "frame.collect(): all rows are needed",
        "Series": "series.to_frame() and its name as column",
    },
    "pyarrow": {"Table": _Arrow, "RecordBatch": "pyarrow.Table.from_batches([batch])"},
}
