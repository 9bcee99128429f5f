"""The names of a terminology taken apart beforehand, in its index `parts`: what a listwise reranker compares.

On disk: `parts.npy`, one record a name row (88 bytes), memory-mapped, so that a name costs one look at one place. Vectors are
not in it: those of the dense index serve. A reranker works without it too, taking names apart as they turn up, which
costs more than all else it does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.lib.format import open_memmap

from linnet.arrays import Array, Ints
from linnet.cores import cores
from linnet.processes import pool
from linnet.rerank.name_features import WORDS, NameFeatures, extract_features
from linnet.retrieve.index import Companion
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.row_file import RowFile
from linnet.terminology import Terminology
from linnet.text import LEVELS

__all__ = ["NameFeatureIndex"]

_RECORD = np.dtype(
    [
        ("words", "<u4", (WORDS,)),
        ("levels", "<u4", (len(LEVELS),)),
        ("head", "<u4"),
        ("first", "<u4"),
        ("last", "<u4"),
        ("numbers", "<u4"),
        ("length", "<u2"),
        ("count", "<u2"),
    ]
)
_TOGETHER = 1 << 15  # names taken apart at a time
_LARGE = 1 << 27  # bytes from which on a process holds only part of the file
_WORTH_PROCESSES = 1 << 19  # names below which starting processes costs more than it saves


class NameFeatureIndex(Companion):
    """Name rows of one terminology → their parts."""

    kind = "parts"
    version = 1  # of what `extract_features` makes of a name

    def __init__(self, records: Array | RowFile) -> None:
        self._records = records

    @classmethod
    def build(
        cls,
        terminology: Terminology,
        *,
        threads: int | None = None,
        advanced: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Take all names apart, write `index/parts` and open it.

        threads   processes for large terminologies, None for all cores
        advanced  told how many names of how many are done

        Raises StoreError when the disk refuses.
        """
        total = len(terminology.names)
        starts = range(0, total, _TOGETHER)
        workers = min(threads or cores(), len(starts))
        with cls.writing(terminology) as draft:
            out = open_memmap(draft / "parts.npy", mode="w+", dtype=_RECORD, shape=(total,))
            jobs = [(str(terminology.path), start, min(start + _TOGETHER, total)) for start in starts]
            if workers > 1 and total >= _WORTH_PROCESSES:
                with pool(workers) as processes:
                    _fill(out, jobs, processes.map(_records, jobs), advanced)
            else:
                names = terminology.names
                _fill(out, jobs, (_recorded(names.take(range(a, b))) for _, a, b in jobs), advanced)
            out.flush()
            del out
        return cls.open(terminology)

    @classmethod
    def read(cls, path: Path, *, rebuild: str) -> Self:
        file = path / "parts.npy"
        records = map_array(file, rebuild=rebuild)
        return cls(records if records.nbytes < _LARGE else RowFile(file))

    def take(self, rows: Ints) -> NameFeatures:
        """The parts of name rows, (M,) each, without vectors."""
        found = self._records.take(rows)
        columns = {name: found[name] for name in _RECORD.names or ()}
        columns["length"], columns["count"] = (
            columns[name].astype(np.float32) for name in ("length", "count")
        )
        return NameFeatures(**columns, vectors=np.zeros((len(rows), 0), np.int16))


def _fill(
    out: Array, jobs: list[tuple[str, int, int]], found: Any, advanced: Callable[[int, int], None] | None
) -> None:
    for (_, start, stop), records in zip(jobs, found, strict=True):
        out[start:stop] = records
        if advanced is not None:
            advanced(stop, len(out))


def _records(job: tuple[str, int, int]) -> Array:
    """In a process of its own: the records of the names of a terminology from one row to another."""
    path, start, stop = job
    return _recorded(Terminology.open(Path(path)).names.take(range(start, stop)))


def _recorded(texts: list[str]) -> Array:
    parts = extract_features(texts)
    records = np.zeros(len(texts), _RECORD)
    most = np.iinfo(np.uint16).max
    for name in _RECORD.names or ():
        column = getattr(parts, name)
        records[name] = np.minimum(column, most) if name in ("length", "count") else column
    return records
