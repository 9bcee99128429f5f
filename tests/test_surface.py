"""The surface of texts: what says nothing of what they name."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet import surface as module
from linnet.surface import decoded, surface


def test_the_examples_hold() -> None:
    tried = doctest.testmod(module)
    assert tried.attempted
    assert not tried.failed


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("  gout ", "gout"),
        ("\ufeffgout\u200b", "gout"),
        ("breast\u00a0 cancer", "breast cancer"),
        ("“gout”", "gout"),
        ("'Potter's facies'", "Potter's facies"),
        ("[gout]", "gout"),
        ("1. gout", "gout"),
        ("(2) X-linked ichthyosis.", "X-linked ichthyosis"),
        ("Creutzfeldt‑Jakob", "Creutzfeldt-Jakob"),
        ("Ménière’s", "Ménière's"),
        (" \u200b ", ""),
    ],
)
def test_what_says_nothing_is_left_out(text: str, read: str) -> None:
    assert surface(text) == read


@pytest.mark.parametrize(
    "name",
    [
        "[Ca2+]i",
        "5'-nucleotidase",
        "(R)-warfarin",
        "'a' and 'b'",
        "17-beta",
        "2,4-D",
        "C. difficile",
        "p.V600E",
        "3. 4",
    ],
)
def test_signs_that_belong_to_a_name_stay(name: str) -> None:
    assert surface(name) == name


def test_lines_and_tabs_of_a_cell_stay_one_each() -> None:
    assert surface(" gout \r\n\r\n asthma\t migraine ", lines=True) == "gout\nasthma\tmigraine"
    assert surface("breast\n  cancer") == "breast cancer"


@pytest.mark.parametrize("word", ["Sjögren", "Ménière", "naïve", "β-thalassaemia", "don’t", "Ångström"])
def test_what_was_decoded_twice_is_decoded(word: str) -> None:
    twice = word.encode().decode("cp1252", errors="replace")
    if "\ufffd" not in twice:
        assert decoded(twice) == word
    assert decoded(word) == word


@given(st.text(max_size=40))
def test_reading_a_surface_again_changes_nothing(text: str) -> None:
    assert surface(surface(text)) == surface(text)
    assert surface(surface(text, lines=True), lines=True) == surface(text, lines=True)
