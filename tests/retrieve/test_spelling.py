"""Misspelt words: found again by what is left of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import StoreError
from linnet.retrieve.spelling import Spelling, edit_distance, respelt
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

CONCEPTS = (
    Concept("T:1", "Asthma", ("asthma, bronchial",)),
    Concept("T:2", "Diabetes Mellitus", ("diabetes",)),
    Concept("T:3", "Hypertension"),
    Concept("T:4", "Hypotension"),
    Concept("T:5", "Gout"),
    Concept("T:6", "Bronchial Neoplasms", ("CYP2D6 deficiency",)),
)


@pytest.fixture(scope="module")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path_factory.mktemp("spelling") / "t")


@pytest.fixture(scope="module")
def spelling(terminology: Terminology) -> Spelling:
    return Spelling.build(terminology)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("astma", "asthma"),  # a letter left out
        ("asthmma", "asthma"),  # one too many
        ("asthna", "asthma"),  # another one
        ("ashtma", "asthma"),  # two exchanged
        ("Diabtes  Mellitus", "diabetes mellitus"),
        ("bronchal astma", "bronchial asthma"),
        ("hypetrension", "hypertension"),
        ("hyprtension", "hypertension"),
        ("hyprtennsion", "hypertension"),  # two edits of a long word
    ],
)
def test_a_misspelt_word_is_set_right(spelling: Spelling, written: str, meant: str) -> None:
    assert respelt(written, [spelling]) == meant


@pytest.mark.parametrize(
    "text", ["asthma", "hypotension", "gout", "gott", "qwertz", "cyp2d7", "asthma of heart", "", "asthmxx"]
)
def test_words_that_are_known_short_or_unlike_any_stay(spelling: Spelling, text: str) -> None:
    assert respelt(text, [spelling]) is None


@pytest.mark.parametrize(
    "text",
    [
        "nephritis asthm of asthma",  # another word of the text explains it
        "hypertensive",  # a word of trial reports
        "ASTMA",  # a symbol
    ],
)
def test_words_that_need_no_correction_stay(spelling: Spelling, text: str) -> None:
    assert respelt(text, [spelling]) is None


def test_words_in_capitals_are_corrected_where_all_words_are(spelling: Spelling) -> None:
    assert respelt("BRONCHIAL ASTMA", [spelling]) == "bronchial asthma"


def test_the_nearer_word_wins_then_the_first_letter_then_the_commoner(tmp_path: Path) -> None:
    concepts = [Concept("T:1", "bloodline"), Concept("T:2", "bloodlink"), Concept("T:3", "bloodlink test"),
                Concept("T:4", "floodling")]  # fmt: skip
    built = Spelling.build(write_terminology(concepts, tmp_path / "t"))
    assert respelt("bloodlinz", [built]) == "bloodlink"
    assert respelt("bloodling", [built]) == "bloodlink"
    assert respelt("floodlin", [built]) == "floodling"


def test_a_word_of_any_vocabulary_is_known(spelling: Spelling, tmp_path: Path) -> None:
    other = Spelling.build(write_terminology([Concept("U:1", "astma")], tmp_path / "u"))
    assert respelt("astma", [spelling, other]) is None
    assert respelt("diabtes", [other, spelling]) == "diabetes"
    assert respelt("astma", []) is None


def test_one_of_another_content_is_refused(terminology: Terminology, tmp_path: Path) -> None:
    Spelling.build(terminology)
    other = write_terminology(CONCEPTS[:2], tmp_path / "t")
    assert not Spelling.is_current(other)
    with pytest.raises(StoreError, check=advises(Step.BUILD_INDEX, update=True)):
        Spelling.open(other)


WORDS = st.text("abc", max_size=6)


@cache
def distance(a: str, b: str) -> int:
    """By the definition, in all ways."""
    if not a or not b:
        return len(a) + len(b)
    least = min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        least = min(least, distance(a[2:], b[2:]) + 1)
    return least


@given(WORDS, WORDS)
@settings(max_examples=200, deadline=None)
def test_edits_are_counted_as_defined(a: str, b: str) -> None:
    assert edit_distance(a, b) == distance(a, b)


@given(
    st.sampled_from(["hypertension", "diabetes", "mellitus", "bronchial"]),
    st.integers(0, 11),
    st.sampled_from("aez"),
)
@settings(max_examples=100, deadline=None)
def test_every_word_with_one_letter_replaced_or_left_out_is_found(
    spelling: Spelling, word: str, at: int, letter: str
) -> None:
    at %= len(word)
    for written in (word[:at] + letter + word[at + 1 :], word[:at] + word[at + 1 :]):
        assert written in spelling or any(found[2] == word for found in spelling.near(written))


def test_another_ending_of_a_word_is_no_correction(tmp_path: Path) -> None:
    vocabulary = Spelling.build(write_terminology([Concept("T:1", "Itching", ("Itchs",))], tmp_path / "t"))
    assert respelt("itchy", [vocabulary]) is None
    assert respelt("itchz", [vocabulary]) == "itchs"
