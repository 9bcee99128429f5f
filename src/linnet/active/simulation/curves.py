"""Learning curves: their areas, and how much annotation a score needs.

A curve is a score by effort (mentions or documents annotated), from nothing to the whole pool, linear between the measured
points. All strategies share the first points of a seed, and the last one if the last share is 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from linnet.active.simulation.runner import Point
from linnet.arrays import Doubles

__all__ = ["EFFORTS", "Curve", "Difference", "Reach", "compare", "curves_of", "reach"]

Effort = Literal["mentions", "documents"]

EFFORTS: tuple[Effort, ...] = ("mentions", "documents")
_LEVEL = 0.95
_GRID = 1000  # steps over the whole effort, much finer than the measured points
_DRAWS = 2000
_SEED = 20200715


@dataclass(frozen=True, slots=True)
class Curve:
    """The curve of one strategy and seed.

    mentions, documents  (P,) annotated, rising from 0            scores  name → (P,)
    """

    strategy: str
    seed: int
    mentions: Doubles
    documents: Doubles
    scores: Mapping[str, Doubles]

    def effort(self, effort: Effort) -> Doubles:
        """(P,) mentions or documents annotated."""
        return self.mentions if effort == "mentions" else self.documents

    def at(self, efforts: Doubles, score: str, *, effort: Effort) -> Doubles:
        """(N,) scores, constant beyond the last point."""
        return np.interp(efforts, self.effort(effort), self.scores[score])

    def area(self, score: str, *, effort: Effort, low: float, high: float) -> float:
        """Mean height between two efforts."""
        grid = np.linspace(low, high, _GRID + 1)
        heights = self.at(grid, score, effort=effort)
        return float((heights[1:] + heights[:-1]).mean() / 2)


def curves_of(points: Iterable[Point]) -> list[Curve]:
    """The curves of a simulation's points, in their order."""
    groups: dict[tuple[str, int], list[Point]] = {}
    for point in points:
        groups.setdefault((point.strategy, point.seed), []).append(point)
    return [
        Curve(
            strategy,
            seed,
            np.array([point.step.mentions for point in group], np.float64),
            np.array([len(point.step.labelled) for point in group], np.float64),
            {
                name: np.array([point.step.scores[name] for point in group], np.float64)
                for name in group[0].step.scores
            },
        )
        for (strategy, seed), group in groups.items()
    ]


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean over seeds and its 95 % interval; None with fewer than two seeds."""

    value: float
    low: float | None
    high: float | None


def compare(curves: Sequence[Curve], baseline: Sequence[Curve], score: str, *, effort: Effort) -> Difference:
    """Mean over seeds of how much higher the curve is than the baseline's, from the first batch to the end of the
    shorter curve (difference of areas, divided by the width).

    Source: Student's paired t interval over seeds. All seeds measure on the same documents, so it does not cover other
    documents.
    """
    others = {curve.seed: curve for curve in baseline}
    differences = []
    for curve in curves:
        other = others[curve.seed]
        low = float(curve.effort(effort)[1])
        high = float(min(curve.effort(effort)[-1], other.effort(effort)[-1]))
        differences.append(
            curve.area(score, effort=effort, low=low, high=high)
            - other.area(score, effort=effort, low=low, high=high)
        )
    return _interval(differences)


def _interval(values: Sequence[float]) -> Difference:
    from scipy.stats import t

    mean = float(np.mean(values))
    if len(values) < 2:
        return Difference(mean, None, None)
    half = float(t.ppf((1 + _LEVEL) / 2, len(values) - 1)) * float(np.std(values, ddof=1)) / sqrt(len(values))
    return Difference(mean, mean - half, mean + half)


@dataclass(frozen=True, slots=True)
class Reach:
    """How much annotation the mean curve needs for the baseline's final score.

    effort    mentions or documents; None if the score is not reached
    baseline  what the baseline needs, which may be less than everything
    share     effort / baseline, with its 95 % interval over draws of seeds; None if the score is not reached. A draw that
              does not reach it counts with everything annotated
    """

    effort: float | None
    baseline: float
    share: float | None
    low: float | None
    high: float | None


def reach(
    curves: Sequence[Curve], baseline: Sequence[Curve], score: str, *, effort: Effort, part: float = 1.0
) -> Reach:
    """The effort at which the mean over seeds first reaches the final score of the baseline's mean, or a part of it.

    Source: percentile bootstrap over seeds, the same draws for both (Efron and Tibshirani 1993, chapter 13). With only five
    seeds the interval is somewhat too narrow.
    """
    most = max(float(curve.effort(effort)[-1]) for curve in (*curves, *baseline))
    grid = np.linspace(0.0, most, _GRID + 1)
    ours, theirs = _heights(curves, grid, score, effort), _heights(baseline, grid, score, effort)
    own, needed = (
        float(efforts[0]) for efforts in _reached(ours[None].mean(1), theirs[None].mean(1), grid, part)
    )
    if np.isnan(own):
        return Reach(None, needed, None, None, None)
    seeds = len(ours)
    if seeds < 2:
        return Reach(own, needed, _ratio(own, needed), None, None)
    rows = np.random.default_rng(_SEED).integers(seeds, size=(_DRAWS, seeds))
    weights = np.stack([np.bincount(row, minlength=seeds) for row in rows]) / seeds
    efforts, baselines = _reached(weights @ ours, weights @ theirs, grid, part)
    pairs = zip(np.nan_to_num(efforts, nan=most), baselines, strict=True)
    drawn = [_ratio(effort_drawn, baseline_drawn) for effort_drawn, baseline_drawn in pairs]
    low, high = (float(value) for value in np.quantile(drawn, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]))
    return Reach(own, needed, _ratio(own, needed), low, high)


def _heights(curves: Sequence[Curve], grid: Doubles, score: str, effort: Effort) -> Doubles:
    """(S, N) by rising seed."""
    ordered = sorted(curves, key=lambda curve: curve.seed)
    return np.stack([curve.at(grid, score, effort=effort) for curve in ordered])


def _reached(ours: Doubles, theirs: Doubles, grid: Doubles, part: float) -> tuple[Doubles, Doubles]:
    """(B,) efforts of both at which the score is reached, ours NaN if never, from (B, N) mean curves."""
    # Tolerates rounding errors of the sums.
    target = part * theirs[:, -1:] - 1e-9
    efforts = np.where((ours >= target).any(axis=1), grid[np.argmax(ours >= target, axis=1)], np.nan)
    return efforts, grid[np.argmax(theirs >= target, axis=1)]


def _ratio(effort: float, baseline: float) -> float:
    return effort / baseline if baseline else 1.0
