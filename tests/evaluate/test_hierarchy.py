"""Relations in a small graph:

        root
       /    \\
     heart  lung        island
    /    \\  /    \\
  attack  cor   flu
    |
  silent
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.evaluate.hierarchy import RELATIONS, Hierarchy

PARENTS = {
    "heart": ["root"],
    "lung": ["root"],
    "attack": ["heart"],
    "cor": ["heart", "lung"],
    "flu": ["lung"],
    "silent": ["attack"],
}
TREE = Hierarchy(lambda id: PARENTS.get(id, []))
NODES = st.sampled_from([*PARENTS, "root", "island"])


@pytest.mark.parametrize(
    ("gold", "predicted", "relation"),
    [
        ("cor", "cor", "same"),
        ("attack", "heart", "parent"),
        ("attack", "silent", "child"),
        ("attack", "cor", "sibling"),
        ("silent", "root", "ancestor"),
        ("root", "silent", "descendant"),
        ("attack", "flu", "unrelated"),
        ("attack", "island", "not in the hierarchy"),
    ],
)
def test_relation_of_the_prediction_to_the_gold(gold: str, predicted: str, relation: str) -> None:
    assert TREE.relation(gold, predicted) == relation


def test_wu_palmer_by_hand() -> None:
    # depth of heart is 2; attack and cor are one step below it
    assert TREE.wu_palmer("attack", "cor") == pytest.approx(4 / 6)
    assert TREE.wu_palmer("silent", "flu") == pytest.approx(2 / (2 + 3 + 2))
    assert TREE.wu_palmer("attack", "island") == 0
    assert TREE.depth("root") == 1
    assert TREE.depth("silent") == 4


def test_a_cycle_is_survived() -> None:
    loop = Hierarchy(lambda id: {"a": ["b"], "b": ["a"]}.get(id, []))
    assert loop.relation("a", "b") == "parent"
    assert 0 <= loop.wu_palmer("a", "b") <= 1


@given(NODES, NODES)
def test_wu_palmer_is_symmetric_within_bounds_and_one_only_for_the_same(a: str, b: str) -> None:
    score = TREE.wu_palmer(a, b)
    assert score == TREE.wu_palmer(b, a)
    assert 0 <= score <= 1
    assert (score == 1) == (a == b)


@given(NODES, NODES)
def test_relations_mirror_each_other(a: str, b: str) -> None:
    mirror = {"parent": "child", "child": "parent", "ancestor": "descendant", "descendant": "ancestor"}
    relation = TREE.relation(a, b)
    assert relation in RELATIONS
    assert TREE.relation(b, a) == mirror.get(relation, relation)
