"""Calibration on a handful of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.evaluate.calibration import coverage_at_precision, expected_calibration_error, reliability

ROWS = st.lists(
    st.tuples(st.sampled_from([0.1, 0.25, 0.5, 0.8, 0.8001, 1.0]), st.booleans(), st.sampled_from("abc")),
    min_size=1,
    max_size=60,
)


def test_error_by_hand_with_two_bins() -> None:
    probabilities, right = [0.2, 0.4, 0.6, 0.8], [False, False, True, False]
    low, high = reliability(probabilities, right, bins=2)
    assert (low.count, low.probability, low.accuracy) == (2, pytest.approx(0.3), 0)
    assert (high.count, high.probability, high.accuracy) == (2, pytest.approx(0.7), 0.5)
    error = expected_calibration_error(probabilities, right, ["a", "b", "c", "d"], bins=2)
    assert error.value == pytest.approx((0.3 + 0.2) / 2)


def test_equal_probabilities_share_a_bin() -> None:
    bins = reliability([0.5] * 10 + [0.9], [True, False] * 5 + [True], bins=15)
    assert [b.count for b in bins] == [10, 1]
    assert bins[0].accuracy == 0.5


def test_perfectly_calibrated_answers_have_no_error() -> None:
    assert expected_calibration_error([1.0, 0.0], [True, False], ["a", "b"]).value == 0


def test_nothing_to_calibrate_has_no_value() -> None:
    assert expected_calibration_error([], [], []).value is None
    assert reliability([], []) == []


def test_coverage_takes_the_most_mentions_that_keep_the_precision() -> None:
    probabilities, right = [0.9, 0.8, 0.7, 0.6], [True, False, True, True]
    assert coverage_at_precision(probabilities, right, precision=0.75) == (1.0, 0.6)
    assert coverage_at_precision(probabilities, right, precision=0.9) == (0.25, 0.9)
    assert coverage_at_precision(probabilities, right, precision=0.9, total=8) == (0.125, 0.9)
    assert coverage_at_precision([0.9], [False], precision=0.5) == (0.0, None)


def test_equal_probabilities_are_accepted_together() -> None:
    assert coverage_at_precision([0.9, 0.9], [True, False], precision=0.9) == (0.0, None)


@settings(max_examples=25, deadline=None)
@given(ROWS, st.randoms())
def test_error_is_bounded_ordered_and_blind_to_order(
    rows: list[tuple[float, bool, str]], chance: object
) -> None:
    error = expected_calibration_error(*map(list, zip(*rows, strict=True)))  # type: ignore[arg-type]
    shuffled = list(rows)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    again = expected_calibration_error(*map(list, zip(*shuffled, strict=True)))  # type: ignore[arg-type]
    assert error.value == pytest.approx(again.value)
    assert error.value is not None
    assert 0 <= error.value <= 1
    if error.low is not None and error.high is not None:
        assert 0 <= error.low <= error.value <= error.high
    assert sum(b.count for b in reliability([r[0] for r in rows], [r[1] for r in rows])) == len(rows)


@given(ROWS)
def test_accepted_answers_reach_the_precision(rows: list[tuple[float, bool, str]]) -> None:
    probabilities, right = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    coverage, threshold = coverage_at_precision(list(probabilities), list(right), precision=0.6)
    if threshold is not None:
        accepted = probabilities >= threshold
        assert right[accepted].mean() >= 0.6 - 1e-9
        assert coverage == pytest.approx(accepted.mean())
