"""NIL counted as a class."""

from __future__ import annotations

from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.nil import nil_counts


def test_nil_is_right_where_both_sides_have_no_concept() -> None:
    golds = [Gold("d", 0, 1, "a"), Gold("d", 2, 3, "b"), Gold("d", 4, 5, "c", "", frozenset("C"))]
    answers = [Predicted(), Predicted(frozenset("B")), Predicted(frozenset(), missing=True)]
    assert nil_counts(golds, answers) == ([1, 0, 0], [1, 0, 1], [1, 1, 0])
