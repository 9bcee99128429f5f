"""Writes the files of a search index; `linnet.terminology.search` reads them, memory-mapped.

words.arrow         distinct words of all names (`linnet.words.text.tokens`), sorted, so that words with one beginning are a range
rows.npy            (names,) name row of each rank: preferred names, then those of fewer bytes, then lower rows
order.npy           (names,) ranks sorted by simplified name, so that names with one beginning are a slice
offsets.npy         (words + 1,) start of each word's postings
postings.npy        ranks of the names with each word, ascending within a word
name_offsets.npy    (names + 1,) start of the words of the name of each rank
name_words.npy      positions of those words in `words`, ascending within a name
"""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linnet.arrays import Array
from linnet.terminology.columns import write_columns
from linnet.terminology.store import Terminology
from linnet.words.text import simplify

__all__ = ["ARRAYS", "VERSION", "write_search_files"]

VERSION = 2
ARRAYS = ("rows", "order", "offsets", "postings", "name_offsets", "name_words")
# Names normalised at a time.
_CHUNK = 1 << 16


def write_search_files(terminology: Terminology, folder: Path) -> None:
    """Write all files but the manifest. Raises OSError if the disk cannot be written."""
    rows = _by_rank(terminology)
    ranks = np.empty(len(rows), np.int32)
    ranks[rows] = np.arange(len(rows), dtype=np.int32)
    np.save(folder / "rows.npy", rows)
    words, places, counts, sorted_rows = _occurrences(terminology)
    write_columns(folder / "words.arrow", {"text": pa.array(words, pa.string())})
    np.save(folder / "order.npy", ranks[sorted_rows])
    owners = np.repeat(ranks, counts)
    np.save(folder / "name_words.npy", _second_by_first(owners, places))
    np.save(folder / "name_offsets.npy", _offsets(counts[rows]))
    np.save(folder / "postings.npy", _second_by_first(places, owners))
    np.save(folder / "offsets.npy", _offsets(np.bincount(places, minlength=len(words))))


def _second_by_first(first: Array, second: Array) -> Array:
    """The second numbers of the (first, second) pairs in sorted order."""
    pairs = first.astype(np.int64) << 32 | second
    pairs.sort()
    return (pairs & 0xFFFFFFFF).astype(np.int32)


def _by_rank(terminology: Terminology) -> Array:
    """(names,) name rows in display order."""
    offsets = terminology.names.offsets
    lengths = np.minimum(np.diff(offsets), 0xFFFF)
    return np.lexsort((lengths, ~terminology.preferred)).astype(np.int32)


def _occurrences(terminology: Terminology) -> tuple[list[str], Array, Array, Array]:
    """The sorted words; the position of each word of each name, by row; the number of words of each name; and the name
    rows sorted by simplified name."""
    codes: dict[str, int] = {}
    word_codes, counts = array("i"), array("i")
    forms = []
    names = terminology.names
    for start in range(0, len(names), _CHUNK):
        simplified = [simplify(name) for name in names.take(range(start, min(start + _CHUNK, len(names))))]
        forms.append(pa.array(simplified, pa.large_string()))
        for form in simplified:
            own = set(form.split())
            counts.append(len(own))
            word_codes.extend([codes.setdefault(word, len(codes)) for word in own])
    words = sorted(codes)
    places = np.empty(len(words), np.int32)
    places[[codes[word] for word in words]] = np.arange(len(words), dtype=np.int32)
    by_form = pc.array_sort_indices(pa.chunked_array(forms, pa.large_string()).combine_chunks())
    return (
        words,
        places[_as_array(word_codes)],
        _as_array(counts),
        by_form.to_numpy().astype(np.int32),
    )


def _as_array(numbers: array[int]) -> Array:
    return np.frombuffer(numbers, np.int32) if len(numbers) else np.zeros(0, np.int32)


def _offsets(counts: Array) -> Array:
    """(n + 1,) starts of n lists, and the end of the last."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
