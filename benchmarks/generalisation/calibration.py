"""Calibration on small sets: the expected calibration error less what a perfect calibrator would score there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linnet.evaluate.calibration import BINS, expected_calibration_error

__all__ = ["Calibration", "bins_for", "calibration"]

_SIMULATIONS = 200
_SEED = 15


class Calibration(NamedTuple):
    """Expected calibration error of N answers with a probability.

    error     as measured
    perfect   mean error where each answer is right with just its probability, independently of the others
    mean      mean probability
    right     share of right answers
    """

    answers: int
    bins: int
    error: float
    perfect: float
    mean: float
    right: float

    @property
    def excess(self) -> float:
        """The error less what a perfect calibrator scores: negative where it is luckier."""
        return self.error - self.perfect


def bins_for(answers: int) -> int:
    """A bin for each hundred answers, 15 at most and 1 at least."""
    return max(1, min(BINS, answers // 100))


def calibration(probabilities: Sequence[float], right: Sequence[bool]) -> Calibration | None:
    """None without an answer."""
    count = len(probabilities)
    if not count:
        return None
    bins, chances = bins_for(count), np.asarray(probabilities, dtype=np.float64)
    chance = np.random.default_rng(_SEED)
    simulated = [
        _error(probabilities, (chance.random(count) < chances).tolist(), bins) for _ in range(_SIMULATIONS)
    ]
    return Calibration(
        count,
        bins,
        _error(probabilities, right, bins),
        float(np.mean(simulated)),
        float(chances.mean()),
        float(np.mean(right)),
    )


def _error(probabilities: Sequence[float], right: Sequence[bool], bins: int) -> float:
    # As of one document: no interval is asked for, which would take 500 draws.
    score = expected_calibration_error(probabilities, right, [""] * len(right), bins=bins)
    assert score.value is not None
    return score.value
