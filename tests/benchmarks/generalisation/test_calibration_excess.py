"""Calibration error less a perfect calibrator's."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.generalisation.calibration import bins_for, calibration


def test_a_bin_for_each_hundred_answers() -> None:
    assert [bins_for(count) for count in (0, 99, 299, 1499, 1500, 90_000)] == [1, 1, 2, 14, 15, 15]


def test_probabilities_that_are_right_as_often_as_they_say_have_no_excess_on_average() -> None:
    excess = []
    for seed in range(10):
        chance = np.random.default_rng(seed)
        probabilities = chance.random(500)
        right = (chance.random(500) < probabilities).tolist()
        found = calibration(probabilities.tolist(), right)
        assert found is not None
        assert found.perfect > 0.01
        excess.append(found.excess)
    assert np.mean(excess) == pytest.approx(0, abs=0.01)


def test_probabilities_too_high_by_a_fifth_have_that_excess() -> None:
    found = calibration([0.9] * 1000, [True] * 700 + [False] * 300)
    assert found is not None
    assert found.error == pytest.approx(0.2)
    assert found.excess == pytest.approx(0.2, abs=0.02)
    assert (found.mean, found.right) == (pytest.approx(0.9), 0.7)


def test_no_answer_has_no_calibration() -> None:
    assert calibration([], []) is None
