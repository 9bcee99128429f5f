"""95 % bootstrap intervals of F1, and of differences of F1, over documents (Efron & Tibshirani 1993: percentiles)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.arrays import Floats

__all__ = ["difference", "f1"]

_DRAWS, _SEED = 2000, 0
Interval = tuple[float, float, float]
"""Value, and its lower and upper limit, in per cent."""


def f1(counts: Sequence[Sequence[int]]) -> Interval:
    """F1 of documents with these numbers of right, found and gold."""
    table = np.array(counts, float)
    return _with_limits(_f1(table.sum(axis=0)), _f1(_drawn(table)))


def difference(now: Sequence[Sequence[int]], before: Sequence[Sequence[int]]) -> Interval:
    """How much higher F1 is than before on the same documents, which are drawn together."""
    tables = np.array(now, float), np.array(before, float)
    values = [_f1(table.sum(axis=0)) for table in tables]
    drawn = [_f1(_drawn(table)) for table in tables]
    return _with_limits(values[0] - values[1], drawn[0] - drawn[1])


def _drawn(table: Floats) -> Floats:
    """(draws, 3) sums over documents drawn with replacement, the same in each call for tables of one length."""
    rng = np.random.default_rng(_SEED)
    times = rng.multinomial(len(table), np.full(len(table), 1 / len(table)), size=_DRAWS)
    sums: Floats = times @ table
    return sums


def _f1(sums: Floats) -> Floats:
    values: Floats = 200 * sums[..., 0] / np.maximum(sums[..., 1] + sums[..., 2], 1)
    return values


def _with_limits(value: Floats, drawn: Floats) -> Interval:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(value), float(low), float(high)
