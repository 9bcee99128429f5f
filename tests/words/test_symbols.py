"""Short forms whose case means something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.words.symbols import agree, may_be_mistaken, symbols
from linnet.words.text import key


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NSAIDs", {"nsaid"}),
        ("AIDS", {"aids"}),
        ("mRNAs of HIV", {"mrna", "hiv"}),
        ("Cold", set()),
        ("FEVER PAIN", set()),
        ("HEADACHE", set()),
        ("aids", set()),
        ("", set()),
    ],
)
def test_symbols_are_short_words_with_two_capitals(text: str, expected: set[str]) -> None:
    assert symbols(text) == expected


@pytest.mark.parametrize(
    ("text", "name", "same"),
    [
        ("AIDS", "Aid", False),
        ("AIDS", "AIDS", True),
        ("AIDS dementia", "Dementia, AIDS", True),
        ("NSAID", "nsaids", True),
        ("NSAID", "NSAIDs", True),
        ("AID", "AIDS", False),
        ("COLDS", "Cold", False),
        ("colds", "COLD", True),
        ("hives", "HIV", False),
    ],
)
def test_by_their_stems_symbols_are_only_themselves(text: str, name: str, same: bool) -> None:
    assert agree(text, name, stems=True) is same
    assert agree(name, text, stems=True) is same


WORDS = st.sampled_from(
    ["ROS", "Roses", "ros", "HIV", "hives", "Co", "CO", "co", "AIDS", "aids", "aid", "NSAIDs", "fever"]
)


@given(WORDS, WORDS)
def test_only_texts_that_may_be_mistaken_need_comparing(text: str, name: str) -> None:
    if key(text) == key(name) and not agree(text, name, stems=True):
        assert may_be_mistaken(text, stems=True)
    if text.casefold() == name.casefold() and not agree(text, name, stems=False):
        assert may_be_mistaken(text, stems=False)
