"""What of HPO only qualifies findings, by its branches."""

from __future__ import annotations

from pathlib import Path

from linnet.terminology import Terminology, write_terminology
from linnet.terminology.qualifying_concepts import qualifying_concepts
from linnet.types import Concept

HPO = [
    Concept("HP:0000001", "All"),
    Concept("HP:0000118", "Phenotypic abnormality", parents=("HP:0000001",)),
    Concept("HP:7000001", "Blue toes", parents=("HP:0000118",)),
    Concept("HP:0012823", "Clinical modifier", parents=("HP:0000001",)),
    Concept("HP:7000002", "Severity", parents=("HP:0012823",)),
    Concept("HP:7000003", "Severe", parents=("HP:7000002",)),
    Concept("HP:0032443", "Past medical history", parents=("HP:0000001",)),
    Concept("HP:7000004", "Gestational hypertension", parents=("HP:0032443",)),
    Concept("HP:0032316", "Family history", parents=("HP:0032443",)),
    Concept("HP:7000005", "Healthy", parents=("HP:0032316",)),
]


def qualifying(concepts: list[Concept], place: Path) -> set[str]:
    write_terminology(concepts, place)
    terminology = Terminology.open(place)
    return {terminology.name(row) for row in qualifying_concepts(terminology)}


def test_modifiers_and_family_history_qualify_and_findings_do_not(tmp_path: Path) -> None:
    findings = {"Blue toes", "Gestational hypertension"}
    assert qualifying(HPO, tmp_path / "hpo") == {concept.name for concept in HPO} - findings


def test_without_hpo_nothing_qualifies(tmp_path: Path) -> None:
    others = [Concept("MESH:D1", "Severe"), Concept("MESH:D2", "Right", parents=("MESH:D1",))]
    assert qualifying(others, tmp_path / "mesh") == set()
