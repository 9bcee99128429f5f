"""Composed strings: what they mean is what they were made of, and the seed decides them."""

from __future__ import annotations

import random
import re

from linnet.read.shorthand import short_forms_of
from linnet.train.composed_strings import KINDS, ComposedString, compose, misspelt
from linnet.types import Concept
from linnet.words.text import simplify

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
    assert {string.kind for string in strings} == set(KINDS) - {
        "headed"
    }  # no concept is said to be a disorder
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


def made(kind: str, **given: object) -> list[ComposedString]:
    strings = compose(CONCEPTS, count=800, seed=2, **given)  # type: ignore[arg-type]
    return [string for string in strings if string.kind == kind]


def test_a_list_may_hold_things_without_a_concept_which_add_none() -> None:
    names = {concept.name.casefold(): concept.id for concept in CONCEPTS}
    partly = made("partly", foreign=["Pellin receptor"])
    assert len({string.concepts for string in partly}) > 10
    for string in partly:
        text = string.text.casefold()
        assert string.concepts
        assert all(any(id == own and name in text for name, own in names.items()) for id in string.concepts)
        # Something else stands beside the names, or a name that is denied.
        rest = text
        for name, id in names.items():
            if id in string.concepts:
                rest = rest.replace(name, "", 1)
        assert any(map(str.isalnum, rest)) or set(rest) & set("-?"), string
    denied = [
        s
        for s in partly
        if re.search(r"\b(no|denies|without|negative for|no evidence of|no history of) ", s.text)
    ]
    assert any(
        id not in string.concepts
        for string in denied
        for name, id in names.items()
        if name in string.text.casefold()
    )


def test_a_name_is_turned_about_a_comma_or_broken_over_two_lines() -> None:
    turned = made("turned", held_out=HELD_OUT)
    names = {(concept.id, concept.name.casefold()) for concept in CONCEPTS} | {("T:2", "mammary carcinoma")}
    # Over two lines only names held out: others would be the name itself.
    assert {"," in string.text for string in turned} == {True, False}
    for string in turned:
        [id] = string.concepts
        name = " ".join(string.text.split("\n"))
        if "," in string.text:
            last, first = string.text.split(", ")
            name = f"{first} {last}"
        assert (id, name.casefold()) in names


def test_what_is_denied_in_any_form_means_nothing() -> None:
    nil = [string for string in compose(CONCEPTS, count=3000, seed=2) if string.kind == "nil"]
    named = [s.text for s in nil if any(concept.name.casefold() in s.text.casefold() for concept in CONCEPTS)]
    assert all(not string.concepts for string in nil)
    heads = {re.sub("|".join(c.name for c in CONCEPTS), "X", text, flags=re.IGNORECASE) for text in named}
    assert {"no X", "X: no", "non-X", "anti-X"} <= heads


def test_names_of_other_things_mean_nothing_unless_the_terminology_has_them() -> None:
    foreign = made("foreign", foreign=["Pellin receptor", "asthma", "Ovarian"])
    texts = {string.text.casefold() for string in foreign}
    assert {string.concepts for string in foreign} == {()}
    assert "pellin receptor" in texts
    assert "asthma" not in texts
    # Every other one is part of a name that the terminology has.
    assert (
        sum(
            s.text.casefold() == "ovarian"
            for s in compose(
                CONCEPTS, count=4000, seed=2, foreign=["Ovarian", *(f"Thing{n} x" for n in range(500))]
            )
        )
        >= 1
    )


def test_a_disorder_with_a_word_that_makes_something_else_of_it_means_nothing() -> None:
    disorders = [Concept(one.id, one.name, (), ("Disease",)) for one in CONCEPTS]
    foreign = ["Pellin receptor", "ovarian cancer", "K2"]
    strings = [s for s in compose(disorders, count=900, seed=2, foreign=foreign) if s.kind == "headed"]
    for string in strings:
        assert not string.concepts
        assert any(string.text.casefold().startswith(f"{one.name.casefold()} ") for one in CONCEPTS)
    ends = {string.text.split()[-1] for string in strings}
    assert {"receptor", "vaccine"} <= ends
    assert not ends & {"cancer", "K2"}


def test_an_explained_name_has_another_of_its_concept_or_initials() -> None:
    named = [Concept("T:1", "Breast Cancer", ("Mammary Neoplasm",)), *CONCEPTS[4:]]
    strings = [s.text.casefold() for s in compose(named, count=300, seed=2) if s.kind == "explained"]
    assert {"breast cancer (mammary neoplasm)", "bc (breast cancer)"} <= set(strings)


def test_a_composed_string_is_no_name_but_for_the_names() -> None:
    names = {simplify(concept.name) for concept in CONCEPTS}
    strings = compose([*CONCEPTS, Concept("T:99", "Cancer, Breast")], count=400, seed=2)
    assert not [s for s in strings if s.kind != "name" and simplify(s.text) in names | {"cancer breast"}]
    assert len({string.text for string in strings}) == len(strings)


def test_a_misspelt_name_differs_in_one_place_and_a_short_one_is_left() -> None:
    chance = random.Random(0)
    assert misspelt("gout", chance) is None
    for wrong in (misspelt("orrin palsy", chance) for _ in range(50)):
        assert wrong is None or (abs(len(wrong) - len("orrin palsy")) <= 1 and wrong[0] == "o")
