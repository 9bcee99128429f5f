"""Dosage forms at the end of a string."""

from __future__ import annotations

import pytest

from linnet.read.doses import names_dosage_form, strip_doses


@pytest.mark.parametrize(
    "text",
    [
        "eczema cream",
        "Glaucoma eye drops",
        "asthma inhaler.",
        "nicotine transdermal patch",
        "thyroid tablets",
    ],
)
def test_a_product_ends_in_a_dosage_form(text: str) -> None:
    assert names_dosage_form(text)


@pytest.mark.parametrize(
    "text", ["cream", "drop attacks", "patchy eczema", "tablet addiction", "", "spray  "]
)
def test_other_strings_do_not(text: str) -> None:
    assert not names_dosage_form(text)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("metformin 500 mg twice daily", "metformin"),
        ("intravenous vancomycin 1 g every 12 hours", "vancomycin"),
        ("low-dose aspirin (81 mg)", "aspirin"),
        ("i.v. heparin", "heparin"),
        ("amoxicillin 250-500 mg t.i.d.", "amoxicillin"),
        ("nifedipine 0.5 mg/kg/day for 14 days", "nifedipine"),
        ("single dose of 5 μg BCG", "BCG"),
        ("ibuprofen tablets", "ibuprofen"),
        ("oral mucositis", "oral mucositis"),
        ("oral contraceptives", "oral contraceptives"),
        ("oral", "oral"),
        ("20 mg", "20 mg"),
        ("vitamin B 12", "vitamin B 12"),
        ("5-fluorouracil", "5-fluorouracil"),
        ("type 2 diabetes", "type 2 diabetes"),
        ("1 g", "1 g"),
    ],
)
def test_doses_and_routes_are_stripped_from_drugs_only(text: str, bare: str) -> None:
    assert strip_doses(text) == bare
