"""Items of lists in one cell, and the joints at which a string may be divided."""

# ruff: noqa: E501 (lists of strings)

from __future__ import annotations

import pytest

from linnet.read.string_lists import caused_items, comma_items, is_dashed, joined_items, separate_items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("asthma; eczema", ["asthma", "eczema"]),
        ("1. HTN 2. T2DM 3) CKD", ["HTN", "T2DM", "CKD"]),
        ("- gout\n- copd", ["gout", "copd"]),
        ("gout | copd", ["gout", "copd"]),
        ("HTN. Diabetes.", ["HTN", "Diabetes."]),
        ("asthma - exacerbation", ["asthma", "exacerbation"]),
        ("a1, b2, c3 disease, d4 fever, e5 pain", ["a1, b2, c3 disease, d4 fever, e5 pain"]),
        ("gout, asthma, eczema and acne", ["gout, asthma, eczema and acne"]),
        ("gout, asthma, eczema, and acne", ["gout", "asthma", "eczema", "acne"]),
        ("gout/asthma/eczema/acne", ["gout", "asthma", "eczema", "acne"]),
    ],
)
def test_items(text: str, items: list[str]) -> None:
    assert separate_items(text) == items


@pytest.mark.parametrize(
    "text", ["breast cancer", "diabetes mellitus, type 2", "X-linked ichthyosis", "St. Louis encephalitis", "2.5 mg warfarin", "vitamin B12"]
)  # fmt: skip
def test_one_thing_is_one_item(text: str) -> None:
    assert separate_items(text) == [text]


def test_every_joint_divides_once() -> None:
    assert list(joined_items("breast cancer with bone mets s/p mastectomy")) == [
        ("breast cancer", "with", "bone mets s/p mastectomy"),
        ("breast cancer with bone mets", "s/p", "mastectomy"),
    ]
    assert list(joined_items("COPD w/ pneumonia")) == [("COPD", "w/", "pneumonia")]
    assert list(joined_items("pneumonia")) == []


def test_commas_dashes_and_causes() -> None:
    assert comma_items("melanoma L shoulder, excised") == ["melanoma L shoulder", "excised"]
    assert comma_items("asthma (mild, stable)") == []
    assert is_dashed("HTN - lisinopril")
    assert not is_dashed("HTN; lisinopril")
    assert caused_items("steroid-induced diabetes") == ("diabetes", "steroid")
    assert caused_items("post-ERCP pancreatitis") == ("pancreatitis", "ERCP")
    assert caused_items("asthma") is None
