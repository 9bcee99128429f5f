"""Dosage forms at the end of a string."""

from __future__ import annotations

import pytest

from linnet.read.doses import names_dosage_form


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
