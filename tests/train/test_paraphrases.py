"""Names in other words."""

from __future__ import annotations

import random
from string import ascii_lowercase

import pytest

from linnet.train import paraphrases
from linnet.train.held_out_names import words_of
from linnet.train.paraphrases import KINDS, paraphrase

NAMES = ["kidney failure", "neoplasm of the bone", "Fever, Dorn", "B-cell lymphoma", "acute marsh fever"]


def written(kind: str, name: str, seed: int = 0) -> str | None:
    return paraphrases._WRITERS[kind](name, random.Random(seed))


def test_the_same_chance_writes_the_same_and_never_the_name_itself() -> None:
    def all_of(seed: int) -> list[str | None]:
        chance = random.Random(seed)
        return [paraphrase(name, chance, taken=()) for name in NAMES * 20]

    assert all_of(1) == all_of(1) != all_of(2)
    assert not set(all_of(1)) & set(NAMES)


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("order", "Fever, Dorn", {"Dorn Fever"}),
        ("order", "neoplasm of the bone", {"bone neoplasm"}),
        ("order", "kidney failure", {"failure, kidney", "failure of kidney", "failure of the kidney"}),
        ("hyphens", "B-cell lymphoma", {"B cell lymphoma", "Bcell lymphoma"}),
        ("hyphens", "kidney failure", {"kidney-failure"}),
        ("shorter", "acute marsh fever", {"marsh fever"}),
        ("number", "kidney failure", {"kidney failures"}),
        ("number", "ovaries", {"ovary"}),
        ("number", "red biopsy", {"red biopsies"}),
        ("case", "Dorn fever", {"DORN FEVER", "dorn fever", "Dorn Fever"}),
    ],
)
def test_each_kind(kind: str, name: str, expected: set[str]) -> None:
    assert {written(kind, name, seed) for seed in range(20)} == expected


@pytest.mark.parametrize(
    ("kind", "name"),
    [("order", "fever with rash"), ("hyphens", "fever"), ("shorter", "acute fever"), ("number", "arthritis")],
)
def test_a_kind_that_does_not_apply_writes_nothing(kind: str, name: str) -> None:
    assert {written(kind, name, seed) for seed in range(20)} == {None}


def test_a_misspelt_name_differs_by_one_letter_or_two_exchanged() -> None:
    name = "pancreatitis"
    pieces = [(name[:place], name[place:]) for place in range(len(name) + 1)]
    mistakes = {
        *(before + after[1:] for before, after in pieces),
        *(before + letter + after for before, after in pieces for letter in ascii_lowercase),
        *(before + letter + after[1:] for before, after in pieces for letter in ascii_lowercase),
        *(before + after[1::-1] + after[2:] for before, after in pieces),
    }
    found = {written("misspelt", name, seed) for seed in range(30)} - {name, None}
    assert len(found) > 10
    assert found <= mistakes


def test_no_paraphrase_has_the_words_of_another_concept() -> None:
    taken = {words_of("marsh fever")}
    texts = {paraphrase("acute marsh fever", random.Random(seed), taken=taken) for seed in range(200)}
    assert "marsh fever" not in texts
    assert "marsh fever" in {
        paraphrase("acute marsh fever", random.Random(seed), taken=()) for seed in range(200)
    }


def test_every_kind_is_written() -> None:
    assert set(paraphrases._WRITERS) == set(KINDS)
