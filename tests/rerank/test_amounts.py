"""Amounts are compared as quantities, whatever their unit and spelling."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from linnet.rerank import amounts as module
from linnet.rerank.amounts import amounts, holds_amounts
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept


def test_the_examples_hold() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.5 g", "500 mg"), ("0,5g", "500MG"), ("125 mcg", "0.125 mg"), ("125µg", "125 micrograms"), ("5 mg/5 ml", "1 mg / mL"),
        ("1000 UI", "1000 IU"), ("10 mg/ml", "10 MG/ML"),
    ],
)  # fmt: skip
def test_equal_quantities(one: str, other: str) -> None:
    assert amounts(one).stated == amounts(other).stated != frozenset()


@pytest.mark.parametrize(
    ("one", "other"), [("50 mg", "500 mg"), ("5 mg", "5 mg/ml"), ("5 %", "5 mg"), ("5 IU", "5 mg")]
)
def test_other_quantities(one: str, other: str) -> None:
    assert amounts(one).stated != amounts(other).stated


@pytest.mark.parametrize("text", ["", "vitamin B12", "factor VIII", "30 ml", "H1N1", "covid-19", "5mgx"])
def test_no_quantity(text: str) -> None:
    assert amounts(text).stated == frozenset()


def test_a_number_without_a_unit_may_be_an_amount() -> None:
    assert amounts("exforge 10 160 mg") == (frozenset({(160.0, "mg")}), frozenset({10.0}))


def written(place: Path, names: list[str]) -> Terminology:
    return write_terminology([Concept(f"X:{row}", name) for row, name in enumerate(names)], place, sources=[])


def test_a_terminology_of_clinical_drugs_holds_amounts(tmp_path: Path) -> None:
    drugs = [f"drug {n} {n} MG Oral Tablet" for n in range(1, 5)]
    assert holds_amounts(written(tmp_path / "drugs", [*drugs, "drug", "vitamin B12"]))
    assert not holds_amounts(written(tmp_path / "others", [*drugs[:1], "gout", "asthma", "type 2 diabetes"]))
