"""Apply a function to all names of a terminology, chunk by chunk, in several processes if there are many names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from linnet.system.cores import cores
from linnet.system.processes import pool
from linnet.terminology import Terminology

__all__ = ["map_name_chunks"]

T = TypeVar("T")

# For fewer names, starting processes costs more than it saves.
_WORTH_PROCESSES = 1 << 19


def map_name_chunks(
    function: Callable[[list[str]], T], terminology: Terminology, *, size: int, threads: int | None
) -> Iterator[tuple[slice, T]]:
    """For each chunk of at most `size` names, in order: its name rows, and what `function` returns for its texts.

    function  defined in a module, where another process finds it
    threads   processes for large terminologies, None for all cores
    """
    total = len(terminology.names)
    chunks = [slice(start, min(start + size, total)) for start in range(0, total, size)]
    workers = min(threads or cores(), len(chunks))
    if workers > 1 and total >= _WORTH_PROCESSES:
        with pool(workers) as processes:
            jobs = [(function, terminology.path, rows) for rows in chunks]
            yield from zip(chunks, processes.map(_apply, jobs), strict=True)
    else:
        for rows in chunks:
            yield rows, function(terminology.names.take(range(rows.start, rows.stop)))


@lru_cache(maxsize=1)
def _open(path: Path) -> Terminology:
    return Terminology.open(path)


def _apply(job: tuple[Callable[[list[str]], T], Path, slice]) -> T:
    """Runs in a process of its own."""
    function, path, rows = job
    return function(_open(path).names.take(range(rows.start, rows.stop)))
