"""Figures as text."""

from __future__ import annotations

from linnet.evaluate.formatting import across, concept, denominator, interval, percent, signed
from linnet.evaluate.score import Score


def test_figures_have_one_decimal_and_a_dash_where_there_is_none() -> None:
    assert (percent(0.8234), percent(None)) == ("82.3", "–")
    assert interval(Score("x", 1, 2, 0.5, 0.4, 0.6)) == "40.0–60.0"
    assert interval(Score("x", 0, 0, None)) == "–"
    assert denominator(Score("x", 1, 1234, 0.5)) == "1,234"
    assert (across(1, 8), across(0, 0)) == ("12.5 %", "–")


def test_differences_have_a_sign_and_zero_has_none() -> None:
    assert (signed(0.0123), signed(-0.0123), signed(0.0), signed(-0.0001)) == ("+1.2", "−1.2", "0.0", "0.0")


def test_concepts_are_named_where_the_name_is_known() -> None:
    assert concept(("X:1", "X:2"), ("flu", "")) == "flu (X:1) + X:2"
    assert concept((), ()) == ""
