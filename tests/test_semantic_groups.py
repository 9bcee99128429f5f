"""Whether types of mentions and concepts can mean the same kind of thing."""

from __future__ import annotations

import pytest

from linnet.semantic_groups import agreement, group_of_id, group_of_mention, group_of_type


@pytest.mark.parametrize(
    ("mention", "types", "expected"),
    [
        ("Disease", ["Disease"], 1),
        ("SpecificDisease", ["T047", "Disease or Syndrome"], 1),
        ("Disease", ["Condition", "Clinical Finding"], 1),
        ("Phenotype", ["disorder"], 1),
        ("Disease", ["Protein"], -1),
        ("Chemical", ["Protein"], -1),
        ("Chemical", ["Chemical", "Protein"], 1),
        ("GeneOrGeneProduct", ["Protein"], 1),
        ("Gene", ["protein-coding"], 1),
        ("species", ["Organism"], 1),
        ("", ["Disease"], 0),
        ("Disease", [], 0),
        ("Disease", ["no such type"], 0),
        ("no such type", ["Disease"], 0),
    ],
)
def test_agreement(mention: str, types: list[str], expected: int) -> None:
    assert agreement(group_of_mention(mention), group_of_type(types)) == expected


def test_a_vocabulary_of_one_kind_of_thing_gives_its_concepts_a_group() -> None:
    assert agreement(group_of_mention("Phenotype"), group_of_id("HP:0001250")) == 1
    assert agreement(group_of_mention("Chemical"), group_of_id("DOID:14330")) == -1
    assert agreement(group_of_mention("Disease"), group_of_id("MESH:D003920")) == 0
