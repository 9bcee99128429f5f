"""What a terminology tells recognisers of its names."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.link.indexing import build_indexes
from linnet.link.member import Member
from linnet.recognise import TerminologyNames
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
