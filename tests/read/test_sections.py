"""Sections of notes by their headings."""

from __future__ import annotations

import pytest

from linnet.read.rules import rows
from linnet.read.sections import KINDS, is_heading, section_at, sections

NOTE = """Chief Complaint: cough

PAST MEDICAL HISTORY:
1. Asthma
2. Gout

Family Hx: father had gout
Skin: dry
Allergies: penicillin. Meds: salbutamol
PLAN
- review

Signed"""


def _found(text: str) -> list[tuple[str, str]]:
    return [(section.kind, text[section.start : section.end].strip()) for section in sections(text)]


def test_each_section_has_its_kind_and_ends_before_the_next() -> None:
    assert _found(NOTE) == [
        ("history", "cough"),
        ("past history", "1. Asthma\n2. Gout"),
        ("family history", "father had gout"),
        ("allergies", "penicillin."),
        ("medications", "salbutamol"),
        ("plan", "- review\n\nSigned"),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("PMH asthma, gout", "past history"),
        ("Seen in clinic. PMH asthma.", "past history"),
        ("PMHx from mother: asthma", "past history"),
        ("Discharge Medications:\naspirin", "medications"),
        ("> FH: gout", "family history"),
        ("3) Allergies - latex", "allergies"),
    ],
)
def test_headings_are_known_however_they_are_written(text: str, kind: str) -> None:
    assert [section.kind for section in sections(text)] == [kind]


def test_a_list_on_the_line_of_its_heading_is_no_part_of_it() -> None:
    text = "PMH DM2, kidney stones\nMeds glipizide"
    assert [is_heading(text, text.index(word)) for word in ("PMH", "DM2", "stones")] == [True, False, False]


@pytest.mark.parametrize("line", ["peanut allergy", "Penicillin allergy"])
def test_a_line_that_ends_with_the_word_of_a_heading_is_none(line: str) -> None:
    text = f"PMH: gout\n- {line}\nPlan: review"
    assert not is_heading(text, text.index(line))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No history of gout.",
        "BACKGROUND: Gout is common. METHODS: We looked. RESULTS: Much. CONCLUSIONS: Gout is common.",
        "Personal history of colonic polyps",
        "Allergic rhinitis\nAsthma",
    ],
)
def test_a_text_without_clinical_headings_has_no_sections(text: str) -> None:
    assert _found(text) == []


def test_the_section_at_a_place_is_the_one_that_holds_it() -> None:
    at = section_at(NOTE, NOTE.index("Gout"))
    assert at is not None
    assert at.kind == "past history"
    assert section_at(NOTE, NOTE.index("dry")) is None
    assert section_at(NOTE, 0) is None


def test_every_heading_of_the_table_has_a_kind_and_no_other_row() -> None:
    table = rows("section_headings")
    assert len({row["heading"] for row in table}) == len(table) > 200
    assert {row["alone"] for row in table} == {"", "no", "upper", "colon"}
    assert {row["kind"] for row in table} == set(KINDS)
