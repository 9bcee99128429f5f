"""Features of a name for the n-gram encoder: hashed character n-grams, words, and pairs of words.

Each word of the `linnet.words.text.simplify` form is put between "<" and ">". Its features are its n-grams, size by size in reading
order, then the word itself. A name's features are those of its words in order, then its pairs of neighbouring words. A
repeated feature counts each time. Each is hashed to one of B buckets, identically on all machines: any change here makes all
trained tables useless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linnet.arrays import Hashes, Ints
from linnet.words.text import simplify

__all__ = ["Bags", "NgramFeatures", "Parts", "ranges"]

# Odd multipliers: FNV's prime for the polynomial, MurmurHash3's finaliser for the mixing.
_BASE = np.uint64(1099511628211)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_SIZE = 0x9E3779B97F4A7C15
_PAIR = np.uint64(0xC2B2AE3D27D4EB4F)
_HALF = np.uint64(32)


class Bags(NamedTuple):
    """Lists of numbers; list i is `values[offsets[i]:offsets[i + 1]]`, with offsets (N + 1,) and values (M,)."""

    offsets: Ints
    values: Ints


class Parts(NamedTuple):
    """The features of a batch, with each distinct word once.

    words  buckets of each distinct word        texts  words (positions in `words`) of each text
    pairs  buckets of the word pairs of each text
    """

    words: Bags
    texts: Bags
    pairs: Bags


@dataclass(frozen=True, slots=True)
class NgramFeatures:
    """How names become buckets. Field names are keys of `model.toml`.

    buckets  their number                        sizes  characters of the n-grams, "<" and ">" included
    words    whole words are features too        pairs  so are pairs of neighbouring words
    """

    buckets: int = 2**17
    sizes: tuple[int, ...] = (3, 4, 5)
    words: bool = True
    pairs: bool = False

    def bags(self, texts: Sequence[str]) -> Bags:
        """The buckets of each text, in the order that the module describes."""
        words, texts_, pairs = self.parts(texts)
        counts = np.diff(words.offsets)[texts_.values]
        values = words.values[ranges(words.offsets[texts_.values], counts)]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        of_words = Bags(before[texts_.offsets], values)
        return _joined(of_words, pairs) if self.pairs else of_words

    def parts(self, texts: Sequence[str]) -> Parts:
        """The features of the texts, computed once for each distinct word, as names repeat words."""
        known: dict[str, int] = {}
        numbered = [[known.setdefault(word, len(known)) for word in simplify(text).split()] for text in texts]
        lengths = np.fromiter(map(len, numbered), np.int64, len(numbered))
        numbers = np.fromiter((word for words in numbered for word in words), np.int64, int(lengths.sum()))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        words, whole = self._words(list(known))
        return Parts(words, Bags(offsets, numbers), self._pairs(offsets, whole[numbers]))

    def _words(self, words: Sequence[str]) -> tuple[Bags, Hashes]:
        """Buckets of each word, and the unhashed code of the whole word, for pairs."""
        if not words:
            return Bags(np.zeros(1, np.int64), np.zeros(0, np.int64)), np.zeros(0, np.uint64)
        joined = "".join([f"<{word}>" for word in words]).encode("utf-32-le", "surrogatepass")
        characters = np.frombuffer(joined, dtype="<u4").astype(np.uint64) + np.uint64(1)
        lengths = np.fromiter(map(len, words), np.int64, len(words)) + 2
        stop = np.cumsum(lengths)
        owner = np.repeat(np.arange(len(words)), lengths)
        room = stop[owner] - np.arange(len(characters))
        owners, codes = [], []
        # code(c₁…cₙ) = code(c₁…cₙ₋₁) · base + cₙ modulo 2⁶⁴, for all positions at once
        rolling = characters
        for size in range(1, max(self.sizes, default=0) + 1):
            if size > 1:
                rolling = rolling[:-1] * _BASE + characters[size - 1 :]
            if size in self.sizes:
                inside = room[: len(rolling)] >= size
                owners.append(owner[: len(rolling)][inside])
                codes.append(_mixed(rolling[inside] + np.uint64(size * _SIZE % 2**64)))
        powers = np.cumprod(np.full(int(lengths.max()), _BASE, np.uint64))
        whole = np.add.reduceat(characters * powers[lengths[owner] - room], stop - lengths)
        if self.words:
            owners.append(np.arange(len(words)))
            codes.append(_mixed(whole))
        if not codes:
            return Bags(np.zeros(len(words) + 1, np.int64), np.zeros(0, np.int64)), whole
        return self._bags(np.concatenate(owners), np.concatenate(codes), len(words)), whole

    def _pairs(self, offsets: Ints, codes: Hashes) -> Bags:
        """Buckets of the neighbouring words of each text, from the codes of its words."""
        count = len(offsets) - 1
        if not self.pairs or len(codes) < 2:
            return Bags(np.zeros(count + 1, np.int64), np.zeros(0, np.int64))
        owner = np.repeat(np.arange(count), np.diff(offsets))
        same = owner[1:] == owner[:-1]
        return self._bags(owner[1:][same], _mixed(codes[:-1] * _PAIR + codes[1:])[same], count)

    def _bags(self, owners: Ints, codes: Hashes, count: int) -> Bags:
        # The upper half times B, divided by 2³²: uniform for any B below 2³².
        buckets = ((codes >> _HALF) * np.uint64(self.buckets)) >> _HALF
        order = np.argsort(owners, kind="stable")
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(owners, minlength=count))])
        return Bags(offsets, buckets.astype(np.int64)[order])


def _mixed(codes: Hashes) -> Hashes:
    codes = codes ^ (codes >> np.uint64(33))
    codes *= _MIX
    codes ^= codes >> np.uint64(33)
    return codes


def ranges(starts: Ints, counts: Ints) -> Ints:
    """The numbers of many ranges in a row, range i having `counts[i]` numbers from `starts[i]` on."""
    before = np.cumsum(counts) - counts
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts - before, counts))


def _joined(first: Bags, second: Bags) -> Bags:
    """Each list of `first` followed by the same list of `second`."""
    offsets = first.offsets + second.offsets
    values = np.empty(int(offsets[-1]), np.int64)
    for bags, before in ((first, second.offsets[:-1]), (second, first.offsets[1:])):
        counts = np.diff(bags.offsets)
        values[np.arange(len(bags.values)) + np.repeat(before, counts)] = bags.values
    return Bags(offsets, values)
