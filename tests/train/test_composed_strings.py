"""Composed strings: what they mean is what they were made of, and the seed decides them."""

from __future__ import annotations

from linnet.read.shorthand import short_forms_of
from linnet.train.composed_strings import KINDS, compose
from linnet.types import Concept

CONCEPTS = [
    Concept(f"T:{i}", name)
    for i, name in enumerate(
        [
            "Hypertension",
            "Asthma",
            "Breast Cancer",
            "Ovarian Cancer",
            "Renal Failure",
            "Heart Failure",
            "Migraine",
            "Eczema",
        ]
    )
]
HELD_OUT = [("Mammary carcinoma", "T:2")]


def test_every_kind_is_made_and_means_its_names() -> None:
    strings = compose(CONCEPTS, count=160, seed=1, held_out=HELD_OUT, foreign=["BRCA gene"])
    assert {string.kind for string in strings} == set(KINDS)
    names = {concept.name.casefold(): concept.id for concept in CONCEPTS} | {"mammary carcinoma": "T:2"}
    for string in strings:
        if string.kind == "nil":
            assert string.concepts == ()
        if string.kind in ("list", "joined", "qualified"):
            inside = {id for name, id in names.items() if name in string.text.casefold()}
            assert inside == set(string.concepts), string
    short = {form for concept in CONCEPTS for form in short_forms_of(concept.name)}
    assert "HTN" in short
    assert all(any(form in s.text for form in short) for s in strings if s.kind == "shorthand")


def test_names_that_share_a_word_are_written_once() -> None:
    shared = [s for s in compose(CONCEPTS, count=80, seed=1) if s.kind == "shared"]
    assert shared
    for string in shared:
        assert string.concepts in {("T:2", "T:3"), ("T:4", "T:5")}
        assert string.text.count("Cancer") + string.text.count("Failure") == 1


def test_held_out_names_are_asked_for_alone() -> None:
    strings = compose(CONCEPTS, count=40, seed=1, held_out=HELD_OUT)
    assert {s.text.casefold() for s in strings if s.kind == "name"} == {"mammary carcinoma"}


def test_the_seed_decides() -> None:
    assert compose(CONCEPTS, count=50, seed=3) == compose(CONCEPTS, count=50, seed=3)
    assert compose(CONCEPTS, count=50, seed=3) != compose(CONCEPTS, count=50, seed=4)
