"""Concept sets of documents."""

from __future__ import annotations

from linnet.evaluate.document_level import document_counts, documents_of_answers
from linnet.evaluate.gold import Gold, Predicted


def test_repeats_count_once_and_documents_of_either_side_are_listed() -> None:
    gold = [("d1", frozenset({"A"})), ("d1", frozenset({"A", "B"})), ("d2", frozenset({"C"}))]
    said = [("d1", frozenset({"A"})), ("d1", frozenset({"Z"})), ("d3", frozenset({"C"}))]
    assert document_counts(gold, said) == (["d1", "d2", "d3"], [1, 0, 0], [2, 0, 1], [2, 1, 0])


def test_answers_to_given_mentions_belong_to_the_documents_of_the_mentions() -> None:
    golds = [Gold("d", 0, 1, "a"), Gold("e", 0, 1, "b")]
    assert documents_of_answers(golds, [Predicted(frozenset("A")), Predicted()]) == [
        ("d", {"A"}),
        ("e", frozenset()),
    ]
