"""Ranks counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.ranking import accuracy_at_k, gold_ranks, recall_at_k, reciprocal_ranks

GOLDS = [Gold("d", 0, 1, "a", "", frozenset({"A"})), Gold("e", 0, 1, "b", "", frozenset({"A", "B"}))]
ANSWERS = [
    Predicted(frozenset({"X"}), (("X", "Y"), ("A",))),
    Predicted(frozenset({"B"}), (("B",), ("C",))),
]


def test_ranks_are_given_in_the_order_of_the_gold_ids() -> None:
    assert gold_ranks(GOLDS, ANSWERS) == [(3,), (0, 1)]


def test_k_counts_concepts_not_names() -> None:
    ranks = gold_ranks(GOLDS, ANSWERS)
    assert accuracy_at_k(ranks, k=2) == [False, False]
    assert accuracy_at_k(ranks, k=3) == [True, False]


def test_a_composite_is_right_at_k_when_every_part_is() -> None:
    parts = (Predicted(frozenset("A"), (("A",), ("C",))), Predicted(frozenset("C"), (("C",), ("B",))))
    ranks = gold_ranks(GOLDS[1:], [Predicted(frozenset("AC"), parts=parts)])
    assert ranks == [(1, 2)]
    assert accuracy_at_k(ranks, k=1) == [False]
    assert accuracy_at_k(ranks, k=2) == [True]


def test_a_mention_without_concepts_is_never_right_at_k() -> None:
    assert accuracy_at_k([()], k=5) == [False]


def test_recall_counts_gold_concepts_found() -> None:
    ranks = gold_ranks(GOLDS, ANSWERS)
    assert recall_at_k(ranks, k=1) == ([0, 1], [1, 2])
    assert recall_at_k(ranks, k=64) == ([1, 1], [1, 2])


def test_reciprocal_ranks_are_per_gold_concept_and_zero_when_missing() -> None:
    values, documents = reciprocal_ranks(gold_ranks(GOLDS, ANSWERS), ["d", "e"])
    assert values == pytest.approx([1 / 3, 0, 1])
    assert documents == ["d", "e", "e"]


@given(st.lists(st.sampled_from("ABCDEF"), unique=True, min_size=1), st.integers(1, 6))
def test_accuracy_and_recall_never_fall_with_k(order: list[str], k: int) -> None:
    ranks = gold_ranks(GOLDS, [Predicted(frozenset(order[:1]), tuple((c,) for c in order))] * 2)
    assert accuracy_at_k(ranks, k=k) <= accuracy_at_k(ranks, k=k + 1)
    assert recall_at_k(ranks, k=k)[0] <= recall_at_k(ranks, k=k + 1)[0]
