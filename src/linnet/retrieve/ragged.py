"""Lists of different lengths in one flat array: where each begins, and which positions belong to it."""

from __future__ import annotations

import numpy as np

from linnet.arrays import Array, Ints

__all__ = ["concatenated_ranges", "offsets", "run_starts"]


def offsets(counts: Array) -> Ints:
    """(N + 1,) where each of N consecutive lists begins, and the end of the last."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def concatenated_ranges(starts: Ints, counts: Ints) -> Ints:
    """`starts[i], starts[i] + 1, …`, `counts[i]` numbers, for each i in turn."""
    before = np.cumsum(counts) - counts
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts - before, counts))


def run_starts(values: Array) -> Ints:
    """Positions where a run of equal values begins."""
    return np.flatnonzero(np.concatenate([np.ones(len(values[:1]), bool), values[1:] != values[:-1]]))
