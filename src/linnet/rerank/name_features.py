"""What strings are made of, as arrays: each distinct string taken apart once, then compared by the ten thousand."""

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
BUCKETS = 1 << 16  # of words: of idf tables and context bitmaps
_MOST = 200_000  # strings remembered; with 256-dimensional vectors some 140 MB
_AFTER_HEAD = frozenset(
    {"of", "in", "with", "due", "to", "from", "by", "for", "without", "during", "associated", "and", "or"}
)


@lru_cache(maxsize=65536)
def bucket(word: str) -> int:
    """0 to 2³² − 1: the same on every machine; its lowest 16 bits are the bucket of a word."""
    return crc32(word.encode("utf-8", "surrogatepass"))


def stems(text: str) -> list[str]:
    """The words of a string as they are compared: stems of `linnet.text.gloss`'s words, little words dropped."""
    words = gloss(text).split()
    kept = [word for word in words if word not in LITTLE] or words
    return [key(word) for word in kept]


@dataclass(slots=True)
class NameFeatures:
    """Of S strings.

    words    (S, WORDS) hashes of the stems, each once, 0 where there are fewer
    levels   (S, 5) hashes of the forms of `linnet.text.LEVELS`, as `bucket` makes them
    head     (S,) hash of the stem that says what kind of thing it is: the last one before a preposition or comma
    first, last  (S,) hashes of the outermost stems
    numbers  (S,) hash of all numbers, single letters and codes in it, 0 for none
    length   (S,) characters        count  (S,) words
    vectors  (S, D) of length 1, as `linnet.retrieve.fixed_point` has them; D is 0 without an encoder
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

    def put(self, rows: Any, parts: NameFeatures) -> None:
        """Write the parts of other strings to these rows."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(parts, field.name)


class StringTable:
    """A growing table of strings and their parts. Safe to share between threads: a row, once given, stays as it is."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder
        self._lock = Lock()
        self._rows: dict[str, int] = {}
        self._count = 0
        self._parts = NameFeatures.empty(1024, encoder.dimensions if encoder else 0)

    @property
    def full(self) -> bool:
        """Whether so many strings are remembered that it is time to begin another table."""
        return self._count > _MOST

    def rows(self, texts: Sequence[str]) -> Ints:
        """(N,) row of each text in `parts`; what is new is taken apart."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._rows]
            if new:
                found = extract_features(new)
                found.vectors = self.vectors(new)
                self._rows.update(zip(new, self._append(found).tolist(), strict=True))
            return np.fromiter((self._rows[text] for text in texts), np.int64, len(texts))

    def add(self, parts: NameFeatures) -> Ints:
        """(S,) rows of strings that are taken apart already; their vectors are those of this table's encoder."""
        with self._lock:
            return self._append(parts)

    @property
    def encoder(self) -> Encoder | None:
        """What makes the vectors."""
        return self._encoder

    @property
    def parts(self) -> NameFeatures:
        """The table; ask for it after `rows`."""
        return self._parts

    def vectors(self, texts: Sequence[str]) -> Array:
        """(N, D) vectors of strings, as a dense index stores them."""
        if self._encoder is None:
            return np.zeros((len(texts), 0), np.int16)
        return to_fixed_point(unit(self._encoder.encode([simplify(text) for text in texts])))

    def _append(self, parts: NameFeatures) -> Ints:
        first, last = self._count, self._count + len(parts.length)
        if last > len(self._parts.length):
            larger = NameFeatures.empty(max(last, 2 * len(self._parts.length)), self._parts.vectors.shape[1])
            for field in fields(NameFeatures):
                getattr(larger, field.name)[: len(self._parts.length)] = getattr(self._parts, field.name)
            self._parts = larger
        self._parts.put(slice(first, last), parts)
        self._count = last
        return np.arange(first, last)


def extract_features(texts: Sequence[str]) -> NameFeatures:
    """The parts of strings, in their order, without vectors."""
    parts = NameFeatures.empty(len(texts), 0)
    taken = [_take_apart(text) for text in texts]
    columns = (parts.words, parts.levels, parts.head, parts.first, parts.last, parts.numbers, parts.count)
    for column, values in zip(columns, zip(*taken, strict=True), strict=bool(taken)):
        column[:] = values
    parts.length[:] = [len(text) for text in texts]
    return parts


def _take_apart(text: str) -> tuple[list[int], list[int], int, int, int, int, int]:
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
    """A form as 63 bits."""
    data = form.encode("utf-8", "surrogatepass")
    return (crc32(data) << 31) ^ crc32(data, 0x9E3779B9)


def _head(text: str) -> str:
    # `gloss` folds too: without a comma there is nothing to do again.
    words = gloss(text if text.isascii() and "," not in text else fold(text).partition(",")[0]).split()
    for place, word in enumerate(words):
        if place and word in _AFTER_HEAD:
            words = words[:place]
            break
    return key(words[-1]) if words else ""
