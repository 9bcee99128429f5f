"""Correct words that are not in a terminology's vocabulary: astma → asthma, diabtes → diabetes.

The vocabulary is the words of the names' `linnet.words.text.simplify` forms. Each word is indexed under its deletions: the word
itself, and the word with any one letter deleted. A misspelt word is looked up by its own deletions; a word that shares one
with it is within two edits (symmetric deletion, after SymSpell). On disk, memory-mapped: `vocabulary.arrow` (word, number
of names; sorted), `forms.hashes.npy` (of deletions, sorted) and `forms.words.npy`, the word of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa

from linnet.advice import Advice
from linnet.arrays import Array
from linnet.errors import DamagedError
from linnet.retrieve.hashing import hash_texts
from linnet.retrieve.index import Companion
from linnet.retrieve.known_words import is_known
from linnet.retrieve.memory_map import damaged, map_array
from linnet.retrieve.ragged import concatenated_ranges
from linnet.terminology import Terminology
from linnet.terminology.columns import Strings, read_columns, write_columns
from linnet.words.symbols import symbols
from linnet.words.text import key, simplify

__all__ = ["Spelling", "edit_distance", "respelt"]

MIN_LETTERS, _MAX_LETTERS = 5, 30  # letters; shorter words have too many neighbours that are words too
_TWO_EDITS = 9  # letters of the shortest word that may have two edits
_BATCH = 1 << 16  # names or words processed at a time


class Spelling(Companion):
    """The vocabulary of a terminology. Safe to share between threads."""

    kind = "spelling"
    version = 1

    def __init__(
        self, words: Strings, counts: Array, hashes: Array, owners: Array, damage: Callable[[], DamagedError]
    ) -> None:
        """
        words    (W,) sorted                  counts  (W,) names that have each
        hashes   (M,) of deletions, sorted    owners  (M,) the word of each
        damage   the error to raise if an owner is out of range
        """
        self._words, self._counts, self._hashes, self._owners = words, counts, hashes, owners
        self._damage = damage

    @classmethod
    def build(cls, terminology: Terminology) -> Self:
        """Write `index/spelling` and open it. Raises StoreError if the disk cannot be written."""
        counts: Counter[str] = Counter()
        for start in range(0, len(terminology.names), _BATCH):
            texts = terminology.names.take(range(start, min(start + _BATCH, len(terminology.names))))
            counts.update(
                word for text in texts for word in set(simplify(text).split()) if _correctable(word)
            )
        words = sorted(counts)
        hashes, owners = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)]
        for start in range(0, len(words), _BATCH):
            batch = [_deletions(word) for word in words[start : start + _BATCH]]
            hashes.append(hash_texts(form for forms in batch for form in forms))
            owners.append(
                np.repeat(np.arange(start, start + len(batch), dtype=np.int32), list(map(len, batch)))
            )
        all_hashes, all_owners = np.concatenate(hashes), np.concatenate(owners)
        order = np.argsort(all_hashes, kind="stable")
        with cls.writing(terminology) as draft:
            columns = {
                "word": pa.array(words, pa.large_string()),
                "count": np.array([counts[word] for word in words], np.int32),
            }
            write_columns(draft / "vocabulary.arrow", columns)
            np.save(draft / "forms.hashes.npy", all_hashes[order])
            np.save(draft / "forms.words.npy", all_owners[order])
        return cls.open(terminology)

    @classmethod
    def read(cls, path: Path, *, rebuild: Advice) -> Self:
        columns = read_columns(path / "vocabulary.arrow", rebuild=rebuild)
        hashes, owners = (
            map_array(path / f"forms.{name}.npy", rebuild=rebuild) for name in ("hashes", "words")
        )
        damage = partial(damaged, path / "forms.words.npy", rebuild=rebuild)
        return cls(columns["word"], columns["count"], hashes, owners, damage)

    def __contains__(self, word: str) -> bool:
        return self._words.find(word) >= 0

    def near(self, word: str) -> list[tuple[int, int, str]]:
        """(edits, −names that have it, word) of the words within one edit, or two if `word` is long.

        Raises DamagedError if the word of a deletion is out of range.
        """
        wanted = hash_texts(_deletions(word))
        left, right = (np.searchsorted(self._hashes, wanted, side=side) for side in ("left", "right"))
        rows = np.unique(self._owners[concatenated_ranges(left, np.maximum(right - left, 0))])
        if len(rows) and not (rows[0] >= 0 and rows[-1] < len(self._words)):
            raise self._damage()
        most = 2 if len(word) >= _TWO_EDITS else 1
        candidates = (
            (edit_distance(word, self._words[row]), -int(self._counts[row]), self._words[row])
            for row in rows.tolist()
        )
        return [candidate for candidate in candidates if candidate[0] <= most]


def respelt(text: str, vocabularies: Sequence[Spelling]) -> str | None:
    """The text in `simplify` form, each misspelt word replaced by the nearest word of any vocabulary.

    The fewest edits win, then the same first letter, then the word of most names. None if nothing was replaced. Left alone
    are words of a vocabulary, `is_known` words, symbols, and words of which another word of the text is the nearest.
    """
    words = simplify(text).split()
    kept = symbols(text)
    corrected = [word if word in kept else _corrected(word, words, vocabularies) for word in words]
    return " ".join(corrected) if corrected != words else None


def _corrected(word: str, words: Sequence[str], vocabularies: Sequence[Spelling]) -> str:
    """The nearest word; the word itself if there is none, or if it is another one of the words, apart from its ending."""
    nearest = _nearest(word, vocabularies)
    if nearest is None or any(key(other) == key(nearest) for other in words if other != word):
        return word
    return nearest


def edit_distance(a: str, b: str) -> int:
    """Letters inserted, deleted, replaced, or exchanged with their neighbour (optimal string alignment)."""
    before, above, row = [0] * (len(b) + 1), list(range(len(b) + 1)), [0]
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return row[-1] if a else len(b)


def _nearest(word: str, vocabularies: Sequence[Spelling]) -> str | None:
    if not _correctable(word) or any(word in vocabulary for vocabulary in vocabularies) or is_known(word):
        return None
    near = [candidate for vocabulary in vocabularies for candidate in vocabulary.near(word)]
    ranked = (
        (edits, other[0] != word[0], names, other)
        for edits, names, other in near
        if not _is_other_ending(word, other)
    )
    return min(ranked, default=(0, False, 0, None))[-1]


def _is_other_ending(word: str, other: str) -> bool:
    """Whether the other is a plural of the same word: "itchs" for "itchy"."""
    return word[-1] in "aeiouy" and other == word[:-1] + "s"


def _correctable(word: str) -> bool:
    return MIN_LETTERS <= len(word) <= _MAX_LETTERS and word.isalpha() and word.isascii()


def _deletions(word: str) -> list[str]:
    """The word, and the word with any one letter deleted; each once."""
    return list(dict.fromkeys([word, *(word[:i] + word[i + 1 :] for i in range(len(word)))]))
