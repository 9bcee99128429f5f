"""Measures of agreement on labelled items, with 95 % intervals by resampling documents.

Labels are any hashable values; a mention that an annotator did not mark has a label of its own, so it counts as a disagreement.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

__all__ = ["Measure", "cohens_kappa", "krippendorffs_alpha", "span_f1"]

_SAMPLES = 1000
_CHUNK = 100  # samples at once: bounds memory for very many labels
_Floats = NDArray[np.float64]


class Measure(NamedTuple):
    """A measure with its 95 % interval from resampled documents; None where it is not defined."""

    value: float | None
    interval: tuple[float, float] | None


def span_f1(documents: Sequence[tuple[int, int]]) -> Measure:
    """F1 of two sets of spans. documents: number of shared spans, and sum of both numbers of spans, of each."""
    counts = np.array(documents, np.float64).reshape(-1, 2)

    def measure(weights: _Floats) -> _Floats:
        shared, total = (weights @ counts).T
        return _ratio(2 * shared, total)

    return _estimate(measure, len(counts))


def cohens_kappa(documents: Sequence[Sequence[tuple[Hashable, Hashable]]]) -> Measure:
    """Cohen's kappa. documents: pairs of labels of each.

    Not defined without items, or where both use one and the same label only.
    Source: Cohen 1960: (p_o − p_e) / (1 − p_e).
    """
    first, second = _counts([[[pair[side] for pair in pairs] for pairs in documents] for side in (0, 1)])
    items = np.array([len(pairs) for pairs in documents], np.float64)
    same = np.array([sum(a == b for a, b in pairs) for pairs in documents], np.float64)

    def measure(weights: _Floats) -> _Floats:
        number = weights @ items
        observed = _ratio(weights @ same, number)
        expected = _ratio(((weights @ first) * (weights @ second)).sum(1), number**2)
        return _ratio(observed - expected, 1 - expected)

    return _estimate(measure, len(documents))


def krippendorffs_alpha(documents: Sequence[Sequence[Sequence[Hashable]]]) -> Measure:
    """Krippendorff's alpha for nominal labels. documents: for each, the labels of each item, one of each of its annotators; items with
    fewer than two labels are left out.

    Not defined without items, or with one label only.
    Source: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability": 1 − D_o / D_e.
    """
    kept = [[labels for labels in items if len(labels) > 1] for items in documents]
    [counts] = _counts([[[label for labels in items for label in labels] for items in kept]])
    values = np.array([sum(map(len, items)) for items in kept], np.float64)
    differing = np.array([sum(map(_differing, items)) for items in kept], np.float64)

    def measure(weights: _Floats) -> _Floats:
        number = weights @ values
        observed = _ratio(weights @ differing, number)
        frequencies = weights @ counts
        expected = _ratio(number**2 - (frequencies**2).sum(1), number * (number - 1))
        return 1 - _ratio(observed, expected)

    return _estimate(measure, len(kept))


def _differing(labels: Sequence[Hashable]) -> float:
    """Ordered pairs of different labels of an item, over the number of its labels less one."""
    same = sum(labels.count(label) for label in labels)
    return (len(labels) ** 2 - same) / (len(labels) - 1)


def _counts(sides: Sequence[Sequence[Sequence[Hashable]]]) -> list[csr_matrix]:
    """(documents, labels) matrices, one for each side, how often each label occurs; the columns are the same."""
    columns: dict[Hashable, int] = {}
    matrices = []
    for documents in sides:
        rows = [row for row, labels in enumerate(documents) for _ in labels]
        places = [columns.setdefault(label, len(columns)) for labels in documents for label in labels]
        matrices.append((np.ones(len(rows)), (rows, places)))
    return [csr_matrix(matrix, shape=(len(sides[0]), max(len(columns), 1))) for matrix in matrices]


def _ratio(above: _Floats, below: _Floats) -> _Floats:
    """NaN where the divisor is 0, up to rounding."""
    ratio = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=ratio, where=np.abs(below) > 1e-12)
    return ratio


def _estimate(measure: Callable[[_Floats], _Floats], documents: int) -> Measure:
    """A measure of all documents, and percentiles 2.5 and 97.5 over samples of them; samples where it is not defined are left out.

    The samples are the same on every call, so that a page loaded again shows the same numbers.
    """
    if not documents:
        return Measure(None, None)
    value = float(measure(np.ones((1, documents)))[0])
    if np.isnan(value):
        return Measure(None, None)
    random = np.random.default_rng(0)
    samples = []
    for _ in range(_SAMPLES // _CHUNK):
        drawn = random.multinomial(documents, np.full(documents, 1 / documents), size=_CHUNK)
        samples.append(measure(drawn.astype(np.float64)))
    low, high = np.nanpercentile(np.concatenate(samples), (2.5, 97.5))
    return Measure(value, (float(low), float(high)))
