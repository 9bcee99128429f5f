"""Exact match: the concepts that have the text itself as a name, at five levels of normalisation.

    level     score   text and name agree in
    fold      1.00    everything but case, width, dashes, quotes and runs of spaces
    simplify  0.95    their words and numbers, in American spelling
    key       0.90    the stems of their words, in any order
    sense     0.85    the meanings of their words, by a small glossary
    kind      0.80    the organ that is affected

On disk, for each level of `linnet.words.text.LEVELS`: `LEVEL.hashes.npy`, the sorted 64-bit BLAKE2b hashes of the names'
normal forms, and `LEVEL.rows.npy`, the name row of each. A lookup is a binary search in a memory-mapped array.
Hashes alone distinguish forms: among 7 million names, one lookup in 10¹² finds a wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from linnet.arrays import Hashes, Ints, Mask, Rows
from linnet.errors import UnknownNameError
from linnet.retrieve.hashing import hash_texts
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import open_index, writing_index
from linnet.retrieve.match_ranking import rank_matches
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.name_chunks import map_name_chunks
from linnet.retrieve.ragged import concatenated_ranges, offsets
from linnet.terminology import Terminology
from linnet.words.symbols import agree, may_be_mistaken
from linnet.words.text import GLOSSARY_LEVELS, LEVELS

__all__ = ["SCORES", "ExactIndex"]

# Only their order matters to ranking: the strictest level comes first.
SCORES = {"fold": 1.0, "simplify": 0.95, "key": 0.9, "sense": 0.85, "kind": 0.8}
# Names normalised at a time while building; bounds the Python strings held at once.
_CHUNK = 1 << 16
_EMPTY = hash_texts([""])[0]


class ExactIndex:
    """Look up names by hash. Returns all homonyms, concepts whose preferred name matched first."""

    kind = "exact"
    encoder_of: ClassVar[str] = ""
    cosine = False

    def __init__(
        self, terminology: Terminology, tables: dict[str, tuple[Hashes, Rows]], *, glossary: bool = True
    ) -> None:
        self.terminology = terminology
        self._tables = tables
        self._levels = {
            level: form for level, form in LEVELS.items() if glossary or level not in GLOSSARY_LEVELS
        }

    @classmethod
    def build(cls, terminology: Terminology, *, name: str = "exact", threads: int | None = None) -> Self:
        """Write `index/NAME` and open it. Reads names in chunks and holds 50 bytes for each.

        threads  processes for large terminologies, None for all cores; the files do not depend on it

        Raises StoreError if the disk cannot be written.
        """
        with writing_index(terminology, name, kind=cls.kind, options={}) as draft:
            hashes = {level: np.empty(len(terminology.names), np.uint64) for level in LEVELS}
            for chunk, columns in map_name_chunks(_hash_levels, terminology, size=_CHUNK, threads=threads):
                for column, values in zip(hashes.values(), columns, strict=True):
                    column[chunk] = values
            for level in LEVELS:
                rows = np.argsort(hashes[level], kind="stable").astype(np.int32)
                # Nobody can look up a name whose form is empty.
                rows = rows[hashes[level][rows] != _EMPTY]
                np.save(draft / f"{level}.hashes.npy", hashes.pop(level)[rows])
                np.save(draft / f"{level}.rows.npy", rows)
        return cls.open(terminology, name)

    @classmethod
    def open(cls, terminology: Terminology, name: str = "exact", *, glossary: bool = True) -> Self:
        """Open `index/NAME`, memory-mapped. Raises StoreError, DamagedError or MismatchError as `open_index`.

        glossary  False: `search` skips the levels that use `linnet.words.glossary`; `lookup` has all levels
        """
        path, _ = open_index(terminology, name, kind=cls.kind)
        tables = {
            level: (map_array(path / f"{level}.hashes.npy"), map_array(path / f"{level}.rows.npy"))
            for level in LEVELS
        }
        return cls(terminology, tables, glossary=glossary)

    def search(self, texts: Sequence[str], *, k: int, allowed: Mask | None = None) -> Hits:
        """The concepts that have each text as a name: (N, k), the strictest level first, then preferred names.

        allowed  (concepts,) which concepts may be returned; k counts allowed ones

        Scores are those of `SCORES`. A text whose form is empty has no hits. Names that have other symbols than the text
        (`linnet.words.symbols.agree`) are not found.
        """
        mistakable = {
            stems: np.array([may_be_mistaken(text, stems=stems) for text in texts], bool)
            for stems in (False, True)
        }
        compared_before, dropped = np.zeros(len(texts), np.int64), np.zeros(len(texts), bool)
        queries, names, scores = [], [], []
        for level, form in self._levels.items():
            starts, rows = self.lookup([form(text) for text in texts], level=level)
            matches = np.diff(starts)
            asked = np.repeat(np.arange(len(texts)), matches)
            stems = level not in ("fold", "simplify")
            # The names of a stricter level are among those of the next; without new ones, nothing is left to compare.
            new = (matches > compared_before) | dropped
            compared = np.flatnonzero((mistakable[stems] & new)[asked])
            if len(compared):
                same = self._agree(texts, asked, rows, compared, stems=stems)
                dropped[asked[~same]] = True
                asked, rows = asked[same], rows[same]
            compared_before = matches
            queries.append(asked)
            names.append(rows)
            scores.append(np.full(len(rows), SCORES[level], np.float32))
        return rank_matches(
            np.concatenate(queries),
            np.concatenate(names),
            np.concatenate(scores),
            count=len(texts),
            terminology=self.terminology,
            k=k,
            origin=Origin.EXACT,
            allowed=allowed,
        )

    def _agree(
        self, texts: Sequence[str], queries: Ints, names: Rows, compared: Ints, *, stems: bool
    ) -> Mask:
        """(M,) false for those of the compared matches whose symbols differ."""
        same = np.ones(len(names), bool)
        found = self.terminology.names.take(names[compared])
        asked = (texts[query] for query in queries[compared].tolist())
        same[compared] = [agree(text, name, stems=stems) for text, name in zip(asked, found, strict=True)]
        return same

    def lookup(self, forms: Sequence[str], *, level: str = "simplify") -> tuple[Ints, Rows]:
        """The name rows of many normal forms, for callers that look up every window of a text.

        forms    texts already brought to `level` (by `linnet.words.text.LEVELS[level]`)
        returns  offsets (N + 1,) and the name rows, ascending, of form i at `rows[offsets[i]:offsets[i + 1]]`

        Raises UnknownNameError for an unknown level.
        """
        if level not in self._tables:
            raise UnknownNameError("normalisation level", level, self._tables)
        hashes, rows = self._tables[level]
        wanted = hash_texts(forms)
        # Queries in ascending order walk the table once, which is kind to its pages and the caches.
        order = np.argsort(wanted)
        left, right = np.empty(len(forms), np.int64), np.empty(len(forms), np.int64)
        left[order] = np.searchsorted(hashes, wanted[order], side="left")
        right[order] = np.searchsorted(hashes, wanted[order], side="right")
        counts = np.maximum(right - left, 0)  # below 0 only if a damaged file is out of order
        return offsets(counts), np.asarray(rows[concatenated_ranges(left, counts)])


def _hash_levels(texts: list[str]) -> list[Hashes]:
    """The hashes of the texts at each level."""
    # Levels build on one another, and `simplify` caches its latest 65,536 results: a chunk of that size is simplified once.
    return [hash_texts([form(text) for text in texts]) for form in LEVELS.values()]
