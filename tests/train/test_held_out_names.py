"""Names held out of a terminology: what leaves it and what may be asked."""

from __future__ import annotations

from linnet.train.held_out_names import hold_out, words_of
from linnet.types import Concept

CONCEPTS = [
    Concept("X:1", "Dorn fever", ("Fever of Dorn", "Marsh illness", "Illnesses, Marsh", "Ague")),
    Concept("X:2", "Vell rash", ("Vell rashes", "Ague")),
    Concept("X:3", "Only name"),
]


def test_a_name_leaves_with_its_other_word_orders_and_plurals() -> None:
    reduced, names, _ = hold_out(CONCEPTS[:1], count=5, seed=15, asked=lambda concept: True)
    (name, concept), kept = names[0], reduced[0].all_names
    assert concept == "X:1"
    assert name not in kept
    assert not {words_of(name)} & set(map(words_of, kept))


def test_names_of_several_concepts_and_respelt_preferred_names_are_not_asked() -> None:
    for count in (1, 2, 3):
        _, names, _ = hold_out(CONCEPTS, count=count, seed=15)
        assert all(name in {"Fever of Dorn", "Marsh illness", "Illnesses, Marsh"} for name, _ in names)
        assert len(names) == 1


def test_no_concept_is_left_without_a_name_and_the_draw_repeats() -> None:
    first, second = hold_out(CONCEPTS, count=3, seed=15), hold_out(CONCEPTS, count=3, seed=15)
    assert first == second
    assert [concept.name for concept in first.concepts] == [concept.name for concept in CONCEPTS]


def test_only_the_concepts_asked_for_lose_a_name() -> None:
    reduced, names, _ = hold_out(CONCEPTS, count=3, seed=15, asked=lambda concept: concept.id == "X:3")
    assert not names
    assert reduced == CONCEPTS


def test_an_entry_that_comes_twice_loses_the_name_in_both_places() -> None:
    twice = [
        Concept("X:1", "Dorn fever", ("Marsh illness",)),
        Concept("X:1", "Dorn fever", ("Illness, Marsh",)),
    ]
    reduced, names, _ = hold_out(twice, count=5, seed=15)
    assert len(reduced) == len(names) == 1
    assert reduced[0].all_names == ("Dorn fever",)


def test_an_absent_concept_leaves_with_all_its_names_and_is_asked_as_nil() -> None:
    held = hold_out(CONCEPTS[:1], count=1, absent=1, seed=15)
    assert held.concepts == []
    assert held.names == []
    ((name, answer),) = held.asked
    assert name in CONCEPTS[0].names
    assert answer == ()
