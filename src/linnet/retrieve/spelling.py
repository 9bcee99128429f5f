"""Words that are none of a terminology's, set right: astma → asthma, diabtes → diabetes.

The vocabulary is the words of the names' `linnet.text.simplify` forms. Each word of it is kept under itself and under what
is left of it when a letter is taken out; a misspelt word is looked up in the same way, and what has a form in
common with it is within two edits of it (symmetric deletion, after SymSpell). On disk, memory-mapped: `vocabulary.arrow`
(word, count of names; sorted), `forms.hashes.npy` (sorted) and `forms.words.npy`, the word of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa

from linnet.arrays import Array
from linnet.errors import DamagedError
from linnet.retrieve.hashing import hash_texts
from linnet.retrieve.index import Companion
from linnet.retrieve.memory_map import damaged, map_array
from linnet.terminology import Terminology
from linnet.terminology.columns import Strings, read_columns, write_columns
from linnet.text import simplify

__all__ = ["Spelling", "edit_distance", "respelt"]

SHORTEST, _LONGEST = 5, 30  # letters; shorter words have too many neighbours that are words too
_FORGIVEN_TWO = 9  # letters from which on two edits are forgiven
_TOGETHER = 1 << 16  # names or words worked on at a time


class Spelling(Companion):
    """The vocabulary of a terminology. Safe to share between threads."""

    kind = "spelling"
    version = 1

    def __init__(
        self, words: Strings, counts: Array, hashes: Array, owners: Array, altered: Callable[[], DamagedError]
    ) -> None:
        """
        words    (W,) sorted        counts   (W,) names that have each
        hashes   (M,) sorted        owners   (M,) the word of each
        altered  what to raise where that is none
        """
        self._words, self._counts, self._hashes, self._owners = words, counts, hashes, owners
        self._altered = altered

    @classmethod
    def build(cls, terminology: Terminology) -> Self:
        """Write `index/spelling` and open it. Raises StoreError when the disk refuses."""
        found: Counter[str] = Counter()
        for start in range(0, len(terminology.names), _TOGETHER):
            texts = terminology.names.take(range(start, min(start + _TOGETHER, len(terminology.names))))
            found.update(word for text in texts for word in set(simplify(text).split()) if _corrigible(word))
        words = sorted(found)
        hashes, owners = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)]
        for start in range(0, len(words), _TOGETHER):
            forms = [
                (form, row)
                for row, word in enumerate(words[start : start + _TOGETHER], start)
                for form in _forms(word)
            ]
            hashes.append(hash_texts(form for form, _ in forms))
            owners.append(np.array([row for _, row in forms], np.int32))
        every, owner = np.concatenate(hashes), np.concatenate(owners)
        order = np.argsort(every, kind="stable")
        with cls.writing(terminology) as draft:
            counts = np.array([found[word] for word in words], np.int32)
            write_columns(
                draft / "vocabulary.arrow", {"word": pa.array(words, pa.large_string()), "count": counts}
            )
            np.save(draft / "forms.hashes.npy", every[order])
            np.save(draft / "forms.words.npy", owner[order])
        return cls.open(terminology)

    @classmethod
    def read(cls, path: Path, *, rebuild: str) -> Self:
        columns = read_columns(path / "vocabulary.arrow", rebuild=rebuild)
        hashes, owners = (
            map_array(path / f"forms.{part}.npy", rebuild=rebuild) for part in ("hashes", "words")
        )
        damage = partial(damaged, path / "forms.words.npy", rebuild=rebuild)
        return cls(columns["word"], columns["count"], hashes, owners, damage)

    def __contains__(self, word: str) -> bool:
        return self._words.find(word) >= 0

    def near(self, word: str) -> list[tuple[int, int, str]]:
        """(edits, −names that have it, word) of the words within one edit, or two where it is long.

        Raises DamagedError where a form is of no word: the vocabulary was altered.
        """
        asked = hash_texts(_forms(word))
        rows = {
            int(row)
            for low, high in zip(
                np.searchsorted(self._hashes, asked, side="left"),
                np.searchsorted(self._hashes, asked, side="right"),
                strict=True,
            )
            for row in self._owners[low:high]
        }
        if rows and not (min(rows) >= 0 and max(rows) < len(self._words)):
            raise self._altered()
        most = 2 if len(word) >= _FORGIVEN_TWO else 1
        found = [
            (edit_distance(word, self._words[row]), -int(self._counts[row]), self._words[row]) for row in rows
        ]
        return [one for one in found if one[0] <= most]


def respelt(text: str, vocabularies: Sequence[Spelling]) -> str | None:
    """The text, in `simplify` form, with words that no vocabulary has replaced by the nearest that one has.

    The fewest edits win, then the same first letter, then the word of most names. None where nothing was replaced.
    """
    words = simplify(text).split()
    read = [_nearest(word, vocabularies) or word for word in words]
    return " ".join(read) if read != words else None


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
    if not _corrigible(word) or any(word in vocabulary for vocabulary in vocabularies):
        return None
    found = [one for vocabulary in vocabularies for one in vocabulary.near(word)]
    best = min(found, key=lambda one: (one[0], one[2][0] != word[0], one[1], one[2]), default=None)
    return best[2] if best else None


def _corrigible(word: str) -> bool:
    return SHORTEST <= len(word) <= _LONGEST and word.isalpha() and word.isascii()


def _forms(word: str) -> list[str]:
    """The word, and what is left when a letter is taken out."""
    return list(dict.fromkeys([word, *(word[:i] + word[i + 1 :] for i in range(len(word)))]))
