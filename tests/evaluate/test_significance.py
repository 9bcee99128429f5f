"""Paired tests against scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from linnet.evaluate.significance import mcnemar, paired_bootstrap

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=80)


def outcomes(a: int, b: int, both: int = 5) -> tuple[list[bool], list[bool]]:
    return [True] * a + [False] * b + [True] * both, [False] * a + [True] * b + [True] * both


@pytest.mark.parametrize(("a", "b"), [(0, 0), (3, 1), (12, 12), (20, 4)])
def test_few_discordant_pairs_are_tested_exactly(a: int, b: int) -> None:
    result = mcnemar(*outcomes(a, b))
    assert (result.only_first, result.only_second, result.test) == (a, b, "exact binomial")
    assert result.p == pytest.approx(stats.binomtest(a, a + b).pvalue if a + b else 1)


@pytest.mark.parametrize(("a", "b"), [(15, 10), (40, 12), (30, 30)])
def test_many_discordant_pairs_are_tested_by_chi_squared(a: int, b: int) -> None:
    result = mcnemar(*outcomes(a, b))
    assert result.test == "chi-squared with continuity correction"
    assert result.p == pytest.approx(stats.chi2.sf(max(abs(a - b) - 1, 0) ** 2 / (a + b), 1))


@given(PAIRS)
def test_mcnemar_is_symmetric_and_a_probability(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [p[0] for p in pairs], [p[1] for p in pairs]
    one, other = mcnemar(first, second), mcnemar(second, first)
    assert one.p == other.p
    assert (one.only_first, one.only_second) == (other.only_second, other.only_first)
    assert 0 <= one.p <= 1
    assert mcnemar(first, first).p == 1


def test_difference_is_the_gap_of_accuracies_with_an_interval_around_it() -> None:
    first, second = outcomes(8, 2, both=10)
    difference = paired_bootstrap(first, second, [str(i // 2) for i in range(20)])
    assert difference.value == pytest.approx(0.3)
    assert difference.low is not None
    assert difference.high is not None
    assert difference.low < 0.3 < difference.high


def test_a_system_does_not_differ_from_itself() -> None:
    difference = paired_bootstrap([True, False], [True, False], ["a", "b"])
    assert (difference.value, difference.low, difference.high) == (0, 0, 0)
    assert paired_bootstrap([], [], []).low is None
    assert paired_bootstrap([True], [False], ["a"]).low is None


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="same length"):
        paired_bootstrap([True], [], ["a"])
