"""Learning curves: their areas, and how much annotation a score takes.

A curve is a score over an effort, mentions or documents annotated, from nothing to the whole pool, straight between the
points that were measured. All strategies share a seed's first points, its first batch, and, where the last share is 1,
the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np

from linnet.annotate.simulate.simulation import Point

__all__ = ["EFFORTS", "Curve", "Difference", "Reach", "compare", "curves_of", "reach"]

Floats = np.ndarray[Any, np.dtype[np.float64]]
Effort = Literal["mentions", "documents"]

EFFORTS: tuple[Effort, ...] = ("mentions", "documents")
_LEVEL = 0.95
_GRID = 1000  # parts of the whole effort; points of a curve are further apart by far
_DRAWS = 2000
_SEED = 20200715


@dataclass(frozen=True, slots=True)
class Curve:
    """What one strategy does with one seed.

    mentions, documents  (P,) annotated, rising from 0            scores  name → (P,)
    """

    strategy: str
    seed: int
    mentions: Floats
    documents: Floats
    scores: Mapping[str, Floats]

    def effort(self, effort: Effort) -> Floats:
        """(P,) of either kind."""
        return self.mentions if effort == "mentions" else self.documents

    def at(self, efforts: Floats, score: str, *, effort: Effort) -> Floats:
        """(N,) scores, level beyond the last point."""
        return np.interp(efforts, self.effort(effort), self.scores[score])

    def area(self, score: str, *, effort: Effort, low: float, high: float) -> float:
        """Mean height between two efforts."""
        grid = np.linspace(low, high, _GRID + 1)
        heights = self.at(grid, score, effort=effort)
        return float((heights[1:] + heights[:-1]).mean() / 2)


def curves_of(points: Iterable[Point]) -> list[Curve]:
    """The curves of a simulation's points, in their order."""
    gathered: dict[tuple[str, int], list[Point]] = {}
    for point in points:
        gathered.setdefault((point.strategy, point.seed), []).append(point)
    return [
        Curve(
            strategy,
            seed,
            np.array([one.step.mentions for one in there], np.float64),
            np.array([len(one.step.labelled) for one in there], np.float64),
            {
                name: np.array([one.step.scores[name] for one in there], np.float64)
                for name in there[0].step.scores
            },
        )
        for (strategy, seed), there in gathered.items()
    ]


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean over seeds and its 95 % interval; None from fewer than two seeds."""

    value: float
    low: float | None
    high: float | None


def compare(curves: Sequence[Curve], baseline: Sequence[Curve], score: str, *, effort: Effort) -> Difference:
    """Area under the curve minus that of the baseline with the same seed: how much higher the one is than the other in
    the mean, from the first batch to where the shorter of the two curves ends.

    The interval is Student's t over the differences of the seeds. Source: a paired t interval; the documents measured on
    are the same throughout, so that it says nothing of others.
    """
    others = {curve.seed: curve for curve in baseline}
    differences = []
    for curve in curves:
        other = others[curve.seed]
        low = float(curve.effort(effort)[1])
        high = float(min(curve.effort(effort)[-1], other.effort(effort)[-1]))
        ours, theirs = (one.area(score, effort=effort, low=low, high=high) for one in (curve, other))
        differences.append(ours - theirs)
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
    """How much annotation the mean curve needs for the baseline's last score.

    effort    mentions or documents; None where it is not reached
    baseline  what the baseline itself needs, which may be less than all
    share     the one of the other, and its 95 % interval over draws of seeds; None where it is not reached. In draws where
              it is not reached it counts as all that was annotated
    """

    effort: float | None
    baseline: float
    share: float | None
    low: float | None
    high: float | None


def reach(
    curves: Sequence[Curve], baseline: Sequence[Curve], score: str, *, effort: Effort, part: float = 1.0
) -> Reach:
    """When the mean over seeds first has the score that the baseline's mean ends with, or a part of it.

    The interval is a percentile bootstrap over seeds, the same seeds drawn for both. Source: Efron and Tibshirani 1993,
    chapter 13; with as few draws to choose from as five seeds give it is rather too narrow.
    """
    most = max(float(curve.effort(effort)[-1]) for curve in (*curves, *baseline))
    grid = np.linspace(0.0, most, _GRID + 1)
    ours, theirs = _heights(curves, grid, score, effort), _heights(baseline, grid, score, effort)
    mine, needed = (
        float(found[0]) for found in _reached(ours[None].mean(1), theirs[None].mean(1), grid, part)
    )
    if np.isnan(mine):
        return Reach(None, needed, None, None, None)
    seeds = len(ours)
    if seeds < 2:
        return Reach(mine, needed, _ratio(mine, needed), None, None)
    rows = np.random.default_rng(_SEED).integers(seeds, size=(_DRAWS, seeds))
    weights = np.stack([np.bincount(row, minlength=seeds) for row in rows]) / seeds
    found, there = _reached(weights @ ours, weights @ theirs, grid, part)
    drawn = [_ratio(most if np.isnan(one) else one, other) for one, other in zip(found, there, strict=True)]
    low, high = (float(value) for value in np.quantile(drawn, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]))
    return Reach(mine, needed, _ratio(mine, needed), low, high)


def _heights(curves: Sequence[Curve], grid: Floats, score: str, effort: Effort) -> Floats:
    """(S, N) by rising seed."""
    ordered = sorted(curves, key=lambda curve: curve.seed)
    return np.stack([curve.at(grid, score, effort=effort) for curve in ordered])


def _reached(ours: Floats, theirs: Floats, grid: Floats, part: float) -> tuple[Floats, Floats]:
    """(B,) our efforts, NaN where it is not reached, and theirs, from (B, N) mean curves."""
    # What is equal but for the order of additions counts as reached.
    target = part * theirs[:, -1:] - 1e-9
    efforts = np.where((ours >= target).any(axis=1), grid[np.argmax(ours >= target, axis=1)], np.nan)
    return efforts, grid[np.argmax(theirs >= target, axis=1)]


def _ratio(effort: float, baseline: float) -> float:
    return effort / baseline if baseline else 1.0
