"""Intervals against scipy and against cases with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from linnet.evaluate.interval import bootstrap, by_document, design_effect, resampled, wilson


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_scipys(pair: tuple[int, int]) -> None:
    right, total = pair
    reference = stats.binomtest(right, total).proportion_ci(0.95, method="wilson")
    low, high = wilson(right, total)
    assert (low, high) == pytest.approx((reference.low, reference.high), abs=1e-9)
    assert 0 <= low <= right / total <= high <= 1


def test_a_design_effect_widens_as_fewer_mentions_would() -> None:
    assert wilson(70, 100, effect=2) == pytest.approx(wilson(35, 50))


def test_nothing_observed_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_design_effect_of_documents_that_agree_within_themselves_is_their_size() -> None:
    right = np.array([4.0, 0.0] * 50)
    assert design_effect(right, np.full(100, 4.0)) == pytest.approx(4, rel=0.02)


def test_design_effect_is_never_below_one_and_one_where_unknown() -> None:
    assert design_effect(np.array([2.0, 2.0]), np.array([4.0, 4.0])) == 1
    assert design_effect(np.array([3.0]), np.array([4.0])) == 1
    assert design_effect(np.array([4.0, 4.0]), np.array([4.0, 4.0])) == 1


def test_sums_are_per_document_in_the_order_of_their_ids() -> None:
    assert by_document(["b", "a", "b"], [1, 2, 3], [1, 1, 1]).tolist() == [[2, 1], [4, 2]]
    assert by_document([], [], []).shape == (0, 2)


def test_every_draw_takes_as_many_documents_as_there_are() -> None:
    blocks = np.concatenate(list(resampled(7, draws=50)))
    assert blocks.shape == (50, 7)
    assert (blocks.sum(axis=1) == 7).all()


def test_bootstrap_of_a_mean_agrees_with_scipys() -> None:
    values = np.random.default_rng(3).normal(size=60)
    sums = np.column_stack([values, np.ones(60)])
    ours = bootstrap(sums, lambda totals: totals[:, 0] / totals[:, 1])
    theirs = stats.bootstrap((values,), np.mean, method="percentile", random_state=1).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_one_document_has_no_bootstrap_interval() -> None:
    assert bootstrap(np.ones((1, 2)), lambda totals: totals[:, 0]) is None
