"""Gazetteers: hashes of the names of terminologies, small enough to be stored with a tagger's weights.

Names are hashed by `linnet.words.text.key`, short acronyms ("CAT", "AIDS") as they are written. About one in ten thousand other
texts is mistaken for a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self
from zlib import crc32

import numpy as np

from linnet.arrays import Codes, Mask
from linnet.recognise.common_words import COMMON_WORDS
from linnet.recognise.windows import Windows
from linnet.recognise.words import Word
from linnet.words.text import key, simplify

__all__ = ["Gazetteer", "code_of", "codes_of_windows"]

_ACRONYM = 5  # letters up to which a name with two capitals counts as an acronym
_FEW_LETTERS = 3  # letters up to which every name must be spelt as in the terminology


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """hashes  (N,) sorted        name  what they are names of, "" if that does not matter"""

    hashes: Codes
    name: str = ""

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """The gazetteer of these names, in any order."""
        hashes = {code for name in names if (code := code_of(name))}
        return cls(np.array(sorted(hashes), np.uint32))

    def has(self, codes: Codes) -> Mask:
        """(M,) whether a name has each hash."""
        if not len(self.hashes):
            return np.zeros(len(codes), bool)
        places = np.minimum(np.searchsorted(self.hashes, codes), len(self.hashes) - 1)
        known: Mask = self.hashes[places] == codes
        return known


def code_of(text: str) -> int:
    """The hash of a text by its `key`, or as it is written; 0 if it cannot be a name."""
    if _must_be_spelt(text):
        return _written(text)
    form = key(text)
    return crc32(form.encode()) if form and simplify(text) not in COMMON_WORDS else 0


def codes_of_windows(text: str, words: Sequence[Word], windows: Windows) -> Codes:
    """(N,) the hash of each window of words of a text, by its stems or as it is written, as `code_of`; 0 where it cannot be a name."""
    codes = np.array([crc32(stems.encode()) if stems else 0 for stems in windows.stems], np.uint32)
    letters = np.array([0, *accumulate(_letters(text[word.start : word.end]) for word in words)], np.int64)
    first, last = np.array(windows.first, np.int64), np.array(windows.last, np.int64)
    few = (letters[last] - letters[first] <= _ACRONYM) | (last - first == 1)
    for number in np.flatnonzero(few).tolist():
        begin, end = words[first[number]], words[last[number] - 1]
        written = text[begin.start : end.end]
        if windows.stems[number] is not None and _must_be_spelt(written):
            codes[number] = _written(written)
        elif begin is end and begin.form in COMMON_WORDS:
            codes[number] = 0
    return codes


def _written(text: str) -> int:
    return crc32(b"=" + text.encode())


def _must_be_spelt(text: str) -> bool:
    letters = _letters(text)
    return letters <= _FEW_LETTERS or (letters <= _ACRONYM and sum(map(str.isupper, text)) > 1)


def _letters(text: str) -> int:
    return len(text) if text.isalpha() else sum(map(str.isalpha, text))
