"""Inverted lists over vectors: a text is compared with the lists whose centres are nearest to it, then with the best rows.

Each row lies in two lists: that of its nearest centre, and that of the centre which best explains what the first leaves
over, so that a name of two ideas is found by either (Sun et al. 2023, SOAR, λ = 1.5). Lists hold product codes; their best rows
are compared exactly.

On disk, all memory-mapped and shared between processes:

    vectors.npy, factors.npy  (F, D) rows as bytes (`byte_vectors.py`), in the order of their first lists, and so are the forms
    centres.npy               (lists, D) 16-bit        book.npy  see `product_codes.py`
    lists.sizes.npy           (lists,) entries of each list
    lists.bin                 each list's codes, in blocks of 32, then its rows as 64-bit numbers
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from linnet.cores import cores
from linnet.errors import DamagedError
from linnet.retrieve.blas import single_threaded_blas
from linnet.retrieve.byte_vectors import ByteVectors
from linnet.retrieve.fixed_point import Fixed, Found
from linnet.retrieve.parts import equal_parts
from linnet.retrieve.product_codes import BLOCK, bytes_per_code, open_book

__all__ = ["Lists", "layout"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Entries of lists that a text is compared with: this share of all, but not fewer than so many; for each multiple of this
# many rows that are wanted, as many again.
_SHARE, _FEWEST, _USUAL = 0.30, 1 << 15, 256
# With no more rows allowed, comparing them all beats finding them in the lists.
_FEW = 1 << 16
# Rows compared exactly for each that is wanted, and at least, counted before those found in both lists are united.
_COMPARED, _FEWEST_COMPARED = 12, 1024
# FAISS's way of searching: list by list in ascending order, for all texts that look through it; candidates of a text in
# a reservoir of its own. What comes into it, and when, is the same whatever other texts there are.
_LIST_BY_LIST = 13
# Texts searched together by a thread.
_TOGETHER = 256


class Lists:
    """Finds most, not all, of the nearest rows. The same lists and text always give the same answer."""

    def __init__(self, path: Path, vectors: ByteVectors, *, rebuild: str, threads: int | None = None) -> None:
        """`path`: a directory written by `linnet.retrieve.ivf_build`. Raises DamagedError where files do not agree."""
        self._path, self._rebuild = path, rebuild
        self._vectors, self._threads = vectors, threads or cores()
        self._sizes: Ints = np.load(path / "lists.sizes.npy")
        self._centres = np.load(path / "centres.npy").astype(np.float64)
        self._index, self._parts = self._opened(np.load(path / "book.npy"))

    def pays(self, allowed: int, total: int) -> bool:
        """Whether it beats comparing all that are allowed."""
        return allowed == total or allowed > _FEW

    def nearest(self, queries: Fixed, *, count: int, allowed: Mask | None = None) -> Found:
        """The best `count` rows that the lists hold for each query; fewer where they have no more.

        allowed  (F,) which rows may be returned

        A cut is the score of the last row found, +inf where fewer were found.
        """
        wanted = min(max(_COMPARED * count, _FEWEST_COMPARED), 2 * len(self._vectors))
        selector = None
        if allowed is not None:
            bits = np.packbits(allowed, bitorder="little")
            selector = faiss.IDSelectorBitmap(len(allowed), faiss.swig_ptr(bits))

        def search(part: slice) -> list[tuple[Ints, Floats]]:
            # Whole numbers below 2⁵³: the same sums in whatever order they are added up.
            lists = self._chosen(queries[part].astype(np.float64) @ self._centres.T, count)
            each = [_distinct(rows) for rows in self._scanned(queries[part], lists, wanted, selector)]
            # Rows of all texts are read at once, in the order in which they lie.
            every = each[0] if len(each) == 1 else _distinct(np.concatenate(each))
            vectors = self._vectors.read(every)
            found = []
            for query, rows in zip(queries[part], each, strict=True):
                scores = self._vectors.products(query, rows, vectors[np.searchsorted(every, rows)])
                best = np.argsort(-scores, kind="stable")[:count]
                found.append((rows[best], scores[best]))
            return found

        parts = equal_parts(len(queries), most=_TOGETHER, threads=self._threads)
        with single_threaded_blas():
            if self._threads == 1 or len(parts) == 1:
                each = list(map(search, parts))
            else:
                with ThreadPoolExecutor(self._threads) as pool:
                    each = list(pool.map(search, parts))
        found = [one for part in each for one in part]
        lengths = np.array([len(rows) for rows, _ in found])
        rows, scores = (np.concatenate(column) for column in zip(*found, strict=True))
        cuts = np.where(lengths < count, np.float32(np.inf), scores[np.cumsum(lengths) - 1])
        return Found(np.repeat(np.arange(len(found)), lengths), rows, cuts, scores)

    def _chosen(self, near: Floats, count: int) -> Ints:
        """(N, most) lists to look through for each query, ascending, −1 where there are no more."""
        share = max(_FEWEST, _SHARE * self._sizes.sum()) * max(1.0, count / _USUAL)
        order = np.argsort(-near, axis=1, kind="stable")
        filled = np.cumsum(self._sizes[order], axis=1)
        enough = np.zeros(order.shape, dtype=bool)
        enough[:, 1:] = filled[:, :-1] >= share
        order[enough] = len(self._sizes)
        order.sort(axis=1)
        order = order[:, : int((~enough).sum(axis=1).max())]
        order[order == len(self._sizes)] = -1
        return np.ascontiguousarray(order)

    def _scanned(self, queries: Fixed, lists: Ints, wanted: int, selector: Any) -> Ints:
        """(N, wanted) the best rows by their codes, some twice, −1 where the lists hold no more."""
        settings = faiss.SearchParametersIVF()
        settings.nprobe, settings.sel = lists.shape[1], selector
        texts = np.zeros((len(queries), self._index.d), np.float32)
        texts[:, : queries.shape[1]] = queries
        far = np.zeros(lists.shape, np.float32)
        scores = np.empty((len(queries), wanted), np.float32)
        rows = np.empty((len(queries), wanted), np.int64)
        text, list_, distance, score, row = map(faiss.swig_ptr, (texts, lists, far, scores, rows))
        # FAISS would share a batch out among threads of its own.
        before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)
        try:
            self._index.search_preassigned_c(
                len(queries), text, wanted, list_, distance, score, row, False, settings
            )
        finally:
            faiss.omp_set_num_threads(before)
        if rows.max(initial=-1) >= len(self._vectors):
            raise DamagedError(f"{self._path / 'lists.bin'} was altered. Run: {self._rebuild}")
        return rows

    def _opened(self, centres: Floats) -> tuple[Any, tuple[Any, ...]]:
        """FAISS's index over the mapped lists, and what must live as long as it does."""
        book = open_book(centres)
        file = self._path / "lists.bin"
        padded, starts, total = layout(self._sizes, bytes_per_code(book))
        if file.stat().st_size != total or len(self._sizes) != len(self._centres):
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
        index.by_residual, index.pq, index.is_trained = False, book, True
        index.ntotal = int(self._sizes.sum())
        index.implem = _LIST_BY_LIST
        index.replace_invlists(lists, False)
        return index, (lists, coarse, book)


def _distinct(rows: Ints) -> Ints:
    """Each row once, ascending; −1 is none."""
    rows = np.sort(rows)
    return np.asarray(rows[np.concatenate([rows[:-1] != rows[1:], [True]]) & (rows >= 0)])


def layout(sizes: Ints, code: int) -> tuple[Ints, Ints, int]:
    """(lists,) room for entries and (lists,) first byte of each list of `lists.bin`, and the bytes of the whole."""
    padded = -(-sizes // BLOCK) * BLOCK
    ends = np.cumsum(padded * (code + 8))
    return padded, ends - padded * (code + 8), int(ends[-1])
