"""The features of all names of a terminology, computed beforehand in its index `parts`, for a listwise reranker.

On disk: `parts.npy`, one record for each name row (88 bytes), memory-mapped, so that a name costs one access. Vectors come
from the dense index. Without this index a reranker computes features as names turn up, which costs more than all its other
work.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

from numpy.lib.format import open_memmap

from linnet.advice import Advice
from linnet.arrays import Array, Ints
from linnet.rerank.name_features import RECORD, extract_features
from linnet.retrieve.index import Companion
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.name_chunks import map_name_chunks
from linnet.retrieve.row_file import RowFile
from linnet.terminology import Terminology

__all__ = ["NameFeatureIndex"]

_CHUNK = 1 << 15  # names processed at a time
_LARGE = 1 << 27  # bytes of a file of which a process holds only part


class NameFeatureIndex(Companion):
    """Name rows of one terminology → their features."""

    kind = "parts"
    version = 1  # of `extract_features`

    def __init__(self, records: Array | RowFile) -> None:
        self._records = records

    @classmethod
    def build(
        cls,
        terminology: Terminology,
        *,
        threads: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Compute the features of all names, write `index/parts` and open it.

        threads   processes for large terminologies, None for all cores
        progress  called with the names done and the total

        Raises StoreError if the disk cannot be written.
        """
        total = len(terminology.names)
        with cls.writing(terminology) as draft:
            records = open_memmap(draft / "parts.npy", mode="w+", dtype=RECORD, shape=(total,))
            for chunk, values in map_name_chunks(extract_features, terminology, size=_CHUNK, threads=threads):
                records[chunk] = values
                if progress is not None:
                    progress(chunk.stop, total)
            records.flush()
            del records
        return cls.open(terminology)

    @classmethod
    def read(cls, path: Path, *, rebuild: Advice) -> Self:
        file = path / "parts.npy"
        records = map_array(file, rebuild=rebuild)
        return cls(records if records.nbytes < _LARGE else RowFile(file))

    def take(self, rows: Ints) -> Array:
        """(M,) the features of name rows, of `RECORD`."""
        return self._records.take(rows)
