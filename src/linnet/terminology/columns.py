"""Columns of a store, read in place from memory-mapped Arrow files: nothing is loaded before it is used."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from linnet.advice import Advice, Step
from linnet.arrays import Array
from linnet.arrays import Rows as StoreRows
from linnet.errors import DamagedError

__all__ = ["Lists", "Strings", "TextLists", "read_columns", "write_columns"]

Rows = Sequence[int] | Array


class Strings:
    """A memory-mapped column of strings; indexing decodes one, `take` several.

    Raises DamagedError for bytes that are not UTF-8, as in a large file whose checksum was not compared.
    """

    def __init__(self, array: pa.Array) -> None:
        _, offsets, data = array.buffers()
        wide = pa.types.is_large_string(array.type)
        self._offsets = np.frombuffer(offsets, dtype=np.int64 if wide else np.int32)
        self._offsets = self._offsets[array.offset : array.offset + len(array) + 1]
        self._data = memoryview(data) if data is not None else memoryview(b"")
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, row: int) -> str:
        try:
            return self.raw(row).decode()
        except UnicodeDecodeError:
            raise _not_utf8() from None

    @property
    def array(self) -> pa.Array:
        """The column for Arrow's own functions. They trust what they read, so the whole column is validated first."""
        try:
            self._array.validate(full=True)
        except pa.ArrowInvalid:
            raise _not_utf8() from None
        return self._array

    def raw(self, row: int) -> bytes:
        """The UTF-8 bytes of one row."""
        return bytes(self._data[self._offsets[row] : self._offsets[row + 1]])

    def take(self, rows: Rows) -> list[str]:
        """The strings of these rows, in this order; many times faster than one by one."""
        at, data = np.asarray(rows, dtype=np.int64), self._data
        starts, stops = self._offsets[at].tolist(), self._offsets[at + 1].tolist()
        try:
            return [str(data[start:stop], "utf-8") for start, stop in zip(starts, stops, strict=True)]
        except UnicodeDecodeError:
            raise _not_utf8() from None

    @property
    def offsets(self) -> Array:
        """(N + 1,) byte offsets of the rows in `data`."""
        return self._offsets

    @property
    def data(self) -> memoryview:
        """The UTF-8 bytes of all rows, concatenated."""
        return self._data

    def find(self, value: str) -> int:
        """Row of `value` in a column sorted by code point, −1 if absent. O(log N), without a dictionary."""
        key = value.encode()
        row = bisect_left(range(len(self)), key, key=self.raw)
        return row if row < len(self) and self.raw(row) == key else -1


def _not_utf8() -> DamagedError:
    return DamagedError(
        "A text of the terminology is not UTF-8: its files were altered.", Step.VERIFY_TERMINOLOGY()
    )


class TextLists:
    """A memory-mapped column of lists of strings; indexing decodes one list."""

    def __init__(self, array: pa.Array) -> None:
        self._offsets = np.frombuffer(array.buffers()[1], dtype=np.int32)[: len(array) + 1]
        self._texts = Strings(array.values)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, row: int) -> list[str]:
        first, last = int(self._offsets[row]), int(self._offsets[row + 1])
        if not 0 <= first <= last <= len(self._texts):
            raise _not_utf8()
        return self._texts.take(range(first, last))


class Lists:
    """A memory-mapped column of integer lists in compressed sparse row form: `offsets` (N + 1,) and `values`."""

    def __init__(self, array: pa.Array) -> None:
        self.offsets: StoreRows = np.frombuffer(array.buffers()[1], dtype=np.int32)[: len(array) + 1]
        values = array.values
        buffer = values.buffers()[1]
        self.values: StoreRows = (
            np.frombuffer(buffer, dtype=np.int32)[: len(values)]
            if buffer is not None
            else np.zeros(0, np.int32)
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> StoreRows:
        return self.values[self.offsets[row] : self.offsets[row + 1]]


def _wrap(array: Any) -> Any:
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return Strings(array)
    if pa.types.is_list(kind) and pa.types.is_int32(kind.value_type):
        return Lists(array)
    if pa.types.is_list(kind):
        return TextLists(array)
    if not pa.types.is_integer(kind):
        raise ValueError(f"unknown column type {kind}")
    # Arrow names its integers as NumPy does; `to_pandas_dtype` needs pandas before pyarrow 26.
    return np.frombuffer(array.buffers()[1], dtype=str(kind))[: len(array)]


def read_columns(path: Path, *, rebuild: Advice) -> dict[str, Any]:
    """The columns of an Arrow IPC file with one record batch: `Strings`, `Lists`, `TextLists`, or arrays.

    rebuild  what the error advises

    Raises DamagedError if the file cannot be read.
    """
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        batch = reader.get_batch(0)
        return {name: _wrap(batch.column(i)) for i, name in enumerate(batch.schema.names)}
    except (OSError, pa.ArrowException, ValueError) as error:
        raise DamagedError(f"{path} cannot be read: {error}.", rebuild) from None


def write_columns(path: Path, columns: dict[str, pa.Array | Sequence[Any]]) -> None:
    """Write an Arrow IPC file with one uncompressed record batch, which can be read in place."""
    batch = pa.record_batch(list(columns.values()), names=list(columns))
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
