"""Calibration of probabilities: expected calibration error, its bins, and coverage at a given precision."""

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
    """Mentions of similar probability: their number, mean probability, and share of right answers."""

    count: int
    probability: float
    accuracy: float


def reliability(probabilities: Sequence[float], right: Sequence[bool], *, bins: int = BINS) -> list[Bin]:
    """Non-empty bins of nearly equal mass, by rising probability. Equal probabilities share a bin."""
    levels, places = _levels(probabilities)
    weights = np.bincount(places, minlength=len(levels)).astype(np.float64)
    hits = np.bincount(places, weights=np.asarray(right, dtype=np.float64), minlength=len(levels))
    columns = zip(*_binned(levels, weights, hits, bins), strict=True)
    return [Bin(int(mass), float(p / mass), float(a / mass)) for mass, p, a in columns if mass > 0]


def expected_calibration_error(
    probabilities: Sequence[float], right: Sequence[bool], documents: Sequence[str], *, bins: int = BINS
) -> Score:
    """Mean distance between probability and accuracy over bins of equal mass, weighted by mass; 0 is best.

    documents  (N,) the document of each mention; with several corpora, prefixed by the corpus. Each bootstrap draw
               resamples documents and bins anew.

    A finite sample biases the error upwards, and the bootstrap doubles the bias. The interval is therefore the basic
    (reflected) one, cut at 0. Source: Naeini et al. 2015; equal mass as in Nguyen and O'Connor 2015.
    """
    count = len(probabilities)
    if not count:
        return Score("ECE", 0, 0, None)
    levels, places = _levels(probabilities)
    hits = np.asarray(right, dtype=np.float64)
    names, owners = np.unique(np.asarray(documents, dtype=object).astype(str), return_inverse=True)

    def error(weights: Array) -> float:
        mass, probability, right_mass = _binned(
            levels,
            np.bincount(places, weights=weights, minlength=len(levels)),
            np.bincount(places, weights=weights * hits, minlength=len(levels)),
            bins,
        )
        return float(np.abs(probability - right_mass).sum() / mass.sum())

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
    """Largest share of mentions answered with at least this precision, and the probability threshold that gives it.

    total  all mentions, including those without a probability; default: the number of probabilities

    Answers are accepted by falling probability, equal probabilities together. (0, None) if no threshold reaches
    the precision.
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
    """Mass, summed probability and summed hits of each bin. The middle of a level's mass decides its bin."""
    middle = np.cumsum(weights) - weights / 2
    bin_of = np.minimum((middle * bins / max(weights.sum(), 1e-12)).astype(np.intp), bins - 1)
    return (
        np.bincount(bin_of, weights=weights, minlength=bins),
        np.bincount(bin_of, weights=weights * levels, minlength=bins),
        np.bincount(bin_of, weights=hits, minlength=bins),
    )
