"""Features of strings as arrays: each distinct string is analysed once, then compared by the ten thousand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from threading import Lock
from typing import Any
from zlib import crc32

import numpy as np

from linnet.arrays import Array, Ints
from linnet.encode import Encoder, unit
from linnet.retrieve.fixed_point import to_fixed_point
from linnet.text import LEVELS, LITTLE, fold, gloss, key, simplify

__all__ = [
    "BUCKETS",
    "WORDS",
    "NameFeatures",
    "StringTable",
    "bucket",
    "crc_hash",
    "extract_features",
    "stems",
]

WORDS = 12  # words of a string that are compared; longer names lose their end
BUCKETS = 1 << 16  # of words, in idf tables and context bitmaps
_CAPACITY = 200_000  # strings remembered; with 256-dimensional vectors some 140 MB
_AFTER_HEAD = frozenset(
    {"of", "in", "with", "due", "to", "from", "by", "for", "without", "during", "associated", "and", "or"}
)


@lru_cache(maxsize=65536)
def bucket(word: str) -> int:
    """0 to 2³² − 1, the same on every machine. The lowest 16 bits are the bucket of a word."""
    return crc32(word.encode("utf-8", "surrogatepass"))


def stems(text: str) -> list[str]:
    """The words of a string for comparison: stems of `linnet.text.gloss`'s words, without little words."""
    words = gloss(text).split()
    kept = [word for word in words if word not in LITTLE] or words
    return [key(word) for word in kept]


@dataclass(slots=True)
class NameFeatures:
    """Of S strings.

    words    (S, WORDS) hashes of the distinct stems, then 0
    levels   (S, 5) hashes of the forms of `linnet.text.LEVELS`, as `bucket` makes them
    head     (S,) hash of the head's stem: the last stem before a preposition or comma
    first, last  (S,) hashes of the first and the last stem
    numbers  (S,) hash of all numbers, single letters and codes, 0 for none
    length   (S,) characters        count  (S,) words
    vectors  (S, D) of length 1, see `linnet.retrieve.fixed_point`; D is 0 without an encoder
    """

    words: Array
    levels: Array
    head: Array
    first: Array
    last: Array
    numbers: Array
    length: Array
    count: Array
    vectors: Array

    @classmethod
    def empty(cls, size: int, dimensions: int) -> NameFeatures:
        """All zeros."""
        return cls(
            np.zeros((size, WORDS), np.uint32),
            np.zeros((size, len(LEVELS)), np.uint32),
            head=np.zeros(size, np.uint32),
            first=np.zeros(size, np.uint32),
            last=np.zeros(size, np.uint32),
            numbers=np.zeros(size, np.uint32),
            length=np.zeros(size, np.float32),
            count=np.zeros(size, np.float32),
            vectors=np.zeros((size, dimensions), np.int16),
        )

    def put(self, rows: Any, features: NameFeatures) -> None:
        """Write the features of other strings to these rows."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(features, field.name)


class StringTable:
    """A growing table of strings and their features. Safe to share between threads: a string keeps its row."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self.encoder = encoder
        """Makes the vectors."""
        self._lock = Lock()
        self._rows: dict[str, int] = {}
        self._count = 0
        self._features = NameFeatures.empty(1024, encoder.dimensions if encoder else 0)

    @property
    def full(self) -> bool:
        """Whether it is time to begin another table."""
        return self._count > _CAPACITY

    def rows(self, texts: Sequence[str]) -> Ints:
        """(N,) row of each text in `features`; adds new texts."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._rows]
            if new:
                features = extract_features(new)
                features.vectors = self.vectors(new)
                self._rows.update(zip(new, self._append(features).tolist(), strict=True))
            return np.fromiter((self._rows[text] for text in texts), np.int64, len(texts))

    def add(self, features: NameFeatures) -> Ints:
        """(S,) rows of strings whose features are known, with vectors of this table's encoder."""
        with self._lock:
            return self._append(features)

    @property
    def features(self) -> NameFeatures:
        """The table. Ask for it after `rows`, which may replace it."""
        return self._features

    def vectors(self, texts: Sequence[str]) -> Array:
        """(N, D) vectors of strings, as a dense index stores them."""
        if self.encoder is None:
            return np.zeros((len(texts), 0), np.int16)
        return to_fixed_point(unit(self.encoder.encode([simplify(text) for text in texts])))

    def _append(self, features: NameFeatures) -> Ints:
        first, last = self._count, self._count + len(features.length)
        capacity, dimensions = self._features.vectors.shape
        if last > capacity:
            larger = NameFeatures.empty(max(last, 2 * capacity), dimensions)
            larger.put(slice(capacity), self._features)
            self._features = larger
        self._features.put(slice(first, last), features)
        self._count = last
        return np.arange(first, last)


def extract_features(texts: Sequence[str]) -> NameFeatures:
    """The features of strings, in their order, without vectors."""
    features = NameFeatures.empty(len(texts), 0)
    columns = (
        features.words,
        features.levels,
        features.head,
        features.first,
        features.last,
        features.numbers,
        features.count,
    )
    rows = [_features_of(text) for text in texts]
    for column, values in zip(columns, zip(*rows, strict=True), strict=bool(rows)):
        column[:] = values
    features.length[:] = [len(text) for text in texts]
    return features


def _features_of(text: str) -> tuple[list[int], list[int], int, int, int, int, int]:
    """A string's words, levels, head, first, last, numbers and count, see `NameFeatures`."""
    plain = simplify(text)
    words = stems(text) or [plain]
    hashes = list(dict.fromkeys([bucket(word) or 1 for word in words]))[:WORDS]
    codes = sorted([word for word in plain.split() if len(word) == 1 or _has_digit(word)])
    return (
        hashes + [0] * (WORDS - len(hashes)),
        [bucket(form(text)) for form in LEVELS.values()],
        bucket(_head(text)),
        bucket(words[0]),
        bucket(words[-1]),
        bucket(" ".join(codes)) or 1 if codes else 0,
        len(words),
    )


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(c.isdigit() for c in word)


def crc_hash(form: str) -> int:
    """A 63-bit hash of a form."""
    data = form.encode("utf-8", "surrogatepass")
    return (crc32(data) << 31) ^ crc32(data, 0x9E3779B9)


def _head(text: str) -> str:
    # `gloss` also folds, so an ASCII text without a comma needs no further folding.
    words = gloss(text if text.isascii() and "," not in text else fold(text).partition(",")[0]).split()
    for place, word in enumerate(words):
        if place and word in _AFTER_HEAD:
            words = words[:place]
            break
    return key(words[-1]) if words else ""
