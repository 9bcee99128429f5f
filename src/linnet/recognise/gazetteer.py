"""Names of terminologies as a list of hashes: what a tagger knows of names, small enough to lie beside its weights.

A name is kept by `linnet.text.key`, or, if it is a short acronym ("CAT", "AIDS"), as it is written. About one text in
ten thousand that is no name is taken for one.
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

_ACRONYM = 5  # letters up to which a name with two capitals is taken for an acronym
_FEW_LETTERS = 3  # and up to which every name must be spelt as the terminology spells it


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """hashes  (N,) rising"""

    hashes: Codes

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """That of names; their order does not matter."""
        found = {code for name in names if (code := _code_of(name))}
        return cls(np.array(sorted(found), np.uint32))

    def has(self, codes: Codes) -> Mask:
        """(M,) whether there is such a name."""
        if not len(self.hashes):
            return np.zeros(len(codes), bool)
        places = np.minimum(np.searchsorted(self.hashes, codes), len(self.hashes) - 1)
        there: Mask = self.hashes[places] == codes
        return there


def codes_of(text: str, words: Sequence[Word]) -> tuple[int, int]:
    """The hash of a run of words by its `key`, and as it is written; 0 where it is no name that way.

    text  of the run
    """
    if _must_be_spelt(text):
        return 0, crc32(b"=" + text.encode())
    if len(words) == 1 and words[0].form in COMMON_WORDS:
        return 0, 0
    stems = sorted({stem for word in words for stem in word.stems})
    return (crc32(" ".join(stems).encode()) if stems else 0), 0


def codes_of_runs(text: str, words: Sequence[Word], runs: Sequence[tuple[int, int]]) -> Codes:
    """(N, 2) `codes_of` each run of the words of a text, several times as fast.

    runs  first word and last + 1 of each, in the order of `windows`: by first word, the longest one first
    """
    codes = np.zeros((len(runs), 2), np.uint32)
    letters = [0, *accumulate(_letters(text[word.start : word.end]) for word in words)]
    begin = after = -1
    stems: list[str] = []
    # The shortest first: the stems of a run are those of the one before and of another word.
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
