"""Ids of other vocabularies as concepts of HPO, DO and Mondo."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generalisation.cross_references import concepts_by_reference
from linnet.terminology import write_terminology
from linnet.types import Concept


def test_an_id_leads_to_its_one_concept_and_an_ambiguous_or_unknown_one_to_none(folder: Path) -> None:
    terminology = write_terminology(
        [Concept("HP:0000001", "Vell rash"), Concept("DOID:1", "Dorn fever")], folder / "built"
    )
    assert concepts_by_reference(folder, terminology, prefix="UMLS") == {
        "UMLS:C0000001": "HP:0000001",
        "UMLS:C0000002": "DOID:1",
        "UMLS:C0000003": "DOID:1",
    }
    # 1002 leads to two concepts, 1004 to none.
    assert concepts_by_reference(folder, terminology, prefix="SNOMEDCT") == {
        "SNOMEDCT:1001": "HP:0000001",
        "SNOMEDCT:1003": "DOID:1",
    }
