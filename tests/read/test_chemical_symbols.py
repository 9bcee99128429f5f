"""Chemical symbols by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.read.chemical_symbols import chemical_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("Na", "sodium"),
        ("Na+", "sodium"),
        ("Ca2+", "calcium"),
        ("Ca(2+)", "calcium"),
        ("CaCl(2)", "calcium chloride"),
        ("NO", "nitric oxide"),
        (" K ", "potassium"),
        ("5-FU", "fluorouracil"),
    ],
)
def test_symbols_ions_and_formulas(symbol: str, name: str) -> None:
    assert chemical_name(symbol) == name


@pytest.mark.parametrize("text", ["no", "na", "lead", "sodium", "Nah", "", "+", "Ca cancer", "a" * 200])
def test_nothing_else_is_spelt_out(text: str) -> None:
    assert chemical_name(text) is None


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    assert chemical_name(text) is None or chemical_name(text)
