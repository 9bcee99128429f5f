"""Which concepts of an ontology are another one's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from linnet.terminology import Terminology, write_terminology
from linnet.terminology.imported_concepts import imported_concepts
from linnet.types import Concept

DISEASES = [f"DOID:{number}" for number in range(1, 25)]


def made(place: Path, ids: Sequence[str], format: str) -> Terminology:
    write_terminology(
        [Concept(id, f"name {id}") for id in ids], place, sources=[{"path": "a", "format": format}]
    )
    return Terminology.open(place)


@pytest.mark.parametrize("format", ["obo", "obograph"])
def test_other_vocabularies_of_an_ontology_are_counted(tmp_path: Path, format: str) -> None:
    terminology = made(tmp_path / "t", [*DISEASES, "UBERON:1", "CHEBI:1", "UBERON:2"], format)
    assert imported_concepts(terminology) == ("DOID", {"UBERON": 2, "CHEBI": 1})


@pytest.mark.parametrize(
    ("ids", "format"),
    [
        (DISEASES, "obo"),  # its own alone
        ([*DISEASES, "UBERON:1"], "table"),  # a table has what its maker wanted
        ([*DISEASES, *(f"HP:{number}" for number in range(5))], "obo"),  # a sixth
        ([*DISEASES[:4], "HP:1", "MP:1", "CL:1", "GO:1"], "obo"),  # no vocabulary has most
        (["1", "2"], "obo"),  # ids without a vocabulary
    ],
)
def test_none_are_imported_where_several_vocabularies_are_meant(
    tmp_path: Path, ids: list[str], format: str
) -> None:
    assert imported_concepts(made(tmp_path / "t", ids, format)) == ("", {})
