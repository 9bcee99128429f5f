"""Vectors of words are made once while they are kept, and are the same either way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.recognise.vector_cache import VectorCache


class Lengths:
    """(W, 2) a word's length and its first letter; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, words: Sequence[str]) -> np.ndarray:
        self.asked += words
        return np.array([(len(word), ord(word[0])) for word in words], np.float32)


def test_only_words_that_are_not_kept_are_made() -> None:
    lengths = Lengths()
    cache = VectorCache(lengths, 2, words=3)
    for words in (["aa", "b"], ["b", "ccc"], ["aa", "b"], []):
        assert cache.of(words).tolist() == [[len(word), ord(word[0])] for word in words]
    assert lengths.asked == ["aa", "b", "ccc"]


def test_the_word_not_met_for_longest_goes_first() -> None:
    lengths = Lengths()
    cache = VectorCache(lengths, 2, words=2)
    for words in (["a"], ["b"], ["a"], ["c"], ["a"], ["b"]):
        assert cache.of(words).tolist() == [[1, ord(words[0])]]
    assert lengths.asked == ["a", "b", "c", "b"]


def test_more_words_at_once_than_are_kept_get_their_own_vectors() -> None:
    cache = VectorCache(Lengths(), 2, words=2)
    words = ["a", "bb", "ccc", "dddd"]
    assert cache.of(words).tolist() == [[len(word), ord(word[0])] for word in words]
    assert cache.of(words).tolist() == [[len(word), ord(word[0])] for word in words]
