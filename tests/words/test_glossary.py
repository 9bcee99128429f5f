"""The glossary, and the looser forms of names that are built on it."""

from __future__ import annotations

import pytest

from linnet.words.glossary import ADJECTIVES, COMPOUNDS, DROPPED, KINDS, MEANS
from linnet.words.text import gloss, key, kind, sense, simplify


def test_words_are_written_as_simplify_writes_them() -> None:
    for word in (*MEANS, *MEANS.values(), *COMPOUNDS, *COMPOUNDS.values(), *DROPPED, *KINDS, *KINDS.values()):
        assert simplify(word) == word


def test_no_word_means_a_word_that_means_another() -> None:
    assert not MEANS.keys() & set(MEANS.values())
    assert not KINDS.keys() & set(KINDS.values())
    assert all(MEANS.get(word, word) == word for phrase in COMPOUNDS.values() for word in phrase.split())


def test_what_is_dropped_has_no_other_use() -> None:
    assert not DROPPED & (MEANS.keys() | COMPOUNDS.keys() | KINDS.keys())


def test_adjectives_end_as_no_noun_does() -> None:
    assert not ADJECTIVES.keys() & set(ADJECTIVES.values())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("nephropathies", "diseases of the kidney"),
        ("hepatic tumours", "liver neoplasm"),
        ("severe anaemic disorders", "anemia, disease"),
        ("hereditary deafness", "inherited deafness"),
        ("renal damage", "kidney injuries"),
    ],
)
def test_names_of_one_meaning_have_one_sense(one: str, other: str) -> None:
    assert key(one) != key(other)
    assert sense(one) == sense(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lung toxicity", "lung disease"),
        ("nephrotoxicity", "kidney diseases"),
        ("autosomal recessive disorder", "hereditary disease"),
    ],
)
def test_names_of_one_kind(one: str, other: str) -> None:
    assert sense(one) != sense(other)
    assert kind(one) == kind(other)


@pytest.mark.parametrize("name", ["toxicity", "neurotoxicity", "injury"])
def test_a_vague_word_alone_is_no_disease(name: str) -> None:
    assert kind(name) != kind("disease")
    assert kind(name) == sense(name)


def test_a_name_of_nothing_but_dropped_words_keeps_them() -> None:
    assert gloss("severe") == "severe"
    assert gloss("severe asthma") == "asthma"


def test_equality_carries_over_to_the_looser_levels() -> None:
    for one, other in (("Breast Tumours", "breast tumor"), ("Anaemia", "anemia")):
        assert key(one) == key(other)
        assert sense(one) == sense(other)
        assert kind(one) == kind(other)
