"""Texts in batches of limited size."""

from __future__ import annotations

import pytest

from linnet.train.text_batches import text_batches

TEXTS = ["a bc def", "", "ghij", "kl mn op qr", "stuvwxyz"]


def test_batches_have_at_most_so_many_characters_and_whole_texts_where_these_are_short() -> None:
    assert list(text_batches(TEXTS, characters=12)) == [
        (["a bc def", "", "ghij"], [0, 1, 2]),
        (["kl mn op qr"], [3]),
        (["stuvwxyz"], [4]),
    ]


def test_a_longer_text_is_cut_before_a_space_or_anywhere_if_it_has_none() -> None:
    assert list(text_batches(["kl mn op qr", "stuvwxyz"], characters=5)) == [
        (["kl mn"], [0]),
        ([" op"], [0]),
        ([" qr"], [0]),
        (["stuvw"], [1]),
        (["xyz"], [1]),
    ]


@pytest.mark.parametrize("characters", [1, 2, 3, 7, 100])
def test_the_parts_of_a_text_are_the_text(characters: int) -> None:
    texts = ["" for _ in TEXTS]
    for parts, numbers in text_batches(TEXTS, characters=characters):
        assert sum(map(len, parts)) <= characters
        for part, number in zip(parts, numbers, strict=True):
            texts[number] += part
    assert texts == TEXTS


def test_no_text_is_no_batch() -> None:
    assert list(text_batches([])) == []
