"""The recipe of the drug strings: what is a concept, and that a written amount is that of the concept."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import drug_strings
from drug_strings import Product, belgian, concepts, key, part_of, written


def table(folder: Path) -> Path:
    (folder / "ggr_brands.tsv").write_text("MAST_PRD_NAME\tCONCEPT_NAME\nACME\tAcme\n", encoding="utf-8")
    head = "PRD_NAME\tCONCEPT_NAME\tamount_value\tamount_unit\n"
    rows = "ACME C 0,5 G 20 COMPRIMES\tparacetamol\t0,5\tg\nACME C 5 MG SIROP\tparacetamol\t\tmg\nACME 1 MG RIEN\tx\t1\tmg\n"
    (folder / "ggr_strengths.tsv").write_text(head + rows, encoding="utf-8")
    return folder


def test_products_with_amounts_and_a_known_form_are_kept(tmp_path: Path) -> None:
    [product] = belgian(table(tmp_path))
    assert product == Product(
        "products", "ACME C 0,5 G 20 COMPRIMES", (("paracetamol", 500.0, "MG"),), "Oral Tablet", "Acme"
    )
    assert concepts([product]) == {
        key(product): ["paracetamol 500 MG Oral Tablet", "paracetamol 500 MG Oral Tablet [Acme]"]
    }


@pytest.mark.parametrize("amount", [500.0, 0.125, 40.0])
def test_a_written_amount_is_that_of_the_concept(amount: float) -> None:
    product = Product("products", "x", (("a", amount, "MG"),), "Oral Tablet", "")
    for _, text, concept in written([product] * 5):
        found = re.search(r"([\d.,]+) ?(mgs|mg|MG|milligram|mcg|µg|microgram|ug|gr|g|G)\b", text)
        assert found, text
        value = float(found[1].replace(",", "."))
        factor = {"g": 1000, "gr": 1000, "mcg": 0.001, "µg": 0.001, "ug": 0.001, "microgram": 0.001}.get(
            found[2].lower(), 1
        )
        assert value * factor == pytest.approx(amount)
        assert concept == key(product)


def test_texts_are_split_in_halves() -> None:
    parts = [part_of(f"text {number}") for number in range(400)]
    assert 150 < parts.count("tune") < 250
    assert drug_strings.part_of("text 1") == parts[1]
