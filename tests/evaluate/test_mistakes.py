"""Each wrong mention in one class."""

from __future__ import annotations

import pytest

from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.hierarchy import Hierarchy
from linnet.evaluate.mistakes import KINDS, find_mistakes

PARENTS = {"B": ["A"], "C": ["B"], "D": ["B"], "E": ["C"], "F": ["A"], "G": ["F"]}
TREE = Hierarchy(lambda id: PARENTS.get(id, []))


def gold(*ids: str, text: str = "thing") -> Gold:
    return Gold("d", 0, 5, text, "", frozenset(ids))


def said(*ids: str) -> Predicted:
    return Predicted(frozenset(ids), tuple((id,) for id in ids), tuple(f"name of {id}" for id in ids))


@pytest.mark.parametrize(
    ("one", "answer", "kind"),
    [
        (gold("X"), said("A"), "outside the terminology"),
        (gold("C"), Predicted(), "nothing emitted"),
        (gold("C"), Predicted(frozenset("D"), (("D", "C"),)), "homonym"),
        (gold("C", "F"), said("C"), "composite, incomplete"),
        (gold("C", "F"), said("C", "E"), "composite, wrong"),
        (gold("C"), said("C", "E"), "split too far"),
        (gold("C"), said("B"), "too broad: parent"),
        (gold("C"), said("E"), "too narrow: child"),
        (gold("C"), said("D"), "sibling"),
        (gold("E"), said("A"), "too broad: ancestor"),
        (gold("B"), said("E"), "too narrow: descendant"),
        (gold("C"), said("G"), "unrelated"),
        (gold("C"), said("I"), "not in the hierarchy"),
    ],
)
def test_classes(one: Gold, answer: Predicted, kind: str) -> None:
    result = find_mistakes([one], [answer], known=lambda id: id != "X", hierarchy=TREE)
    assert [k.name for k in result.kinds] == [kind]
    assert kind in KINDS


def test_right_answers_and_mentions_without_gold_are_no_mistakes() -> None:
    result = find_mistakes([gold("C"), gold()], [said("C"), said("A")], hierarchy=TREE)
    assert result.total == 0
    assert result.examples == ()
    assert result.wu_palmer.value == 1


def test_equal_mistakes_are_one_example_with_a_count_and_names() -> None:
    golds = [gold("C", text="Thing"), gold("C", text="thing"), gold("C", text="rare")]
    result = find_mistakes(golds, [said("B")] * 3, name=str.lower, hierarchy=TREE)
    assert [(m.text, m.count) for m in result.examples] == [("Thing", 2), ("rare", 1)]
    first = result.examples[0]
    assert (first.gold_names, first.predicted_names, first.matched) == (("c",), ("b",), "name of B")
    # C is three deep and its parent B two: 2·2 / (2·2 + 1 + 0)
    assert first.similarity == pytest.approx(0.8)
    assert result.wu_palmer.value == pytest.approx(0.8)


def test_where_the_gold_was_is_counted() -> None:
    answers = [said("B", "C"), said("B", *(f"N{i}" for i in range(30)), "C"), said("B")]
    answers = [Predicted(frozenset("B"), answer.ranked) for answer in answers]
    result = find_mistakes([gold("C")] * 3, answers, hierarchy=TREE)
    assert result.gold_at == (("rank 2–5", 1), ("rank 21–64", 1), ("not retrieved", 1))


def test_without_a_hierarchy_nothing_is_said_about_distance() -> None:
    result = find_mistakes([gold("C")], [said("B")])
    assert result.kinds[0].name == "not in the hierarchy"
    assert result.kinds[0].similarity is None
    assert result.wu_palmer.value is None
