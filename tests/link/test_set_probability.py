"""The probability of a set of concepts."""

from __future__ import annotations

from linnet.link.set_probability import set_probability
from linnet.rerank.calibrator import Calibrator, Curve


def test_parts_are_independent_and_the_division_may_be_wrong() -> None:
    assert set_probability([0.9, 0.8], 0.5, Calibrator()) == 0.36


def test_an_unknown_part_makes_the_set_unknown() -> None:
    assert set_probability([0.9, None], 1.0, Calibrator()) is None
    assert set_probability([], 1.0, Calibrator()) is None


def test_a_curve_maps_sets_but_not_single_concepts() -> None:
    calibrator = Calibrator({"set": Curve((0.0, 1.0), (0.3, 0.5))})
    assert set_probability([0.5, 1.0], 1.0, calibrator) == 0.4
    assert set_probability([0.5], 0.5, calibrator) == 0.25
