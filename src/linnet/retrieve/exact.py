"""Exact match: the concepts that have the text itself as a name, at five levels of normalisation.

    level     score   text and name agree in
    fold      1.00    everything but case, width, dashes, quotes and runs of spaces
    simplify  0.95    their words and numbers, American spelling
    key       0.90    the stems of their words, in any order
    sense     0.85    what their words mean, by a small glossary
    kind      0.80    the organ that something is wrong with

On disk, for each level of `linnet.text.LEVELS`: `LEVEL.hashes.npy`, the sorted 64-bit BLAKE2b hashes of the names'
normal forms, and `LEVEL.rows.npy`, the name row of each. A look-up is a binary search in a memory-mapped array.
Forms are told apart by their hashes alone: among 7 million names one look-up in 10¹² finds a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np

from linnet.arrays import Hashes, Ints, Mask, Rows
from linnet.cores import cores
from linnet.errors import UnknownNameError
from linnet.processes import pool
from linnet.retrieve.hashing import hash_texts
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import open_index, writing_index
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.ragged import concatenated_ranges, rank_matches
from linnet.terminology import Terminology
from linnet.text import GLOSSARY_LEVELS, LEVELS

__all__ = ["SCORES", "ExactIndex"]

# Only their order matters to ranking: what forgets less comes first.
SCORES = {"fold": 1.0, "simplify": 0.95, "key": 0.9, "sense": 0.85, "kind": 0.8}
# Names normalised at a time while building; bounds the Python strings held at once.
_CHUNK = 1 << 16
_WORTH_PROCESSES = 1 << 19  # names below which starting processes costs more than it saves


class ExactIndex:
    """Names looked up by hash. All homonyms come back, concepts whose preferred name matched first."""

    kind = "exact"

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
        """Write `index/NAME` and open it. Names are read in chunks: beyond them it holds 50 bytes a name.

        threads  processes for large terminologies, None for all cores; the files do not depend on it

        Raises StoreError when the disk refuses.
        """
        with writing_index(terminology, name, kind=cls.kind, options={}) as draft:
            hashes = _hash_names(terminology, threads or cores())
            for level in LEVELS:
                rows = np.argsort(hashes[level], kind="stable").astype(np.int32)
                # A name that normalises to nothing cannot be looked for.
                rows = rows[hashes[level][rows] != _NOTHING]
                np.save(draft / f"{level}.hashes.npy", hashes.pop(level)[rows])
                np.save(draft / f"{level}.rows.npy", rows)
        return cls.open(terminology, name)

    @classmethod
    def open(cls, terminology: Terminology, name: str = "exact", *, glossary: bool = True) -> Self:
        """Open `index/NAME`, memory-mapped. Raises StoreError, DamagedError or MismatchError as `open_index`.

        glossary  False: `search` leaves out the levels that read `linnet.glossary`; `lookup` has all levels
        """
        path, _ = open_index(terminology, name, kind=cls.kind)
        return cls(terminology, {level: _mapped(path, level) for level in LEVELS}, glossary=glossary)

    def search(self, texts: Sequence[str], *, k: int, allowed: Mask | None = None) -> Hits:
        """The concepts that have each text as a name: (N, k), the closest level first, then preferred names.

        allowed  (concepts,) which concepts may be returned; k counts allowed ones

        Scores are those of `SCORES`. A text that normalises to nothing has no hits.
        """
        queries, names, scores = [], [], []
        for level, form in self._levels.items():
            offsets, rows = self.lookup([form(text) for text in texts], level=level)
            queries.append(np.repeat(np.arange(len(texts)), np.diff(offsets)))
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

    def lookup(self, forms: Sequence[str], *, level: str = "simplify") -> tuple[Ints, Rows]:
        """Name rows of many normalised strings, for whoever looks up every window of a text.

        forms    texts already brought to `level` (by `linnet.text.LEVELS[level]`)
        returns  offsets (N + 1,) and the name rows, ascending, of form i at `rows[offsets[i]:offsets[i + 1]]`

        Raises UnknownNameError for an unknown level.
        """
        hashes, rows = self._table(level)
        wanted = hash_texts(forms)
        # Queries in ascending order walk the table once, which is what its pages and the caches like.
        order = np.argsort(wanted)
        left, right = np.empty(len(forms), np.int64), np.empty(len(forms), np.int64)
        left[order] = np.searchsorted(hashes, wanted[order], side="left")
        right[order] = np.searchsorted(hashes, wanted[order], side="right")
        counts = np.maximum(right - left, 0)  # below 0 only where an altered file is not in order
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        return offsets, np.asarray(rows[concatenated_ranges(left, counts)])

    def _table(self, level: str) -> tuple[Hashes, Rows]:
        if level not in self._tables:
            raise UnknownNameError("normalisation level", level, self._tables)
        return self._tables[level]


_NOTHING = hash_texts([""])[0]


def _hash_names(terminology: Terminology, workers: int) -> dict[str, Hashes]:
    """Level → (names,) hashes of all names' normal forms."""
    total = len(terminology.names)
    hashes = {level: np.empty(total, np.uint64) for level in LEVELS}
    spans = [range(start, min(start + _CHUNK, total)) for start in range(0, total, _CHUNK)]
    if workers > 1 and total >= _WORTH_PROCESSES:
        with pool(min(workers, len(spans))) as processes:
            jobs = [(terminology.path, span) for span in spans]
            _fill(hashes, spans, processes.map(_hashed_by_process, jobs))
    else:
        _fill(hashes, spans, (_hashed(terminology, span) for span in spans))
    return hashes


def _fill(hashes: dict[str, Hashes], spans: Iterable[range], found: Iterable[list[Hashes]]) -> None:
    for span, columns in zip(spans, found, strict=True):
        for column, part in zip(hashes.values(), columns, strict=True):
            column[span.start : span.stop] = part


def _hashed(terminology: Terminology, span: range) -> list[Hashes]:
    """The hashes of a chunk of names at each level."""
    texts = terminology.names.take(span)
    # The levels follow from one another and `simplify` remembers its latest 65,536 results, so a chunk of that size is
    # simplified only once.
    return [hash_texts([form(text) for text in texts]) for form in LEVELS.values()]


@lru_cache(maxsize=1)
def _opened(path: Path) -> Terminology:
    return Terminology.open(path)


def _hashed_by_process(job: tuple[Path, range]) -> list[Hashes]:
    """In a process of its own."""
    path, span = job
    return _hashed(_opened(path), span)


def _mapped(path: Path, level: str) -> tuple[Hashes, Rows]:
    return (
        map_array(path / f"{level}.hashes.npy"),
        map_array(path / f"{level}.rows.npy"),
    )
