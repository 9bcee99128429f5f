"""A batch in parts for threads."""

from __future__ import annotations

from itertools import pairwise

__all__ = ["equal_parts"]


def equal_parts(count: int, *, most: int, threads: int) -> list[slice]:
    """`count` things in parts of at most `most`, all but equal, so many that no thread waits for another's last part.

    >>> equal_parts(10, most=4, threads=2)
    [slice(0, 2, None), slice(2, 5, None), slice(5, 7, None), slice(7, 10, None)]
    """
    parts = -(-count // most)
    if parts > 1:
        parts = min(-(-parts // threads) * threads, count)
    ends = [count * number // max(parts, 1) for number in range(parts + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]
