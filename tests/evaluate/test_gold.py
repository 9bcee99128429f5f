"""Mentions and links as the values evaluation compares."""

from __future__ import annotations

from linnet.evaluate.gold import Predicted, gold_mentions, golds_of, predicted_of
from linnet.types import Candidate, Document, Link, Mention


def document() -> Document:
    home = Document("d1", "Warts and mumps")
    return home.with_mentions(
        [
            Mention(home, 0, 5, "Warts", "Disease", ("X:1",)),
            Mention(home, 10, 15, "mumps", "Virus", ("X:2", "X:3"), extra={"combined": True}),
        ]
    )


def test_gold_carries_place_type_concepts_and_whether_they_are_combined() -> None:
    warts, mumps = golds_of(gold_mentions([document()]))
    assert (warts.document, warts.start, warts.end, warts.surface) == ("d1", 0, 5, "warts")
    assert warts.concepts == {"X:1"}
    assert not warts.combined
    assert mumps.combined
    assert mumps.concepts == {"X:2", "X:3"}


def test_types_select_mentions_whatever_their_case() -> None:
    assert [m.text for m in gold_mentions([document()], types=["virus"])] == ["mumps"]


def test_candidates_of_one_name_are_one_homonym_whatever_their_scores() -> None:
    candidates = (
        Candidate("X:1", "Cold", 0.9, "exact"),
        Candidate("X:2", "cold", 0.9, "exact"),
        Candidate("X:3", "chill", 0.8, "char"),
        Candidate("X:4", "cold", 0.7, "char"),
    )
    (answer,) = predicted_of([Link(Mention.alone("cold"), ("X:1",), "Cold", 0.7, candidates)])
    assert answer.ranked == (("X:1", "X:2", "X:4"), ("X:3",))
    assert answer.names == ("Cold", "chill")
    assert answer.top == {"X:1", "X:2", "X:4"}
    assert answer.probability == 0.7


def test_top_is_the_emitted_concept_where_another_name_ranks_first() -> None:
    assert Predicted(frozenset({"B"}), (("A",), ("B", "C"))).top == {"B"}


def test_a_concept_emitted_but_not_ranked_comes_first() -> None:
    answer = Predicted(frozenset({"B"}), (("A",),))
    assert answer.order() == ("B", "A")
    assert (answer.rank("B"), answer.rank("A"), answer.rank("Z")) == (1, 2, 0)


def test_rank_in_a_composite_is_the_best_over_its_parts() -> None:
    parts = (Predicted(frozenset("A"), (("A",), ("C",))), Predicted(frozenset("B"), (("B",), ("D",), ("C",))))
    whole = Predicted(frozenset("AB"), parts=parts)
    assert [whole.rank(id) for id in "ABCDE"] == [1, 1, 2, 2, 0]
