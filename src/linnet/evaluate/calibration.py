"""Whether a probability means what it says: calibration error, the bins behind it, and coverage at a precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.arrays import Array
from linnet.evaluate.interval import LEVEL, resampled
from linnet.evaluate.score import Score

__all__ = ["BINS", "Bin", "coverage_at_precision", "expected_calibration_error", "reliability"]

BINS = 15
_DRAWS = 500


@dataclass(frozen=True, slots=True)
class Bin:
    """Mentions of similar probability: how many, the mean probability, and the share that is right."""

    count: int
    probability: float
    accuracy: float


def reliability(probabilities: Sequence[float], right: Sequence[bool], *, bins: int = BINS) -> list[Bin]:
    """Bins of nearly equal mass by rising probability; equal probabilities stay together, empty bins are left out."""
    levels, places = _levels(probabilities)
    weights = np.bincount(places, minlength=len(levels)).astype(np.float64)
    hits = np.bincount(places, weights=np.asarray(right, dtype=np.float64), minlength=len(levels))
    mass, said, true = _binned(levels, weights, hits, bins)
    return [
        Bin(int(n), float(p / n), float(a / n)) for n, p, a in zip(mass, said, true, strict=True) if n > 0
    ]


def expected_calibration_error(
    probabilities: Sequence[float], right: Sequence[bool], documents: Sequence[str], *, bins: int = BINS
) -> Score:
    """Mean distance between probability and accuracy over bins of equal mass, weighted by their mass; 0 is best.

    documents  (N,) the document of each mention; with several corpora, prefixed by the corpus. The interval draws
               documents and bins anew each time.

    The error of a finite sample is biased upwards, the bootstrap's doubly so: the interval is the basic (reflected)
    one, cut at 0. Source: Naeini et al. 2015; equal mass as in Nguyen and O'Connor 2015.
    """
    count = len(probabilities)
    if not count:
        return Score("ECE", 0, 0, None)
    levels, places = _levels(probabilities)
    hits = np.asarray(right, dtype=np.float64)
    names, owners = np.unique(np.asarray(documents, dtype=object).astype(str), return_inverse=True)

    def error(weights: Array) -> float:
        mass, said, true = _binned(
            levels,
            np.bincount(places, weights=weights, minlength=len(levels)),
            np.bincount(places, weights=weights * hits, minlength=len(levels)),
            bins,
        )
        return float(np.abs(said - true).sum() / mass.sum())

    value = error(np.ones(count))
    if len(names) < 2:
        return Score("ECE", value * count, count, value)
    drawn = [error(row[owners]) for block in resampled(len(names), draws=_DRAWS) for row in block]
    upper, lower = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    low, high = max(0.0, 2 * value - float(lower)), max(value, 2 * value - float(upper))
    return Score("ECE", value * count, count, value, min(low, value), high, "basic bootstrap over documents")


def coverage_at_precision(
    probabilities: Sequence[float], right: Sequence[bool], *, precision: float, total: int | None = None
) -> tuple[float, float | None]:
    """Share of mentions that can be answered so that at least `precision` of the answers are right, and the threshold.

    total  mentions in all, where some have no probability; else the number given

    Answers are accepted from the most probable downwards, equal probabilities together. (0, None) when no
    threshold is good enough.
    """
    count = len(probabilities) if total is None else total
    if not len(probabilities) or not count:
        return 0.0, None
    levels, places = _levels(probabilities)
    accepted = np.cumsum(np.bincount(places, minlength=len(levels))[::-1])
    correct = np.cumsum(
        np.bincount(places, weights=np.asarray(right, dtype=np.float64), minlength=len(levels))[::-1]
    )
    good = np.flatnonzero(correct >= precision * accepted - 1e-9)
    if not len(good):
        return 0.0, None
    last = int(good[-1])
    return float(accepted[last]) / count, float(levels[::-1][last])


def _levels(probabilities: Sequence[float]) -> tuple[Array, np.ndarray[Any, np.dtype[np.intp]]]:
    return np.unique(np.asarray(probabilities, dtype=np.float64), return_inverse=True)


def _binned(levels: Array, weights: Array, hits: Array, bins: int) -> tuple[Array, Array, Array]:
    """Mass, summed probability and summed hits of each bin; a level goes where the middle of its mass lies."""
    middle = np.cumsum(weights) - weights / 2
    bin_of = np.minimum((middle * bins / max(weights.sum(), 1e-12)).astype(np.intp), bins - 1)
    return (
        np.bincount(bin_of, weights=weights, minlength=bins),
        np.bincount(bin_of, weights=weights * levels, minlength=bins),
        np.bincount(bin_of, weights=hits, minlength=bins),
    )
