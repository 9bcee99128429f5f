"""A batch in parts, shared out among threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from linnet.blas import single_threaded_blas

__all__ = ["even_slices", "run_in_slices"]


def even_slices(count: int, *, most: int, threads: int) -> list[slice]:
    """`count` things in parts of at most `most`, all but equal, so many that no thread waits for another's last part.

    >>> even_slices(10, most=4, threads=2)
    [slice(0, 2, None), slice(2, 5, None), slice(5, 7, None), slice(7, 10, None)]
    """
    parts = -(-count // most)
    if parts > 1:
        parts = min(-(-parts // threads) * threads, count)
    ends = [count * number // max(parts, 1) for number in range(parts + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]


def run_in_slices(work: Callable[[slice], None], count: int, *, most: int, alone: int, threads: int) -> None:
    """Call `work` for all parts of `count` things, of at most `most`, on several threads; BLAS uses one in each.

    alone  so few things are not shared out
    """
    parts = even_slices(count, most=min(most, max(alone, -(-count // threads))), threads=threads)
    with single_threaded_blas():
        if len(parts) < 2 or threads == 1:
            for part in parts:
                work(part)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, parts))
