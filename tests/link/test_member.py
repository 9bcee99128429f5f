"""What a terminology tells recognisers of its names."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.link.indexing import build_indexes
from linnet.link.member import Member
from linnet.recognise import TerminologyNames, shared_types
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.overrides import read_overrides
from linnet.types import Concept


def names(concepts: list[Concept], place: Path) -> TerminologyNames:
    write_terminology(concepts, place)
    terminology = Terminology.open(place)
    build_indexes(terminology, ["exact"])
    return Member(terminology, [], overrides=read_overrides(terminology)).names()


@pytest.mark.parametrize(
    ("concepts", "phenotypes"),
    [
        ([Concept("HP:1", "blue toes", sources=("HP",))], True),
        ([Concept("HP:1", "blue toes", types=("Phenotype",))], True),
        ([Concept("X:1", "blue toes", types=("Phenotype",))], True),
        ([Concept("HP:1", "blue toes", types=("Disease",))], False),
        (
            [
                Concept("HP:1", "blue toes", sources=("HP",)),
                Concept("MONDO:1", "blue toe", sources=("MONDO",)),
            ],
            False,
        ),
        ([Concept("X:1", "blue toes")], False),
    ],
)
def test_a_terminology_is_of_phenotypes_by_its_types_or_else_its_vocabulary(
    concepts: list[Concept], phenotypes: bool, tmp_path: Path
) -> None:
    assert names(concepts, tmp_path / "t").phenotypes is phenotypes


def test_names_of_concepts_that_only_qualify_others_can_be_left_out(tmp_path: Path) -> None:
    hpo = names(
        [Concept("HP:0012823", "Clinical modifier"), Concept("HP:7", "Severe", parents=("HP:0012823",)),
         Concept("HP:8", "Blue toes")],
        tmp_path / "hpo",
    )  # fmt: skip
    rows = [row for row in range(3) if hpo.without_qualifiers().type(row) is not None]
    assert [hpo.text(row) for row in rows] == ["Blue toes"]
    assert {hpo.type(row) for row in range(3)} == {""}


@pytest.mark.parametrize(("diseases", "rare"), [(1, True), (4, True), (5, False), (60, False)])
def test_types_that_hardly_any_concept_has_are_rare(tmp_path: Path, diseases: int, rare: bool) -> None:
    concepts = [Concept(f"C:{n}", f"drug {n}", types=("Chemical",)) for n in range(1000 - diseases)]
    concepts += [Concept(f"D:{n}", f"illness {n}", types=("Disease",)) for n in range(diseases)]
    write_terminology(concepts, tmp_path / "t")
    terminology = Terminology.open(tmp_path / "t")
    build_indexes(terminology, ["exact"])
    names = Member(terminology, [], overrides=read_overrides(terminology)).names()
    assert names.types == {"Chemical", "Disease"}
    assert names.rare == ({"Disease"} if rare else frozenset())
    assert shared_types([names]) == ({"Chemical"} if rare else {"Chemical", "Disease"})


def test_of_the_concepts_that_may_be_linked_to_the_commonest_type_is_never_rare(tmp_path: Path) -> None:
    concepts = [Concept(f"C:{n}", f"drug {n}", types=("Chemical",)) for n in range(300)]
    write_terminology([*concepts, Concept("D:1", "gout", types=("Disease",))], tmp_path / "t")
    terminology = Terminology.open(tmp_path / "t")
    build_indexes(terminology, ["exact"])
    allowed = terminology.select(types={"Disease"})
    names = Member(terminology, [], overrides=read_overrides(terminology), allowed=allowed).names()
    assert (names.types, names.rare) == ({"Disease"}, frozenset())
