"""Inverted lists over vectors: a text is compared with the lists whose centres are nearest to it, then with the best rows.

Each row lies in two lists: that of its nearest centre, and that of the centre which best explains what the first leaves
over, so that a name of two ideas is found by either (Sun et al. 2023, SOAR). Lists hold product codes of what their centre
leaves over; the rows that are best by those are compared exactly.

On disk, all memory-mapped and shared between processes:

    vectors.npy      (F, D) 16-bit (`fixed_point.py`), in the order of their first lists, and so are the forms
    centres.npy      (lists, D) bytes, see `centroids.py`        book.npy  see `product_codes.py`
    lists.sizes.npy, lists.factors.npy  (lists,) entries of each list; what makes a centre the part that its rows have of it
    lists.bin        each list's codes, in blocks of 32, then its rows as 64-bit numbers
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np

from linnet.arrays import Fixed, Floats, Ints, Mask, Rows
from linnet.errors import DamagedError
from linnet.retrieve.centroids import TextCentres, nearest_lists
from linnet.retrieve.faiss_threads import faiss_threads
from linnet.retrieve.fixed_point import ONE, Neighbours
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.product_codes import BLOCK, bytes_per_code, open_book
from linnet.retrieve.shortlist import after, best, first, least, once
from linnet.retrieve.vector_file import VectorFile

__all__ = ["Lists", "layout"]

# Entries of lists that a text is compared with: these shares of all, but not fewer than so many; for each multiple of this
# many rows that are wanted, as many again.
_LEAST, _MOST, _FEWEST, _USUAL = 0.008, 0.08, 1 << 15, 256
# With no more rows allowed, comparing them all beats finding them in the lists.
_FEW = 1 << 16
# Entries taken from the lists for each row that is wanted, and at least.
_TAKEN, _FEWEST_TAKEN = 6, 1024
# The first so many rows, at least, are all compared exactly. They tell how far codes are off; of the others those are
# compared that, by their codes, lack no more than two standard deviations to be in this part of what is wanted.
_FIRST, _NEARLY_ALL, _DEVIATIONS = 128, 0.75, 2.0
# FAISS's way of searching: list by list in ascending order, for all texts that look through it; candidates of a text in
# a reservoir of its own. What comes into it, and when, is the same whatever other texts there are.
_LIST_BY_LIST = 13
# Texts whose lists are looked through together, and texts that are compared with all centres together: the result, 64 kB for
# each, stays in the cache.
_TOGETHER, _COMPARED = 1024, 128
# Numbers held of each kind at a time: bounds the texts whose rows are compared together.
_CELLS = 1 << 21
# With more texts than that most parts of the file of vectors are looked at.
_FEW_TEXTS = 64


class Lists:
    """Finds most, not all, of the nearest rows. The same lists and text always give the same answer."""

    def __init__(self, path: Path, vectors: VectorFile, *, rebuild: str) -> None:
        """`path`: a directory written by `linnet.retrieve.ivf_build`. Raises DamagedError where files do not agree."""
        self._path, self._rebuild, self._vectors = path, rebuild, vectors
        self._sizes: Ints = map_array(path / "lists.sizes.npy", rebuild=rebuild)
        self._entries = int(self._sizes.sum())
        centres = map_array(path / "centres.npy", rebuild=rebuild)
        self._centres = TextCentres(centres)
        self._factors = map_array(path / "lists.factors.npy", rebuild=rebuild) * self._centres.step
        # How far below the rough score of the last of what is wanted others were compared, at last: it saves time, and has
        # no influence on what is found.
        self._below = np.float32(0)
        self._index, self._parts = self._opened(map_array(path / "book.npy", rebuild=rebuild), len(centres))

    def pays(self, allowed: int, total: int) -> bool:
        """Whether it beats comparing all that are allowed."""
        return allowed == total or allowed > _FEW

    def nearest(self, queries: Fixed, *, count: int, allowed: Mask | None = None) -> Neighbours:
        """About the best `count` rows for each query, of which the first three quarters are nearly complete; fewer where
        there are no more. By the calling thread alone.

        allowed  (F,) which rows may be returned

        A cut is the score of the last row found, +inf where fewer were found.
        """
        selector = None
        if allowed is not None:
            bits = np.packbits(allowed, bitorder="little")
            selector = faiss.IDSelectorBitmap(len(allowed), faiss.swig_ptr(bits))
        taken = min(max(_TAKEN * count, _FEWEST_TAKEN), self._entries)
        together = max(1, _CELLS // taken)
        each = [
            self._nearest(queries[start : start + together], count, taken, selector)
            for start in range(0, len(queries), together)
        ]
        forms, scores = (np.concatenate(column) for column in zip(*each, strict=True))
        there = forms >= 0
        cuts = np.where(there[:, -1], scores[:, -1], np.float32(np.inf))
        return Neighbours(np.nonzero(there)[0], forms[there].astype(np.int64), cuts, scores[there])

    def _nearest(self, queries: Fixed, count: int, taken: int, selector: Any) -> tuple[Rows, Floats]:
        """(N, count) rows and exact scores, falling, of the best among the `taken` that are best by their codes; −1 for none."""
        parts = [queries[start : start + _TOGETHER] for start in range(0, len(queries), _TOGETHER)]
        each = [once(*self._scanned(part, count, taken, selector)) for part in parts]
        rows, codes = (np.concatenate(column) for column in zip(*each, strict=True))
        scores = np.full(codes.shape, -np.inf, np.float32)
        known, sure = first(rows, max(count, _FIRST)), int(_NEARLY_ALL * count)
        early = known
        if many := len(queries) > _FEW_TEXTS:
            # What will be compared besides is foreseen, so that the file of vectors is gone through once instead of twice.
            usual = after(codes, known, sure)
            early = known | (rows >= 0) & (codes >= (usual - self._below)[:, None])
        self._compare(queries, rows, early, scores)
        cut = least(scores, codes, known, sure, _DEVIATIONS)
        wanted = known | (rows >= 0) & (codes >= cut[:, None])
        self._compare(queries, rows, wanted & ~early, scores)
        if many:
            self._below = np.float32(
                np.median(np.subtract(usual, cut, out=np.zeros_like(cut), where=cut > -np.inf))
            )
        return best(rows, scores, wanted, count)

    def _compare(self, queries: Fixed, rows: Rows, which: Mask, scores: Floats) -> None:
        """Set the exact scores of these rows."""
        text, place = np.nonzero(which)
        pairs = Neighbours(text, rows[text, place].astype(np.int64), np.zeros(0, np.float32))
        scores[text, place] = self._vectors.scores(queries, pairs)

    def _scanned(self, queries: Fixed, count: int, taken: int, selector: Any) -> tuple[Ints, Floats]:
        """(N, taken) rows that are best by their codes, some twice, and their scores by them; −1 and −inf for none."""
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
            raise DamagedError(f"{self._path / 'lists.bin'} was altered. Run: {self._rebuild}")
        scores /= np.float32(ONE)
        scores[rows < 0] = -np.inf
        return rows, scores

    def _chosen(self, queries: Fixed, count: int) -> tuple[Ints, Floats]:
        """(N, some) the lists to search, −1 where there are no more, and how far each text is along their centres."""
        fewest, multiple = min(_FEWEST, self._entries), max(1.0, count / _USUAL)
        low, high = (max(fewest, share * self._entries) * multiple for share in (_LEAST, _MOST))
        each = []
        for start in range(0, len(queries), _COMPARED):
            near = self._centres.near(queries[start : start + _COMPARED])
            lists = nearest_lists(near, self._sizes, least=low, most=high)
            # Where there is no list, one that there is: FAISS scales codes by the range of what is along centres.
            known = np.where(lists < 0, lists[:, :1], lists)
            each.append((lists, np.take_along_axis(near, known, axis=1) * self._factors[known]))
        if len(each) == 1:
            return each[0]
        width = max(lists.shape[1] for lists, _ in each)
        missing = [((0, 0), (0, width - lists.shape[1])) for lists, _ in each]
        return (
            np.concatenate(
                [np.pad(lists, by, constant_values=-1) for (lists, _), by in zip(each, missing, strict=True)]
            ),
            np.concatenate(
                [np.pad(along, by, mode="edge") for (_, along), by in zip(each, missing, strict=True)]
            ),
        )

    def _opened(self, codes: Floats, count: int) -> tuple[Any, tuple[Any, ...]]:
        """FAISS's index over the `count` mapped lists, and what must live as long as it does."""
        book = open_book(codes)
        file = self._path / "lists.bin"
        sound = (
            len(self._sizes) == len(self._factors) == count
            and self._sizes.min() >= 0
            and self._sizes.max() <= len(self._vectors)
        )
        padded, starts, total = layout(self._sizes, bytes_per_code(book))
        if not sound or file.stat().st_size != total:
            raise DamagedError(f"{file} does not fit its lists. Run: {self._rebuild}")
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
