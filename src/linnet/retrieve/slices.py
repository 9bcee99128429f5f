"""Split a batch into even slices and share them among threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from linnet.system.blas import single_threaded_blas

__all__ = ["even_slices", "run_in_slices"]


def even_slices(count: int, *, most: int, threads: int) -> list[slice]:
    """Slices of 0 … `count`, of at most `most` items, their number a multiple of `threads` if there are several.

    Sizes differ by at most 1, so that no thread waits for another's last slice.

    >>> even_slices(10, most=4, threads=2)
    [slice(0, 2, None), slice(2, 5, None), slice(5, 7, None), slice(7, 10, None)]
    """
    slices = -(-count // most)
    if slices > 1:
        slices = min(-(-slices // threads) * threads, count)
    ends = [count * number // max(slices, 1) for number in range(slices + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]


def run_in_slices(work: Callable[[slice], None], count: int, *, most: int, alone: int, threads: int) -> None:
    """Call `work` with slices of `count` items, on several threads. BLAS uses one thread in each.

    most   items in a slice
    alone  do not split fewer items than this
    """
    slices = even_slices(count, most=min(most, max(alone, -(-count // threads))), threads=threads)
    with single_threaded_blas():
        if len(slices) < 2 or threads == 1:
            for part in slices:
                work(part)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, slices))
