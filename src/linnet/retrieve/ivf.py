"""Inverted lists over vectors: a text is compared with the lists whose centres are nearest to it, then with the best rows.

Each row lies in two lists: that of its nearest centre, and that of the centre which best explains what the first leaves
over, so that a name of two ideas is found by either (Sun et al. 2023, SOAR). Lists hold product codes of what their centre
leaves over; the rows that are best by those are compared exactly.

On disk, all memory-mapped and shared between processes:

    vectors.npy      (F, D) 16-bit (`fixed_point.py`), in the order of their first lists, and so are the forms
    centres.npy      (lists, D) bytes, see `centres.py`        book.npy  see `product_codes.py`
    lists.sizes.npy, lists.factors.npy  (lists,) entries of each list; what makes a centre the part that its rows have of it
    lists.bin        each list's codes, in blocks of 32, then its rows as 64-bit numbers
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from linnet.errors import DamagedError
from linnet.retrieve.centres import TextCentres, nearest_lists
from linnet.retrieve.faiss_threads import faiss_threads
from linnet.retrieve.fixed_point import ONE, Fixed, Found
from linnet.retrieve.mapped import mapped
from linnet.retrieve.product_codes import BLOCK, bytes_per_code, open_book
from linnet.retrieve.vector_file import VectorFile

__all__ = ["Lists", "layout"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Entries of lists that a text is compared with: these shares of all, but not fewer than so many; for each multiple of this
# many rows that are wanted, as many again.
_LEAST, _MOST, _FEWEST, _USUAL = 0.008, 0.08, 1 << 15, 256
# With no more rows allowed, comparing them all beats finding them in the lists.
_FEW = 1 << 16
# Entries taken from the lists for each row that is wanted, and at least.
_TAKEN, _FEWEST_TAKEN = 6, 1024
# The first so many rows, at least, are all compared exactly. They tell how far codes are off; of the others those are
# compared that, by their codes, lack no more than two standard deviations to be in this part of what is wanted.
_FIRST, _NEARLY_ALL, _DEVIATIONS = 128, 0.75, np.float32(2)
# FAISS's way of searching: list by list in ascending order, for all texts that look through it; candidates of a text in
# a reservoir of its own. What comes into it, and when, is the same whatever other texts there are.
_LIST_BY_LIST = 13
# Texts whose lists are looked through together: how near they are to all centres takes 64 kB each.
_TOGETHER = 1024


class Lists:
    """Finds most, not all, of the nearest rows. The same lists and text always give the same answer."""

    def __init__(self, path: Path, vectors: VectorFile, *, rebuild: str) -> None:
        """`path`: a directory written by `linnet.retrieve.ivf_build`. Raises DamagedError where files do not agree."""
        self._path, self._rebuild, self._vectors = path, rebuild, vectors
        self._sizes: Ints = mapped(path / "lists.sizes.npy", rebuild=rebuild)
        centres = mapped(path / "centres.npy", rebuild=rebuild)
        self._centres = TextCentres(centres)
        self._factors = mapped(path / "lists.factors.npy", rebuild=rebuild) * self._centres.step
        self._index, self._parts = self._opened(mapped(path / "book.npy", rebuild=rebuild), len(centres))

    def pays(self, allowed: int, total: int) -> bool:
        """Whether it beats comparing all that are allowed."""
        return allowed == total or allowed > _FEW

    def nearest(self, queries: Fixed, *, count: int, allowed: Mask | None = None) -> Found:
        """About the best `count` rows for each query, of which the first three quarters are nearly complete; fewer where
        there are no more. By the calling thread alone.

        allowed  (F,) which rows may be returned

        A cut is the score of the last row found, +inf where fewer were found.
        """
        selector = None
        if allowed is not None:
            bits = np.packbits(allowed, bitorder="little")
            selector = faiss.IDSelectorBitmap(len(allowed), faiss.swig_ptr(bits))
        each: list[tuple[Ints, Floats]] = []
        for start in range(0, len(queries), _TOGETHER):
            each += self._scanned(queries[start : start + _TOGETHER], count, selector)
        known, sure = max(count, _FIRST), int(_NEARLY_ALL * count)
        first = self._compared(queries, [rows[:known] for rows, _ in each])
        more = [
            rows[known:][scores[known:] >= _least(exact, scores[:known], sure)]
            for (rows, scores), exact in zip(each, first, strict=True)
        ]
        second = self._compared(queries, more)
        found = []
        for (rows, _), others, *exact in zip(each, more, first, second, strict=True):
            every, scores = np.concatenate([rows[:known], others]), np.concatenate(exact)
            order = np.argsort(every)
            best = order[_best(scores[order], count)]
            found.append((every[best], scores[best]))
        lengths = np.array([len(rows) for rows, _ in found])
        rows, scores = (np.concatenate(column) for column in zip(*found, strict=True))
        cuts = np.full(len(found), np.inf, np.float32)
        full = lengths == count
        cuts[full] = scores[(np.cumsum(lengths) - 1)[full]]
        return Found(np.repeat(np.arange(len(found)), lengths), rows, cuts, scores)

    def _compared(self, queries: Fixed, each: Sequence[Ints]) -> list[Floats]:
        """The exact scores of the rows of each query."""
        lengths = np.array([len(rows) for rows in each])
        found = Found(np.repeat(np.arange(len(each)), lengths), np.concatenate(each), np.zeros(0, np.float32))
        return np.split(self._vectors.scores(queries, found), np.cumsum(lengths)[:-1])

    def _scanned(self, queries: Fixed, count: int, selector: Any) -> Iterator[tuple[Ints, Floats]]:
        """For each query the rows that are best by their codes, falling, and their scores by them."""
        near = self._centres.near(queries)
        entries = int(self._sizes.sum())
        fewest, multiple = min(_FEWEST, entries), max(1.0, count / _USUAL)
        least, most = (max(fewest, share * entries) * multiple for share in (_LEAST, _MOST))
        lists = nearest_lists(near, self._sizes, least=least, most=most)
        taken = min(max(_TAKEN * count, _FEWEST_TAKEN), entries)
        settings = faiss.SearchParametersIVF()
        settings.nprobe, settings.sel = lists.shape[1], selector
        texts = np.zeros((len(queries), self._index.d), np.float32)
        texts[:, : queries.shape[1]] = queries
        # Where there is no list, one that there is: FAISS scales codes by the range of what is along centres.
        known = np.where(lists < 0, lists[:, :1], lists)
        along = np.take_along_axis(near, known, axis=1) * self._factors[known]
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
        for some, by_code in zip(rows, scores, strict=True):
            there = some >= 0
            yield _ordered(some[there], by_code[there])

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
        index.ntotal = int(self._sizes.sum())
        index.implem = _LIST_BY_LIST
        index.replace_invlists(lists, False)
        return index, (lists, coarse, book)


def _best(scores: Floats, count: int) -> Ints:
    """(count,) positions of the largest, falling, the first of equal ones first."""
    if len(scores) <= count:
        return np.argsort(-scores, kind="stable")
    some = np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[len(scores) - count])
    return some[np.argsort(-scores[some], kind="stable")][:count]


def _ordered(rows: Ints, scores: Floats) -> tuple[Ints, Floats]:
    """Each row once, with its larger score, falling."""
    order = np.argsort(-scores, kind="stable")
    # Sorted as whole numbers, row before place in the order: much faster than np.unique.
    bits = len(rows).bit_length()
    keys = np.sort((rows[order] << bits) + np.arange(len(rows)))
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = keys[1:] >> bits != keys[:-1] >> bits
    order = order[np.sort(keys[is_first] & ((1 << bits) - 1))]
    return rows[order], scores[order]


def _least(exact: Floats, by_code: Floats, count: int) -> np.float32:
    """The score by codes with which a row may yet be among the best `count`, from the scores of others."""
    if len(exact) <= count:
        return np.float32(-np.inf)
    off = exact - by_code
    return np.float32(-np.partition(-exact, count)[count] - off.mean() - _DEVIATIONS * off.std())


def layout(sizes: Ints, code: int) -> tuple[Ints, Ints, int]:
    """(lists,) room for entries and (lists,) first byte of each list of `lists.bin`, and the bytes of the whole."""
    padded = -(-sizes // BLOCK) * BLOCK
    ends = np.cumsum(padded * (code + 8))
    return padded, ends - padded * (code + 8), int(ends[-1])
