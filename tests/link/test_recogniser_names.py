"""What mentions of a terminology's concepts are called: their types, else the kind of their vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from linnet.link.indexing import build_indexes
from linnet.link.member import Member
from linnet.recognise import TerminologyNames, open_recogniser, shared_kinds
from linnet.recognise.tagger_beside_names import TaggerBesideNames
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.overrides import read_overrides
from linnet.types import Concept, Document


def names_of(place: Path, *concepts: Concept, deny: Sequence[str] = ()) -> TerminologyNames:
    write_terminology(concepts, place)
    terminology = Terminology.open(place)
    build_indexes(terminology, ["exact"])
    allowed = terminology.select(deny=deny) if deny else None
    return Member(terminology, [], overrides=read_overrides(terminology), allowed=allowed).names()


@pytest.mark.parametrize(
    ("id", "type"),
    [
        ("MONDO:1", "Disease"),
        ("CHEBI:1", "Chemical"),
        ("HP:1", ""),
        ("OMIM:1", ""),
        ("MESH:D1", ""),
        ("X:1", ""),
    ],
)
def test_a_concept_without_types_is_called_by_the_kind_of_its_vocabulary(
    tmp_path: Path, id: str, type: str
) -> None:
    names = names_of(tmp_path / "t", Concept(id, "gout"))
    assert names.type(0) == type
    assert names.types == ({type} if type else frozenset())


def test_types_of_the_terminology_come_first(tmp_path: Path) -> None:
    names = names_of(
        tmp_path / "t", Concept("MONDO:1", "gout", types=("disorder",)), Concept("MONDO:2", "flu")
    )
    assert [names.type(row) for row in (0, 1)] == ["disorder", "Disease"]
    assert names.types == {"disorder", "Disease"}
    assert shared_kinds([names]) == {"Disease": "Disease", "disorder": "Disease"}


def test_concepts_of_vocabularies_that_disagree_are_not_called_anything(tmp_path: Path) -> None:
    names = names_of(
        tmp_path / "t",
        Concept("MONDO:1", "gout", sources=("MONDO", "CHEBI")),
        Concept("MONDO:2", "flu", sources=("MONDO", "MESH")),
    )
    assert [names.type(row) for row in (0, 1)] == ["", "Disease"]


def test_a_few_imported_concepts_do_not_make_it_a_terminology_of_their_kind(tmp_path: Path) -> None:
    diseases = [Concept(f"DOID:{n}", f"disease {n}") for n in range(100)]
    names = names_of(tmp_path / "t", *diseases, *(Concept(f"CHEBI:{n}", f"drug {n}") for n in range(11)))
    assert names.types == {"Disease"}
    names = names_of(tmp_path / "u", *diseases, *(Concept(f"CHEBI:{n}", f"drug {n}") for n in range(12)))
    assert names.types == {"Disease", "Chemical"}


def test_what_may_not_be_linked_to_gives_no_type(tmp_path: Path) -> None:
    names = names_of(
        tmp_path / "t", Concept("MONDO:1", "gout"), Concept("CHEBI:1", "aspirin"), deny=["MONDO:1"]
    )
    assert names.types == {"Chemical"}
    assert [names.type(row) for row in (0, 1)] == ["Chemical", None]


def test_the_default_recogniser_finds_diseases_that_an_untyped_terminology_of_diseases_lacks(
    tmp_path: Path,
) -> None:
    names = names_of(tmp_path / "t", Concept("MONDO:1", "gout"))
    recogniser = open_recogniser("combined", [names])
    assert isinstance(recogniser, TaggerBesideNames)
    [document] = recogniser.recognise([Document("d", "He had gout, and ascites developed under aspirin.")])
    assert [(m.text, m.type) for m in document.mentions] == [("gout", "Disease"), ("ascites", "Disease")]
