"""What describes a case is left out, all and some of it; the text itself always comes first."""

from __future__ import annotations

import pytest

from linnet.read.qualifiers import (
    Relation,
    has_further_words,
    is_only_qualifiers,
    relation,
    without_qualifiers,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("E11.9 - type 2 diabetes", "type 2 diabetes"),
        ("asthma (ICD-10: J45.9)", "asthma"),
        ("h/o pulmonary embolism 03/2019", "pulmonary embolism"),
        ("Patients with asthma", "asthma"),
        ("asthma in adults", "asthma"),
        ("Hypertension, stable", "Hypertension"),
        ("fever x3 days", "fever"),
        ("cough 3/7", "cough"),
        ("1. gout", "gout"),
        ("?gout", "gout"),
        ("atorvastatin 20mg PO nocte", "atorvastatin"),
        ("amoxicillin 500 mg tds x 7 days", "amoxicillin"),
        ("heart failure NYHA III EF 30%", "heart failure"),
        ("cirrhosis Child-Pugh B", "cirrhosis"),
        ("knee pain (R)", "knee pain"),
        ("PMH: eczema", "eczema"),
        ("bronchitis NOS", "bronchitis"),
    ],
)
def test_all_qualifiers_go_in_the_last_text(text: str, name: str) -> None:
    results = without_qualifiers(text)
    assert results[0].text == text
    assert (results[0].marks, results[0].words) == (False, 0)
    assert results[-1].text == name
    assert results[-1].marks or results[-1].words


def test_words_that_names_have_too_go_in_all_combinations() -> None:
    texts = [bare.text for bare in without_qualifiers("severe acute myeloid leukaemia")]
    assert texts == [
        "severe acute myeloid leukaemia", "acute myeloid leukaemia", "severe myeloid leukaemia", "myeloid leukaemia",
    ]  # fmt: skip
    assert [bare.words for bare in without_qualifiers("severe acute myeloid leukaemia")] == [0, 1, 1, 2]


def test_a_name_without_qualifiers_stays() -> None:
    for text in ("breast cancer", "vitamin D", "COVID-19", "type 2 diabetes", "HER2"):
        assert [bare.text for bare in without_qualifiers(text)] == [text]


def test_what_is_only_a_qualifier() -> None:
    for text in ("stage 3", "stable", "2019", "L", "- resolved", "severe, recurrent", "20 mg bd"):
        assert is_only_qualifiers(text), text
    for text in ("asthma", "acute asthma", "left knee"):
        assert not is_only_qualifiers(text), text


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("1. asthma, unspecified (2019)", ["asthma"], Relation.SAME),
        ("known case of T2DM", ["type 2 diabetes mellitus"], Relation.SAME),
        ("acute gout", ["gout", "acute gouty arthritis"], Relation.SAME),
        ("old myocardial infarction", ["old myocardial infarction"], Relation.SAME),
        ("severe asthma", ["asthma"], Relation.NARROWER),
        ("asthma in children", ["asthma"], Relation.NARROWER),
        ("left knee osteoarthritis", ["osteoarthritis, knee"], Relation.NARROWER),
        ("metformin 500 mg", ["metformin"], Relation.NARROWER),
        ("family history of breast cancer", ["breast neoplasms", "breast cancer"], Relation.OTHER),
        ("screening for colon cancer", ["colon cancer"], Relation.OTHER),
        ("suspected severe PE", ["pulmonary embolism"], Relation.OTHER),
        ("PMH: gout", ["gout"], Relation.OTHER),
        ("history of gout", ["gout", "history of gout"], Relation.SAME),
    ],
)
def test_what_a_text_is_to_a_concept_depends_on_the_qualifiers_that_its_names_lack(
    text: str, names: list[str], expected: Relation
) -> None:
    assert relation(text, names) is expected


def test_words_that_no_name_has_are_further_words_unless_they_change_nothing() -> None:
    assert not has_further_words("Gouts, unspecified", ["gout"])
    assert not has_further_words("cancer of the breast", ["breast neoplasms", "breast cancer"])
    assert has_further_words("hypertension (without diabetes)", ["hypertension"])
