"""The longest match, the check against a terminology, and the figures, on an invented terminology."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.clinical import figures, tables
from benchmarks.clinical.check import counts, problems
from benchmarks.clinical.notes import parse
from benchmarks.clinical.run import measure
from benchmarks.clinical.systems import LongestMatch
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

PAIN, CHEST, DRUG, BIRD = "MESH:D000001", "MESH:D000002", "MESH:D000003", "MESH:D000004"


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    concepts = [
        Concept(PAIN, "Pain", ("ache",), ("Disease",)),
        Concept(CHEST, "Chest Pain", ("pain, chest",), ("Disease",)),
        Concept(DRUG, "invented-statin", ("ache",), ("Chemical",)),
        Concept(BIRD, "Linnet", (), ("Organism",)),
    ]
    return write_terminology(concepts, tmp_path / "mesh")


def test_the_longest_name_wins_whatever_its_case_and_blanks(terminology: Terminology) -> None:
    note = parse("ed-99", "CHEST\nPAIN, pain; linnet, Invented-statin, invented statin, ache")
    (found,) = LongestMatch(terminology).annotate([note.document()])
    assert [(a.text, a.type, set(a.concepts)) for a in found] == [
        ("CHEST\nPAIN", "Disease", {CHEST}),
        ("pain", "Disease", {PAIN}),
        ("Invented-statin", "Chemical", {DRUG}),
        ("ache", "Disease", {PAIN}),
    ]


def test_concepts_must_exist_and_fit_the_type(terminology: Terminology) -> None:
    source = f"[[pain|{PAIN}|Chemical|present]] [[x|MESH:D999999|Disease|present]] [[y|{BIRD}|Disease|present]] [[z|NIL|Disease|present]]"
    note = parse("ed-99", source)
    assert [line.split("has ")[1] for line in problems([note], terminology)] == [
        f"{PAIN}, a Disease, but is a Chemical",
        "MESH:D999999, which MeSH 2024 does not have",
        f"{BIRD}, a concept of other trees, but is a Disease",
    ]
    assert counts([note])["NIL"] == 1


def test_figures_count_what_is_right(terminology: Terminology) -> None:
    mentions = f"[[chest pain|{CHEST}|Disease|present]], no [[ache|{PAIN}|Disease|negated]], [[statin|{DRUG}|Chemical|present]]"
    source = f"{mentions}, [[pain|trap|word]]"
    result = measure(LongestMatch(terminology), [parse("ed-99", source)], terminology) | {"dictated": {}}
    weak = result["end to end"]["all"]["weak"]
    assert (weak["right"], weak["found"], weak["gold"]) == (2, 3, 3)
    assert result["end to end"]["classes"]["negated"] == [1, 1]
    assert result["end to end"]["classes"]["verbatim"] == [2, 2]
    assert result["given"]["Chemical"] == [0, 1]
    assert result["traps"] == {"word": [1, 1], "all": [1, 1]}
    assert result["assertion"]["negated"]["gold"] == 1
    assert (
        "| all, weak F1 (precision, recall) | 66.7 (66.7, 66.7) |"
        in tables.tables({"match": result})["end to end"]
    )


def test_history_of_relatives_is_not_scored() -> None:
    note = parse("ed-99", f"[[MI|{PAIN}|Disease|other person]] [[gout|{PAIN}|Disease|historical]]")
    said = frozenset({"other person", "historical"})
    scores = figures.assertion_figures([note], [[(frozenset(), said), (frozenset(), frozenset())]])
    assert scores["historical"]["found"] == 0
    assert scores["historical"]["gold"] == 1
    assert scores["micro"]["right"] == 1
