"""Features of strings as arrays: each distinct string is analysed once, then compared by the ten thousand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from zlib import crc32

import numpy as np

from linnet.arrays import Array, Fixed, Ints
from linnet.encode import Encoder, unit
from linnet.retrieve.fixed_point import to_fixed_point
from linnet.words.text import LEVELS, LITTLE, fold, gloss, key, simplify

__all__ = [
    "BUCKETS",
    "RECORD",
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
    """The words of a string for comparison: stems of `linnet.words.text.gloss`'s words, without little words."""
    words = gloss(text).split()
    kept = [word for word in words if word not in LITTLE] or words
    return [key(word) for word in kept]


RECORD = np.dtype([
    ("words", "<u4", (WORDS,)),  # hashes of the distinct stems, then 0
    ("levels", "<u4", (len(LEVELS),)),  # hashes of the forms of `linnet.words.text.LEVELS`, as `bucket` makes them
    ("head", "<u4"),  # hash of the head's stem: the last stem before a preposition or comma
    ("first", "<u4"),  # hashes of the first and the last stem
    ("last", "<u4"),
    ("numbers", "<u4"),  # hash of all numbers, single letters and codes, 0 for none
    ("length", "<u2"),  # characters
    ("count", "<u2"),  # words
])  # fmt: skip
"""The features of a string. The index `parts` stores them, so that a change needs a new version of `NameFeatureIndex`."""
_MOST = np.iinfo(np.uint16).max


class StringTable:
    """A growing table of strings, their features and vectors. Safe to share between threads: a string keeps its row.

    records  (S,) of `RECORD`; vectors (S, D) of length 1, see `linnet.retrieve.fixed_point`; D is 0 without an encoder. Ask
             for them after `rows` or `add`, which may replace them
    encoder  makes the vectors
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self.encoder = encoder
        self.records: Array = np.zeros(1024, RECORD)
        self.vectors: Fixed = np.zeros((1024, encoder.dimensions if encoder else 0), np.int16)
        self._lock = Lock()
        self._rows: dict[str, int] = {}
        self._count = 0

    @property
    def full(self) -> bool:
        """Whether it is time to begin another table."""
        return self._count > _CAPACITY

    def rows(self, texts: Sequence[str]) -> Ints:
        """(N,) row of each text; adds new texts."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._rows]
            if new:
                rows = self._append(extract_features(new), self.vectors_of(new))
                self._rows.update(zip(new, rows.tolist(), strict=True))
            return np.fromiter((self._rows[text] for text in texts), np.int64, len(texts))

    def add(self, records: Array, vectors: Fixed) -> Ints:
        """(M,) rows of strings whose features, and vectors by this table's encoder, are known."""
        with self._lock:
            return self._append(records, vectors)

    def vectors_of(self, texts: Sequence[str]) -> Fixed:
        """(N, D) vectors of strings, as a dense index stores them."""
        if self.encoder is None:
            return np.zeros((len(texts), 0), np.int16)
        return to_fixed_point(unit(self.encoder.encode([simplify(text) for text in texts])))

    def _append(self, records: Array, vectors: Fixed) -> Ints:
        first, last, capacity = self._count, self._count + len(records), len(self.records)
        if last > capacity:
            more = max(last, 2 * capacity) - capacity
            self.records = np.concatenate([self.records, np.zeros(more, RECORD)])
            self.vectors = np.concatenate([self.vectors, np.zeros((more, vectors.shape[1]), np.int16)])
        self.records[first:last], self.vectors[first:last] = records, vectors
        self._count = last
        return np.arange(first, last)


def extract_features(texts: Sequence[str]) -> Array:
    """(N,) of `RECORD`: the features of strings, in their order."""
    records = np.zeros(len(texts), RECORD)
    columns = zip(*map(_features_of, texts), strict=True)
    for name, values in zip(RECORD.names or (), columns, strict=bool(texts)):
        records[name] = values
    return records


def _features_of(text: str) -> tuple[list[int], list[int], int, int, int, int, int, int]:
    """The fields of a string's `RECORD`, in their order."""
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
        min(len(text), _MOST),
        min(len(words), _MOST),
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
    for position, word in enumerate(words):
        if position and word in _AFTER_HEAD:
            words = words[:position]
            break
    return key(words[-1]) if words else ""
