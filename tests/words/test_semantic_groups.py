"""Whether types of mentions suit concepts, and whether concepts of two terminologies can be the same."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.words.semantic_groups import (
    Group,
    agreement,
    compatible,
    group_of_concept,
    group_of_id,
    group_of_mention,
    group_of_type,
    mention_type,
)


def agree(type: str, group: Group) -> int:
    return int(agreement(np.array([int(group_of_mention(type))]), np.array([int(group)]))[0])


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
        ("Chemical", ["peptide"], 1),
        ("Gene", ["peptide"], 1),
        ("Gene", ["T086"], 1),
        ("Phenotype", ["T201"], 1),
        ("", ["Disease"], 0),
        ("Disease", [], 0),
        ("Disease", ["no such type"], 0),
        ("no such type", ["Disease"], 0),
    ],
)
def test_agreement(mention: str, types: list[str], expected: int) -> None:
    assert agree(mention, group_of_type(types)) == expected


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("T047", "Disease or Syndrome"),
        ("T048", "Mental or Behavioral Dysfunction"),
        ("T184", "Sign or Symptom"),
        ("T121", "Pharmacologic Substance"),
        ("T196", "Element, Ion, or Isotope"),
        ("T023", "Body Part, Organ, or Organ Component"),
        ("T061", "Therapeutic or Preventive Procedure"),
        ("T201", "Clinical Attribute"),
        ("T007", "Bacterium"),
    ],
)
def test_a_semantic_type_is_of_one_group_by_its_number_and_by_its_name(number: str, name: str) -> None:
    assert group_of_type([number]) == group_of_type([name]) != Group(0)


def test_a_vocabulary_of_one_kind_of_thing_gives_its_concepts_a_group() -> None:
    assert agree("Phenotype", group_of_id("HP:0001250")) == 1
    assert agree("Chemical", group_of_id("DOID:14330")) == -1
    assert agree("Disease", group_of_id("MESH:D003920")) == 0


@pytest.mark.parametrize(
    ("id", "suits", "differs"),
    [
        ("OMIM:604179", ("Gene", "Disease"), "Chemical"),
        ("MEDDRA:10003011", ("Disease", "Procedure"), "Chemical"),
        ("ICD9CM:47.0", ("Disease", "Procedure"), "Gene"),
        ("ICDO:C50.9", ("Disease", "Anatomy"), "Species"),
    ],
)
def test_a_vocabulary_of_few_kinds_of_things_suits_each_of_them(
    id: str, suits: tuple[str, ...], differs: str
) -> None:
    assert [agree(type, group_of_id(id)) for type in suits] == [1] * len(suits)
    assert agree(differs, group_of_id(id)) == -1


def test_types_outweigh_the_vocabulary_and_unknown_types_do_not() -> None:
    assert group_of_concept(["Gene"], "DOID:1") == Group.GENE
    assert group_of_concept(["no such type"], "DOID:1") == Group.DISEASE
    assert group_of_concept([], "DOID:1") == Group.DISEASE
    assert group_of_concept(["no such type"], "MESH:1") == Group(0)
    assert group_of_concept(["cellular_component"], "GO:5739") == Group.CELL
    assert group_of_concept(["Chemical", "T116"], "X:1") == Group.CHEMICAL | Group.PROTEIN


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Disease", "Phenotype", True),
        ("disorder", "finding", True),
        ("T047", "Psychology", True),
        ("Disease", "Gene", False),
        ("Disease", "Chemical", False),
        ("Chemical", "Gene", False),
        ("Protein", "Chemical", True),
        ("Protein", "protein-coding", True),
        ("Enzyme", "Chemical", True),
        ("Enzyme", "ncRNA", True),
        ("peptide", "Chemical", True),
        ("peptide", "Gene", True),
        ("Protein", "Disease", False),
        ("T114", "scRNA", True),
        ("T114", "T109", True),
        ("T025", "Anatomy", True),
        ("Cell", "Organism", False),
        ("Procedure", "T059", True),
        ("Procedure", "Disease", False),
        ("Process", "Phenotype", True),
        ("Process", "Gene", True),
        ("Location", "Organism", True),
        ("no such type", "Gene", True),
    ],
)
def test_concepts_are_compatible_unless_both_have_a_kind_and_share_none(
    first: str, second: str, expected: bool
) -> None:
    groups = group_of_type([first]), group_of_type([second])
    assert compatible(*groups) is expected
    assert compatible(*reversed(groups)) is expected
    assert compatible(groups[0], Group(0))


@pytest.mark.parametrize("group", list(Group))
def test_every_group_is_compatible_with_itself(group: Group) -> None:
    assert compatible(group, group)
    assert agreement(np.array([int(group)]), np.array([int(group)])).tolist() == [1]


def test_a_mention_may_be_typed_as_concepts_are() -> None:
    assert group_of_mention("T047") == group_of_type(["T047"])


def test_the_commonest_type_of_a_group_suits_it() -> None:
    for group in (Group.DISEASE, Group.PHENOTYPE, Group.CHEMICAL, Group.PROTEIN, Group.CELL, Group.PROCESS):
        assert agree(mention_type(group), group) == 1
    assert mention_type(Group.OTHER) == mention_type(Group(0)) == ""
