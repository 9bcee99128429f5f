from __future__ import annotations

from statistics import mean, stdev

import numpy as np
import pytest

from linnet.active.simulation.curves import Curve, compare, reach


def _curve(
    strategy: str, seed: int, heights: list[float], mentions: tuple[int, ...] = (0, 10, 50, 100)
) -> Curve:
    efforts = np.array(mentions, float)
    return Curve(strategy, seed, efforts, efforts / 10, {"f1": np.array(heights)})


FLAT = [_curve("random", seed, [0.0, 0.2, 0.4, 0.8]) for seed in range(3)]


def test_the_area_is_the_mean_height_between_the_first_batch_and_the_end() -> None:
    [curve] = FLAT[:1]
    # (0.2 + 0.4) / 2 over 40 mentions, (0.4 + 0.8) / 2 over 50
    wanted = (0.3 * 40 + 0.6 * 50) / 90
    assert curve.area("f1", effort="mentions", low=10, high=100) == pytest.approx(wanted, abs=1e-4)
    assert curve.area("f1", effort="documents", low=1, high=10) == pytest.approx(wanted, abs=1e-4)


def test_differences_are_paired_by_seed_with_students_interval() -> None:
    better = [_curve("best", seed, [0.0, 0.2, 0.4 + 0.09 * seed, 0.8]) for seed in (2, 0, 1)]
    found = compare(better, FLAT, "f1", effort="mentions")
    differences = [0.09 * seed / 2 for seed in range(3)]  # a triangle over all 90 mentions
    assert found.value == pytest.approx(mean(differences), abs=1e-4)
    half = 4.302653 * stdev(differences) / 3**0.5  # t of 0.975 with two degrees of freedom
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=1e-4)
    alone = compare(better[:1], FLAT, "f1", effort="mentions")
    assert (alone.low, alone.high) == (None, None)


def test_curves_are_compared_as_far_as_the_shorter_one_goes() -> None:
    short = [_curve("best", seed, [0.0, 0.2, 0.6], (0, 10, 50)) for seed in range(3)]
    assert compare(short, FLAT, "f1", effort="mentions").value == pytest.approx(0.1, abs=1e-4)


def test_reach_is_where_the_mean_first_has_the_last_score_of_the_baseline() -> None:
    steep = [_curve("best", seed, [0.0, 0.2, 0.9 + 0.1 * (seed - 1), 0.9]) for seed in range(3)]
    found = reach(steep, FLAT, "f1", effort="mentions")
    # 0.2 to 0.9 between 10 and 50 mentions
    assert found.effort == pytest.approx(10 + 40 * 0.6 / 0.7, abs=0.2)
    assert found.baseline == 100
    assert found.share == pytest.approx(found.effort / 100)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.share < found.high
    half = reach(steep, FLAT, "f1", effort="mentions", part=0.5)
    assert (half.baseline, half.effort) == (
        pytest.approx(50, abs=0.2),
        pytest.approx(10 + 40 * 0.2 / 0.7, abs=0.2),
    )
    assert reach(FLAT, FLAT, "f1", effort="documents").share == 1


def test_what_is_not_reached_has_no_share() -> None:
    low = [_curve("worse", seed, [0.0, 0.1, 0.2, 0.3]) for seed in range(3)]
    found = reach(low, FLAT, "f1", effort="mentions")
    assert (found.effort, found.share, found.low, found.high) == (None, None, None, None)
    assert found.baseline == 100


def test_a_baseline_that_is_there_before_its_end_needs_less_than_all() -> None:
    early = [_curve("random", 0, [0.0, 0.2, 0.8, 0.8])]
    assert reach(early, early, "f1", effort="mentions").baseline == 50
