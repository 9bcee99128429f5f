"""Tables of bucket vectors: stored compactly, read row by row.

class        content                                        bytes per row of D numbers
StoredTable  rows as float32, float16, int8 or int4         4 D, 2 D, D + 2, D/2 + 2
RandomTable  none: its rows are computed                    0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

import numpy as np

from linnet.arrays import Array, Floats2d, Ints
from linnet.errors import RequestError, UnknownNameError

__all__ = ["QUANTISATIONS", "RandomTable", "StoredTable", "Table"]

# Name → largest stored integer; None for floating-point values.
QUANTISATIONS: dict[str, int | None] = {"float32": None, "float16": None, "int8": 127, "int4": 7}


class Table(Protocol):
    """B vectors of length `dimensions`."""

    @property
    def dimensions(self) -> int: ...

    def rows(self, buckets: Ints) -> Floats2d:
        """(n, D) float32 vectors of the buckets."""
        ...


class StoredTable:
    """Rows as they were written. int8 and int4 rows are integers with a scale for each row."""

    def __init__(self, arrays: Mapping[str, Array], *, quantisation: str, dimensions: int) -> None:
        # Plain arrays: `np.memmap` doubles the time of reading a few rows.
        self.arrays = {name: np.asarray(array) for name, array in arrays.items()}
        self.quantisation = quantisation
        self.dimensions = dimensions

    @classmethod
    def of(cls, table: Floats2d, *, quantisation: str = "int8") -> Self:
        """The quantised table, rounded to nearest: equal tables give equal bytes.

        Raises UnknownNameError for an unknown quantisation, RequestError for int4 with an odd number of dimensions.
        """
        if quantisation not in QUANTISATIONS:
            raise UnknownNameError("quantisation", quantisation, QUANTISATIONS)
        largest = QUANTISATIONS[quantisation]
        dimensions = table.shape[1]
        if largest is None:
            stored = {"table": np.ascontiguousarray(table, dtype=quantisation)}
            return cls(stored, quantisation=quantisation, dimensions=dimensions)
        # The scale is rounded before use, so that it equals the reader's factor.
        scales = (np.abs(table).max(axis=1) / largest).astype(np.float16)
        divisor = np.where(scales > 0, scales, 1).astype(np.float32)
        numbers = np.clip(np.rint(table / divisor[:, None]), -largest, largest).astype(np.int8)
        if quantisation == "int4":
            if dimensions % 2:
                raise RequestError(
                    f"int4 stores two numbers per byte, and {dimensions} dimensions are odd. Use int8."
                )
            shifted = (numbers + 8).astype(np.uint8)
            packed = shifted[:, 0::2] | (shifted[:, 1::2] << 4)
            return cls({"table": packed, "scales": scales}, quantisation=quantisation, dimensions=dimensions)
        return cls({"table": numbers, "scales": scales}, quantisation=quantisation, dimensions=dimensions)

    def rows(self, buckets: Ints) -> Floats2d:
        """(n, D) float32, the vectors of these buckets."""
        stored = self.arrays["table"][buckets]
        if self.quantisation == "int4":
            unpacked = np.empty((len(buckets), self.dimensions), np.float32)
            unpacked[:, 0::2] = stored & 15
            unpacked[:, 1::2] = stored >> 4
            unpacked -= 8
        else:
            unpacked = stored.astype(np.float32)
        if "scales" in self.arrays:
            unpacked *= self.arrays["scales"][buckets].astype(np.float32)[:, None]
        return unpacked


class RandomTable:
    """Rows of +1 and −1 from a hash of (bucket, seed): a random projection without a file."""

    def __init__(self, *, dimensions: int, seed: int) -> None:
        self.dimensions = dimensions
        self.seed = seed

    def rows(self, buckets: Ints) -> Floats2d:
        """(n, D) float32, the vectors of these buckets."""
        words = -(-self.dimensions // 64)
        counter = (np.uint64(self.seed % 2**32) << np.uint64(32)) + np.arange(words, dtype=np.uint64)
        state = buckets.astype(np.uint64)[:, None] * np.uint64(0xD1342543DE82EF95) + _splitmix(counter)
        bits = np.unpackbits(_splitmix(state).astype("<u8").view(np.uint8), axis=1, count=self.dimensions)
        return bits.astype(np.float32) * 2 - 1


def _splitmix(state: Array) -> Array:
    """64 well-mixed bits for each number (Steele, Lea and Flood 2014)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(state ^ (state >> np.uint64(31)))
