"""Figures with denominators and intervals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.evaluate.score import Score, mean, precision_recall_f1, share

ROWS = st.lists(st.tuples(st.booleans(), st.sampled_from("abcde")), min_size=1, max_size=40)


def test_share_counts_what_is_right() -> None:
    score = share("accuracy", [True, False, True, True], ["a", "a", "b", "c"])
    assert (score.numerator, score.denominator, score.value) == (3, 4, 0.75)
    assert score.low is not None
    assert score.high is not None
    assert score.low < 0.75 < score.high


def test_nothing_to_count_has_no_value() -> None:
    assert share("accuracy", [], []) == Score("accuracy", 0, 0, None)
    assert mean("MRR", [], []).value is None
    assert [s.value for s in precision_recall_f1([], [], [], [])] == [None, None, None]


def test_precision_recall_and_f1_by_hand() -> None:
    precision, recall, f1 = precision_recall_f1([2, 1], [4, 1], [2, 4], ["a", "b"], prefix="weak ")
    assert precision.value == pytest.approx(3 / 5)
    assert recall.value == pytest.approx(3 / 6)
    assert f1.value == pytest.approx(2 * 0.6 * 0.5 / 1.1)
    assert (f1.name, f1.numerator, f1.denominator) == ("weak F1", 6, 11)


def test_mean_of_one_document_has_no_interval() -> None:
    assert mean("MRR", [1.0, 0.5], ["a", "a"]) == Score("MRR", 1.5, 2, 0.75)


@settings(max_examples=25, deadline=None)
@given(ROWS, st.randoms())
def test_figures_do_not_depend_on_order_and_lie_in_their_interval(
    rows: list[tuple[bool, str]], chance: object
) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (share("x", [r for r, _ in part], [d for _, d in part]) for part in (rows, shuffled))
    assert one == other
    assert one.value is not None
    assert one.low is not None
    assert one.high is not None
    assert 0 <= one.low <= one.value <= one.high <= 1


@settings(max_examples=25, deadline=None)
@given(ROWS)
def test_mean_equals_share_of_the_same_outcomes(rows: list[tuple[bool, str]]) -> None:
    outcomes, documents = [r for r, _ in rows], [d for _, d in rows]
    assert mean("x", [float(r) for r in outcomes], documents).value == share("x", outcomes, documents).value
