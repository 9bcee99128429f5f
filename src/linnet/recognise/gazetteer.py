"""Gazetteers: hashes of the names of terminologies, small enough to be stored with a tagger's weights.

Names are hashed by `linnet.text.key`, short acronyms ("CAT", "AIDS") as they are written. About one in ten thousand other
texts is mistaken for a name.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self
from zlib import crc32

import numpy as np

from linnet.arrays import Codes, Mask
from linnet.recognise.common_words import COMMON_WORDS
from linnet.recognise.words import Word
from linnet.text import key, simplify

__all__ = ["Gazetteer", "codes_of", "codes_of_runs"]

_ACRONYM = 5  # letters up to which a name with two capitals counts as an acronym
_FEW_LETTERS = 3  # letters up to which every name must be spelt as in the terminology


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """hashes  (N,) sorted"""

    hashes: Codes

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """The gazetteer of these names, in any order."""
        hashes = {code for name in names if (code := _code_of(name))}
        return cls(np.array(sorted(hashes), np.uint32))

    def has(self, codes: Codes) -> Mask:
        """(M,) whether a name has each hash."""
        if not len(self.hashes):
            return np.zeros(len(codes), bool)
        places = np.minimum(np.searchsorted(self.hashes, codes), len(self.hashes) - 1)
        known: Mask = self.hashes[places] == codes
        return known


def codes_of(text: str, words: Sequence[Word]) -> tuple[int, int]:
    """The hash of a run of words by its `key`, and as it is written; 0 for a form in which it cannot be a name.

    text  of the run
    """
    if _must_be_spelt(text):
        return 0, crc32(b"=" + text.encode())
    if len(words) == 1 and words[0].form in COMMON_WORDS:
        return 0, 0
    stems = sorted({stem for word in words for stem in word.stems})
    return (crc32(" ".join(stems).encode()) if stems else 0), 0


def codes_of_runs(text: str, words: Sequence[Word], runs: Sequence[tuple[int, int]]) -> Codes:
    """(N, 2) `codes_of` each run of words of a text, several times as fast.

    runs  first word and last + 1 of each, in the order of `windows`: by first word, longest first
    """
    codes = np.zeros((len(runs), 2), np.uint32)
    letters = [0, *accumulate(_letters(text[word.start : word.end]) for word in words)]
    begin = after = -1
    stems: list[str] = []
    # Shortest first: a run has the stems of the run before and of one more word.
    for number in range(len(runs) - 1, -1, -1):
        first, last = runs[number]
        if letters[last] - letters[first] <= _ACRONYM:
            written = text[words[first].start : words[last - 1].end]
            if _must_be_spelt(written):
                codes[number, 1] = crc32(b"=" + written.encode())
                continue
        if last == first + 1 and words[first].form in COMMON_WORDS:
            continue
        if first != begin:
            begin = after = first
            stems = []
        for word in words[after:last]:
            for stem in word.stems:
                place = bisect_left(stems, stem)
                if stems[place : place + 1] != [stem]:
                    stems.insert(place, stem)
        after = last
        codes[number, 0] = crc32(" ".join(stems).encode()) if stems else 0
    return codes


def _code_of(name: str) -> int:
    if _must_be_spelt(name):
        return crc32(b"=" + name.encode())
    form = key(name)
    return crc32(form.encode()) if form and simplify(name) not in COMMON_WORDS else 0


def _must_be_spelt(text: str) -> bool:
    letters = _letters(text)
    return letters <= _FEW_LETTERS or (letters <= _ACRONYM and sum(map(str.isupper, text)) > 1)


def _letters(text: str) -> int:
    return len(text) if text.isalpha() else sum(map(str.isalpha, text))
