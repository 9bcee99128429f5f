"""Items of lists in one cell, and the joints at which a string may be divided."""

# ruff: noqa: E501 (lists of strings)

from __future__ import annotations

import pytest

from linnet.read.divide.kinds import Kind
from linnet.read.divide.lists import comma_items, joined_items, separate_items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("asthma; eczema", ["asthma", "eczema"]),
        ("1. HTN 2. T2DM 3) CKD", ["HTN", "T2DM", "CKD"]),
        ("- gout\n- copd", ["gout", "copd"]),
        ("gout | copd", ["gout", "copd"]),
        ("HTN. Diabetes.", ["HTN", "Diabetes."]),
        ("asthma - exacerbation", ["asthma", "exacerbation"]),
        ("gout, asthma, eczema, and acne", ["gout", "asthma", "eczema", "acne"]),
        ("gout/asthma/eczema/acne", ["gout", "asthma", "eczema", "acne"]),
    ],
)
def test_items(text: str, items: list[str]) -> None:
    found = separate_items(text)
    assert found is not None
    assert found[1] == items


@pytest.mark.parametrize(
    "text", ["a1, b2, c3 disease, d4 fever, e5 pain", "gout, asthma, eczema and acne", "breast cancer", "diabetes mellitus, type 2", "X-linked ichthyosis", "St. Louis encephalitis", "2.5 mg warfarin", "vitamin B12"]
)  # fmt: skip
def test_one_thing_is_one_item(text: str) -> None:
    assert separate_items(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [("HTN - lisinopril", Kind.DASHED), ("HTN; lisinopril", Kind.SEPARATE), ("a - b; c", Kind.SEPARATE), ("gout/asthma/eczema/acne", Kind.LIST)],
)  # fmt: skip
def test_separators_have_a_kind(text: str, kind: Kind) -> None:
    found = separate_items(text)
    assert found is not None
    assert found[0] is kind


def test_every_joint_divides_once_in_its_kind() -> None:
    assert list(joined_items("breast cancer with bone mets s/p mastectomy")) == [
        (Kind.JOINED, ["breast cancer", "bone mets s/p mastectomy"]),
        (Kind.RELATED, ["breast cancer with bone mets", "mastectomy"]),
    ]
    assert list(joined_items("COPD w/ pneumonia")) == [(Kind.JOINED, ["COPD", "pneumonia"])]
    assert list(joined_items("gout on allopurinol")) == [
        (Kind.ASIDE, ["gout"]),
        (Kind.ON, ["gout", "allopurinol"]),
    ]
    assert list(joined_items("gout treated with allopurinol")) == [(Kind.ASIDE, ["gout"])]
    assert list(joined_items("gout (podagra)")) == [(Kind.ASIDE, ["gout"])]
    assert list(joined_items("asthma w/o eczema")) == [(Kind.JOINED, ["asthma", "no eczema"])]
    assert list(joined_items("pneumonia")) == []


def test_at_most_four_joints_divide_a_text() -> None:
    assert len(list(joined_items("gout with asthma with acne with rickets with scurvy with eczema"))) == 4


def test_commas() -> None:
    assert comma_items("melanoma L shoulder, excised") == ["melanoma L shoulder", "excised"]
    assert comma_items("asthma (mild, stable)") == []


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("steroid-induced diabetes", ["diabetes", "steroid"]),
        ("post-ERCP pancreatitis", ["pancreatitis", "ERCP"]),
    ],
)
def test_effect_and_cause(text: str, items: list[str]) -> None:
    assert list(joined_items(text)) == [(Kind.CAUSED, items)]
