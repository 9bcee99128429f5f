"""What describes a case is left out, all and some of it; the text itself always comes first."""

from __future__ import annotations

import pytest

from linnet.read.qualifiers import is_only_qualifiers, without_qualifiers


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
