"""Frames of other libraries as tables of Python values; a library is used only where a frame of it is given."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, Protocol

from linnet.errors import RequestError

__all__ = ["Added", "Kind", "Table", "table_of"]

Kind = Literal["text", "texts", "number", "candidates"]

# Name, kind and values of a column to add, None for missing.
Added = tuple[str, Kind, list[Any]]


class Table(Protocol):
    """A frame, seen as columns."""

    columns: list[Hashable]

    def values(self, column: Hashable) -> list[Any]:
        """The values of a column, None where one is missing."""

    def adding(self, added: Sequence[Added]) -> Any:
        """A new frame of the same kind, with further columns."""


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

    def adding(self, added: Sequence[Added]) -> Any:
        import pandas as pd

        made = {}
        for name, kind, values in added:
            dtype = {"text": "string", "number": "float64"}.get(kind, "object")
            # As the frame's index is theirs, nothing is aligned: repeated labels do no harm.
            made[name] = pd.Series(values, index=self._frame.index, dtype=dtype)
        return self._frame.assign(**made)


class _Polars:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns: list[Hashable] = list(frame.columns)

    def values(self, column: Hashable) -> list[Any]:
        return self._frame[column].to_list()  # type: ignore[no-any-return]

    def adding(self, added: Sequence[Added]) -> Any:
        import polars as pl

        candidate = pl.Struct(
            {"concept": pl.String, "name": pl.String, "score": pl.Float64, "origin": pl.String}
        )
        kinds: dict[Kind, Any] = {
            "text": pl.String,
            "texts": pl.List(pl.String),
            "number": pl.Float64,
            "candidates": pl.List(candidate),
        }
        return self._frame.with_columns(pl.Series(name, values, kinds[kind]) for name, kind, values in added)


class _Arrow:
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns: list[Hashable] = list(frame.column_names)

    def values(self, column: Hashable) -> list[Any]:
        if self.columns.count(column) > 1:
            raise RequestError(f"The table has several columns '{column}'. Rename all but one.")
        return self._frame[column].to_pylist()  # type: ignore[no-any-return]

    def adding(self, added: Sequence[Added]) -> Any:
        import pyarrow as pa

        candidate = pa.struct(
            {"concept": pa.string(), "name": pa.string(), "score": pa.float64(), "origin": pa.string()}
        )
        kinds: dict[Kind, Any] = {
            "text": pa.string(),
            "texts": pa.list_(pa.string()),
            "number": pa.float64(),
            "candidates": pa.list_(candidate),
        }
        table = self._frame
        for name, kind, values in added:
            table = table.append_column(name, pa.array(values, kinds[kind]))
        return table


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
