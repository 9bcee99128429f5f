"""Ranks counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.ranking import accuracy_at_k, recall_at_k, reciprocal_ranks

GOLDS = [Gold("d", 0, 1, "a", "", frozenset({"A"})), Gold("e", 0, 1, "b", "", frozenset({"A", "B"}))]
ANSWERS = [
    Predicted(frozenset({"X"}), (("X", "Y"), ("A",))),
    Predicted(frozenset({"B"}), (("B",), ("C",))),
]


def test_k_counts_concepts_not_names() -> None:
    assert accuracy_at_k(GOLDS, ANSWERS, k=2) == [False, False]
    assert accuracy_at_k(GOLDS, ANSWERS, k=3) == [True, False]


def test_recall_counts_gold_concepts_found() -> None:
    assert recall_at_k(GOLDS, ANSWERS, k=1) == ([0, 1], [1, 2])
    assert recall_at_k(GOLDS, ANSWERS, k=64) == ([1, 1], [1, 2])


def test_reciprocal_ranks_are_per_gold_concept_and_zero_when_missing() -> None:
    ranks, documents = reciprocal_ranks(GOLDS, ANSWERS)
    assert ranks == pytest.approx([1 / 3, 0, 1])
    assert documents == ["d", "e", "e"]


@given(st.lists(st.sampled_from("ABCDEF"), unique=True, min_size=1), st.integers(1, 6))
def test_accuracy_and_recall_never_fall_with_k(order: list[str], k: int) -> None:
    answers = [Predicted(frozenset(order[:1]), tuple((c,) for c in order))] * 2
    assert accuracy_at_k(GOLDS, answers, k=k) <= accuracy_at_k(GOLDS, answers, k=k + 1)
    assert recall_at_k(GOLDS, answers, k=k)[0] <= recall_at_k(GOLDS, answers, k=k + 1)[0]
