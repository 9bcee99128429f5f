"""Hashed n-grams, recomputed one by one in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.encode.features import NgramFeatures
from linnet.words.text import simplify

WRAP = 2**64
BASE, MIX = 1099511628211, 0xFF51AFD7ED558CCD
SIZE, PAIR = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F


def mixed(code: int) -> int:
    code ^= code >> 33
    code = code * MIX % WRAP
    return code ^ code >> 33


def code_of_ngram(text: str) -> int:
    code = 0
    for character in text:
        code = (code * BASE + ord(character) + 1) % WRAP
    return (code + len(text) * SIZE) % WRAP


def code_of_word(word: str) -> int:
    return sum((ord(c) + 1) * pow(BASE, i + 1, WRAP) for i, c in enumerate(f"<{word}>")) % WRAP


def plainly(features: NgramFeatures, text: str) -> Iterator[int]:
    words = simplify(text).split()
    for word in words:
        bounded = f"<{word}>"
        for n in features.sizes:
            for i in range(len(bounded) - n + 1):
                yield mixed(code_of_ngram(bounded[i : i + n]))
        if features.words:
            yield mixed(code_of_word(word))
    if features.pairs:
        for left, right in pairwise(words):
            yield mixed((code_of_word(left) * PAIR + code_of_word(right)) % WRAP)


def bucket(code: int, buckets: int) -> int:
    return (code >> 32) * buckets >> 32


@pytest.mark.parametrize(
    "features",
    [
        NgramFeatures(1000),
        NgramFeatures(2**17, sizes=(2, 6), pairs=True),
        NgramFeatures(7, sizes=(), words=True),
        NgramFeatures(50, sizes=(3,), words=False, pairs=True),
    ],
)
@given(st.lists(st.text(alphabet="ab βé-II病 ,😀", max_size=12), max_size=6))
def test_buckets_are_those_computed_plainly(features: NgramFeatures, texts: list[str]) -> None:
    offsets, values = features.bags(texts)
    assert len(offsets) == len(texts) + 1
    for i, text in enumerate(texts):
        expected = [bucket(code, features.buckets) for code in plainly(features, text)]
        assert values[offsets[i] : offsets[i + 1]].tolist() == expected


def test_the_hash_never_changes() -> None:
    # Trained tables depend on these numbers.
    assert NgramFeatures(2**17).bags(["Flu"]).values.tolist() == [
        112024,
        93584,
        39887,
        76732,
        65914,
        20326,
        9240,
    ]
