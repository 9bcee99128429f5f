"""Significance tests between two systems on the same mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, sqrt

import numpy as np

from linnet.evaluate.interval import bootstrap, by_document

__all__ = ["Difference", "McNemar", "mcnemar", "paired_bootstrap"]

# With fewer discordant pairs the chi-squared approximation is poor (Fagerland et al. 2013).
_EXACT_BELOW = 25


@dataclass(frozen=True, slots=True)
class McNemar:
    """Number of mentions only one of two systems gets right, and the two-sided p of such a split by chance."""

    only_first: int
    only_second: int
    p: float
    test: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Accuracy of the first system minus the second, with a 95 % interval; None with fewer than two documents."""

    value: float
    low: float | None
    high: float | None


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """McNemar's test on paired outcomes, symmetric in the two.

    Exact binomial below 25 discordant pairs, else chi-squared with continuity correction (Edwards 1948).
    """
    pairs = list(zip(first, second, strict=True))
    a, b = sum(x and not y for x, y in pairs), sum(y and not x for x, y in pairs)
    n = a + b
    if n < _EXACT_BELOW:
        tail = sum(comb(n, i) for i in range(min(a, b) + 1)) / 2**n
        return McNemar(a, b, min(1.0, 2 * tail), "exact binomial")
    chi = max(abs(a - b) - 1, 0) ** 2 / n
    # the upper tail of chi-squared with one degree of freedom
    return McNemar(a, b, erfc(sqrt(chi / 2)), "chi-squared with continuity correction")


def paired_bootstrap(first: Sequence[bool], second: Sequence[bool], documents: Sequence[str]) -> Difference:
    """Difference of two accuracies on the same mentions; draws whole documents, with both systems' answers."""
    if len(first) != len(second) or len(first) != len(documents):
        raise ValueError("outcomes and documents must have the same length")
    if not len(first):
        return Difference(0.0, None, None)
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    sums = by_document(documents, difference, np.ones(len(difference)))
    limits = bootstrap(sums, lambda totals: totals[:, 0] / totals[:, 1])
    return Difference(float(difference.mean()), *(limits or (None, None)))
