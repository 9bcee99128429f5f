"""Whether a word is spelt rightly: the words of trial reports, drugs and MeSH, as a Bloom filter in the package.

`known_words.bin` is written by `tools/known_words.py`, which names its sources. It holds no words, only bits: a word that is
in the sources is always known, another one in about one of 500 cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

from linnet.arrays import Ints
from linnet.retrieve.hashing import hash_texts

__all__ = ["FILE", "is_known", "write_known_words"]

FILE = Path(__file__).with_name("known_words.bin")
_BITS_A_WORD = 13
_PROBES = 9  # bits a word sets, the best number for 13 bits a word


def is_known(word: str) -> bool:
    """Whether the sources have the word, given in the form of `linnet.words.text.simplify`."""
    bits = _bits()
    places = _places([word], len(bits) * 8)[0]
    return bool((bits[places >> 3] >> (places & 7) & 1).all())


def write_known_words(words: Iterable[str], path: Path) -> int:
    """Write the filter of these words; returns how many there are."""
    distinct = sorted(set(words))
    bits = np.zeros(max(1, len(distinct) * _BITS_A_WORD // 8), np.uint8)
    places = _places(distinct, len(bits) * 8).ravel()
    np.bitwise_or.at(bits, places >> 3, (1 << (places & 7)).astype(np.uint8))
    path.write_bytes(bits.tobytes())
    return len(distinct)


@cache
def _bits() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(FILE.read_bytes(), np.uint8)


def _places(words: Iterable[str], size: int) -> Ints:
    """(N, 9) the bits of each word, by double hashing (Kirsch and Mitzenmacher 2006)."""
    hashes = hash_texts(words)
    first, step = hashes & np.uint64(0xFFFFFFFF), hashes >> np.uint64(32) | np.uint64(1)
    places = first[:, None] + step[:, None] * np.arange(_PROBES, dtype=np.uint64)
    return (places % np.uint64(size)).astype(np.int64)
