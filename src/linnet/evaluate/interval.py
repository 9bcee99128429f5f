"""Confidence intervals: Wilson's for shares, a bootstrap over documents for everything else.

Mentions of one document are not independent (one concept is often named ten times), so both take the document as the
sampling unit: Wilson's interval divides n by the design effect, and the bootstrap draws documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np

from linnet.arrays import Doubles

__all__ = ["DRAWS", "LEVEL", "bootstrap", "by_document", "design_effect", "resampled", "wilson"]

LEVEL = 0.95
# Keeps the Monte Carlo error of a 95 % limit below 1/20 of the interval's width.
DRAWS = 2000
_SEED = 20120706
_CELLS = 4_000_000  # document weights held at a time (32 MB)


def wilson(right: float, total: float, *, effect: float = 1.0, level: float = LEVEL) -> tuple[float, float]:
    """Lower and upper limit of a share, between 0 and 1; (0, 1) for a total of 0.

    effect  design effect: the total counts as total / effect independent observations

    Source: Wilson 1927; the effective sample size as in Korn and Graubard 1998.
    """
    if total <= 0:
        return 0.0, 1.0
    share, n = right / total, total / effect
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if right <= 0 else max(0.0, centre - half)
    high = 1.0 if right >= total else min(1.0, centre + half)
    return low, high


def design_effect(right: Doubles, total: Doubles) -> float:
    """Variance of a share relative to that of independent mentions, at least 1.

    right, total  (D,) per document

    1 where it cannot be estimated: for a single document and for shares of 0 and 1. Source: Kish 1965, the linearised
    variance of the ratio estimator over the binomial variance.
    """
    documents, n = int(np.count_nonzero(total)), float(total.sum())
    if documents < 2:
        return 1.0
    share = float(right.sum()) / n
    binomial = share * (1 - share) / n
    if binomial <= 0:
        return 1.0
    clustered = documents / (documents - 1) * float(((right - share * total) ** 2).sum()) / n**2
    return max(1.0, clustered / binomial)


def by_document(documents: Sequence[str], *columns: Sequence[float] | Doubles) -> Doubles:
    """(D, C) sums of each column per document, documents sorted by id."""
    if not documents:
        return np.zeros((0, len(columns)))
    _, places = np.unique(np.asarray(documents, dtype=object).astype(str), return_inverse=True)
    sums = np.zeros((int(places.max()) + 1, len(columns)))
    for column, values in enumerate(columns):
        np.add.at(sums[:, column], places, np.asarray(values, dtype=np.float64))
    return sums


def resampled(documents: int, *, draws: int = DRAWS) -> Iterator[Doubles]:
    """Blocks (b, D) of document counts, `draws` rows in all; the same on every call."""
    if documents * draws <= _CELLS:
        yield _drawn(documents, draws)
        return
    chance = np.random.default_rng(_SEED)
    block = max(1, _CELLS // documents)
    for start in range(0, draws, block):
        yield _draw(chance, documents, min(block, draws - start))


@lru_cache(maxsize=4)  # all figures of a report use the same draws
def _drawn(documents: int, draws: int) -> Doubles:
    weights = _draw(np.random.default_rng(_SEED), documents, draws)
    weights.flags.writeable = False
    return weights


def _draw(chance: np.random.Generator, documents: int, rows: int) -> Doubles:
    return chance.multinomial(documents, np.full(documents, 1 / documents), size=rows).astype(np.float64)


def bootstrap(
    sums: Doubles, statistic: Callable[[Doubles], Doubles], *, draws: int = DRAWS, level: float = LEVEL
) -> tuple[float, float] | None:
    """Percentile interval of a statistic of column sums, over documents; None with fewer than two documents.

    sums       (D, C) per document, see `by_document`
    statistic  (B, C) totals → (B,) values; NaN (undefined) is ignored

    Source: Efron and Tibshirani 1993, chapter 13.
    """
    if len(sums) < 2:
        return None
    values = np.concatenate([statistic(weights @ sums) for weights in resampled(len(sums), draws=draws)])
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
