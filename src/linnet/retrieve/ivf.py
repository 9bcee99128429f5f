"""Inverted lists over vectors: search scans the lists with the nearest centres, then compares the best rows exactly.

Each row is in two lists: that of its nearest centre, and that of the centre that best explains the remainder, so that a
name of two ideas is found by either (Sun et al. 2023, SOAR). A list holds product codes of its rows' remainders, that is,
of the rows minus their component along the centre. The rows with the best codes are compared exactly.

On disk, all memory-mapped and shared between processes:

    vectors.npy      (F, D) 16-bit (`fixed_point.py`), ordered by first list; the forms have the same order
    centres.npy      (lists, D) bytes, see `centroids.py`        book.npy  see `product_codes.py`
    lists.sizes.npy, lists.factors.npy  (lists,) entries of each list; mean length of its rows' components along the centre,
                     as a multiple of the centre
    lists.bin        each list's codes, in blocks of 32, then its rows as 64-bit numbers
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np

from linnet.advice import Advice
from linnet.arrays import Fixed, Floats, Ints, Mask, Rows
from linnet.errors import DamagedError
from linnet.retrieve.centroids import TextCentres, nearest_lists
from linnet.retrieve.faiss_threads import faiss_threads
from linnet.retrieve.fixed_point import ONE, Neighbours
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.product_codes import BLOCK, bytes_per_code, open_book
from linnet.retrieve.shortlist import (
    best_rows,
    first_rows,
    lowest_rough_score,
    score_after,
    without_repeats,
)
from linnet.retrieve.vector_file import VectorFile

__all__ = ["Lists", "layout"]

# Entries to scan for a text: between these shares of all, and at least so many; more in proportion where more rows than
# this are wanted.
_LEAST, _MOST, _FEWEST, _USUAL = 0.008, 0.08, 1 << 15, 256
# How near a list must be, see `nearest_lists`; and, in an index of more than two million rows, for so few rows, which are
# nearer than many. On 800 edited names of the 7 million of `benchmarks/scale`, drawn with another seed than the queries of
# the benchmark, 0.5 finds 0.991 of the 8 nearest concepts (0.46: 0.993) and scans a quarter less; the nearest concept was
# found even at 0.56. 0.46 itself was chosen after a look at 250 queries of the benchmark.
_REACH, _REACH_FOR_FEW, _FEW_WANTED = 0.46, 0.5, 32
# Up to so many allowed rows, comparing them all is faster than scanning lists.
_FEW_ALLOWED = 1 << 16
# Rows taken from the lists for each row that is wanted, and at least.
_TAKEN, _FEWEST_TAKEN = 6, 256
# At least so many rows, the best by their codes, are compared exactly. They tell how far codes are off. Of the others, those
# are compared whose codes are at most two standard deviations too bad for this share of the wanted rows.
_FIRST, _NEARLY_ALL, _DEVIATIONS = 128, 0.75, 2.0
# FAISS's way of searching: list by list in ascending order, each for all texts that scan it, with a reservoir of candidates
# for each text. What enters a reservoir, and when, does not depend on the other texts.
_LIST_BY_LIST = 13
# Texts for which lists are scanned together, and texts that are compared with all centres together: the result, 64 kB each,
# stays in the cache.
_TOGETHER, _COMPARED = 1024, 128
# Numbers of each kind held at a time: bounds the texts whose rows are compared together.
_CELLS = 1 << 21
# More texts than that read most parts of the file of vectors.
_FEW_TEXTS = 64


class Lists:
    """Finds most, not all, of the nearest rows. The same lists and text always give the same answer."""

    def __init__(self, path: Path, vectors: VectorFile, *, rebuild: Advice) -> None:
        """`path`: a directory written by `linnet.retrieve.ivf_build`. Raises DamagedError for files that do not agree."""
        self._path, self._rebuild, self._vectors = path, rebuild, vectors
        self._sizes: Ints = map_array(path / "lists.sizes.npy", rebuild=rebuild)
        self._entries = int(self._sizes.sum())
        centres = map_array(path / "centres.npy", rebuild=rebuild)
        self._centres = TextCentres(centres)
        self._factors = map_array(path / "lists.factors.npy", rebuild=rebuild) * self._centres.step
        # Prefetch: how far below the rough score of the last wanted row the latest cut was. Affects speed only.
        self._below = np.float32(0)
        self._index, self._parts = self._opened(map_array(path / "book.npy", rebuild=rebuild), len(centres))

    def pays(self, allowed: int, total: int) -> bool:
        """Whether scanning lists is faster than comparing all allowed rows."""
        return allowed == total or allowed > _FEW_ALLOWED

    def nearest(self, queries: Fixed, *, count: int, allowed: Mask | None = None) -> Neighbours:
        """About the best `count` rows for each query, or fewer; of the first three quarters few are missing. Uses the
        calling thread only.

        allowed  (F,) which rows may be returned

        A cut is the score of the last row, +inf for a query with fewer rows.
        """
        selector = None
        if allowed is not None:
            bits = np.packbits(allowed, bitorder="little")
            selector = faiss.IDSelectorBitmap(len(allowed), faiss.swig_ptr(bits))
        taken = min(max(_TAKEN * count, _FEWEST_TAKEN), self._entries)
        together = max(1, _CELLS // taken)
        batches = [
            self._nearest(queries[start : start + together], count, taken, selector)
            for start in range(0, len(queries), together)
        ]
        forms, scores = (np.concatenate(column) for column in zip(*batches, strict=True))
        is_row = forms >= 0
        cuts = np.where(is_row[:, -1], scores[:, -1], np.float32(np.inf))
        return Neighbours(np.nonzero(is_row)[0], forms[is_row].astype(np.int64), cuts, scores[is_row])

    def _nearest(self, queries: Fixed, count: int, taken: int, selector: Any) -> tuple[Rows, Floats]:
        """(N, count) rows and exact scores, falling, of the best among the `taken` rows with the best codes; −1 for none."""
        parts = [queries[start : start + _TOGETHER] for start in range(0, len(queries), _TOGETHER)]
        scanned = [without_repeats(*self._scanned(part, count, taken, selector)) for part in parts]
        rows, rough = (np.concatenate(column) for column in zip(*scanned, strict=True))
        scores = np.full(rough.shape, -np.inf, np.float32)
        known, sure = first_rows(rows, max(count, _FIRST)), int(_NEARLY_ALL * count)
        early = known
        if many := len(queries) > _FEW_TEXTS:
            # Prefetch of rows that will probably be compared: the file of vectors is read once instead of twice.
            last_wanted = score_after(rough, known, sure)
            early = known | (rows >= 0) & (rough >= (last_wanted - self._below)[:, None])
        self._compare(queries, rows, early, scores)
        cut = lowest_rough_score(scores, rough, known, sure, _DEVIATIONS)
        wanted = known | (rows >= 0) & (rough >= cut[:, None])
        self._compare(queries, rows, wanted & ~early, scores)
        if many:
            self._below = np.float32(
                np.median(np.subtract(last_wanted, cut, out=np.zeros_like(cut), where=cut > -np.inf))
            )
        return best_rows(rows, scores, wanted, count)

    def _compare(self, queries: Fixed, rows: Rows, selected: Mask, scores: Floats) -> None:
        """Set the exact scores of the selected rows."""
        text, place = np.nonzero(selected)
        pairs = Neighbours(text, rows[text, place].astype(np.int64), np.zeros(0, np.float32))
        scores[text, place] = self._vectors.scores(queries, pairs)

    def _scanned(self, queries: Fixed, count: int, taken: int, selector: Any) -> tuple[Ints, Floats]:
        """(N, taken) rows with the best codes, some twice, and their scores by code; −1 and −inf for none."""
        lists, along = self._chosen(queries, count)
        settings = faiss.SearchParametersIVF()
        settings.nprobe, settings.sel = lists.shape[1], selector
        texts = np.zeros((len(queries), self._index.d), np.float32)
        texts[:, : queries.shape[1]] = queries
        scores = np.empty((len(queries), taken), np.float32)
        rows = np.empty((len(queries), taken), np.int64)
        text, list_, distance, score, row = map(faiss.swig_ptr, (texts, lists, along, scores, rows))
        with faiss_threads(1):  # it would share a batch out among threads of its own
            self._index.search_preassigned_c(
                len(queries), text, taken, list_, distance, score, row, False, settings
            )
        if rows.max(initial=-1) >= len(self._vectors):
            raise DamagedError(f"{self._path / 'lists.bin'} is damaged: rows out of range.", self._rebuild)
        scores /= np.float32(ONE)
        scores[rows < 0] = -np.inf
        return rows, scores

    def _chosen(self, queries: Fixed, count: int) -> tuple[Ints, Floats]:
        """(N, L) the lists to scan, padded with −1, and the length of each text's component along their centres."""
        fewest, multiple = min(_FEWEST, self._entries), max(1.0, count / _USUAL)
        low, high = (max(fewest, share * self._entries) * multiple for share in (_LEAST, _MOST))
        is_large = _LEAST * self._entries > _FEWEST
        reach = _REACH_FOR_FEW if is_large and count <= _FEW_WANTED else _REACH
        batches = []
        for start in range(0, len(queries), _COMPARED):
            near = self._centres.near(queries[start : start + _COMPARED])
            lists = nearest_lists(near, self._sizes, reach=reach, least=low, most=high)
            # Padding gets the value of a real list: FAISS scales codes by the range of these lengths.
            real = np.where(lists < 0, lists[:, :1], lists)
            batches.append((lists, np.take_along_axis(near, real, axis=1) * self._factors[real]))
        if len(batches) == 1:
            return batches[0]
        width = max(lists.shape[1] for lists, _ in batches)
        missing = [((0, 0), (0, width - lists.shape[1])) for lists, _ in batches]
        return (
            np.concatenate(
                [
                    np.pad(lists, by, constant_values=-1)
                    for (lists, _), by in zip(batches, missing, strict=True)
                ]
            ),
            np.concatenate(
                [np.pad(along, by, mode="edge") for (_, along), by in zip(batches, missing, strict=True)]
            ),
        )

    def _opened(self, codes: Floats, count: int) -> tuple[Any, tuple[Any, ...]]:
        """FAISS's index over the `count` mapped lists, and the objects that must live as long."""
        book = open_book(codes)
        file = self._path / "lists.bin"
        sizes_fit = (
            len(self._sizes) == len(self._factors) == count
            and self._sizes.min() >= 0
            and self._sizes.max() <= len(self._vectors)
        )
        padded, starts, total = layout(self._sizes, bytes_per_code(book))
        if not sizes_fit or file.stat().st_size != total:
            raise DamagedError(f"{file} is damaged: it does not match lists.sizes.npy.", self._rebuild)
        lists = faiss.OnDiskInvertedLists()
        lists.nlist, lists.code_size = len(self._sizes), bytes_per_code(book)
        lists.filename, lists.totsize, lists.read_only = str(file), total, True
        lists.prefetch_nthread = 0
        entries = np.stack([self._sizes, padded, starts], axis=1).astype(np.uint64)
        table: Any = lists.lists
        table.resize(len(entries))
        faiss.memcpy(table.data(), faiss.swig_ptr(entries.view(np.uint8).ravel()), entries.nbytes)
        lists.do_mmap()
        coarse = faiss.IndexFlatIP(book.d)
        index = faiss.IndexIVFPQFastScan(
            coarse, book.d, len(self._sizes), book.M, 4, faiss.METRIC_INNER_PRODUCT, BLOCK
        )
        index.by_residual, index.pq, index.is_trained = True, book, True
        index.ntotal = self._entries
        index.implem = _LIST_BY_LIST
        index.replace_invlists(lists, False)
        return index, (lists, coarse, book)


def layout(sizes: Ints, code: int) -> tuple[Ints, Ints, int]:
    """(lists,) room for entries and (lists,) first byte of each list of `lists.bin`, and the bytes of the whole."""
    padded = -(-sizes // BLOCK) * BLOCK
    ends = np.cumsum(padded * (code + 8))
    return padded, ends - padded * (code + 8), int(ends[-1])
