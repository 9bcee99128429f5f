"""The features of names as numbers: character n-grams and words, for a whole batch at once.

A feature is a 64-bit code. Two features collide with a probability of about 2⁻⁶¹, which is ignored. Both functions return
`owners` (M,), the position of the text that has the feature, and `codes` (M,), in any order; a feature that occurs twice in
a text is listed twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.arrays import Hashes, Ints
from linnet.retrieve.hashing import hash_texts

__all__ = ["SIZES", "STOP_WORDS", "character_ngrams", "ngram_size", "words"]

SIZES = (2, 3, 4, 5)

# English function words that occur in names. Words that distinguish names ("without", "non", "type") are kept.
STOP_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "in", "into", "is", "it", "its", "of", "on", "or",
    "that", "the", "this", "to", "was", "with",
))  # fmt: skip

# Odd multipliers of Fibonacci hashing and of the SplitMix64 finaliser (Steele et al. 2014).
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def character_ngrams(texts: Sequence[str]) -> tuple[Ints, Hashes]:
    """The n-grams of 2 to 5 characters of each text, padded with a space at either end.

    An n-gram may span words. An empty text has none. The low three bits of a code are the n-gram's size.
    """
    padded = [f" {text} " if text else "" for text in texts]
    lengths = np.fromiter(map(len, padded), np.int64, len(padded))
    joined = "".join(padded).encode("utf-32-le", "surrogatepass")
    characters = np.frombuffer(joined, dtype="<u4").astype(np.uint64) + np.uint64(1)
    owner = np.repeat(np.arange(len(padded)), lengths)
    room = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(characters))
    owners, codes = [], []
    # code(c₁…cₙ) = code(c₁…cₙ₋₁) · base + cₙ modulo 2⁶⁴, for all positions at once
    rolling = characters
    for size in range(2, SIZES[-1] + 1):
        rolling = rolling[:-1] * _BASE + characters[size - 1 :]
        inside = room[: len(rolling)] >= size
        owners.append(owner[: len(rolling)][inside])
        codes.append(_mixed(rolling[inside], size))
    return np.concatenate(owners), np.concatenate(codes)


def ngram_size(codes: Hashes) -> Hashes:
    """The number of characters of each n-gram, from its code."""
    return codes & np.uint64(7)


def words(texts: Sequence[str]) -> tuple[Ints, Hashes]:
    """The words of each text without `STOP_WORDS`, or all words if there are no others.

    Texts are simplified (`linnet.words.text.simplify`): single spaces separate their words.
    """
    split = [[word for word in text.split() if word not in STOP_WORDS] or text.split() for text in texts]
    owners = np.repeat(np.arange(len(split)), np.fromiter(map(len, split), np.int64, len(split)))
    return owners, hash_texts(word for text_words in split for word in text_words)


def _mixed(codes: Hashes, size: int) -> Hashes:
    """Spread codes over all 64 bits, so that similar n-grams differ in the high bits too; set the low three to the size."""
    codes ^= codes >> np.uint64(29)
    codes *= _MIX
    codes ^= codes >> np.uint64(32)
    return (codes & ~np.uint64(7)) | np.uint64(size)
