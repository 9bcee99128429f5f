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

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from linnet.cores import cores
from linnet.errors import DamagedError
from linnet.retrieve.byte_vectors import ByteVectors
from linnet.retrieve.fixed_point import Fixed, Found
from linnet.retrieve.product_codes import BLOCK, bytes_per_code, open_book

__all__ = ["Lists", "layout"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Entries of lists that a text is compared with: this share of all, but not fewer than so many; for each multiple of this
# many rows that are wanted, as many again.
_SHARE, _FEWEST, _USUAL = 0.20, 1 << 15, 256
# With no more rows allowed, comparing them all beats finding them in the lists.
_FEW = 1 << 16
# Rows compared exactly for each that is wanted, counted before those found in both lists are united.
_COMPARED = 16
# FAISS's way of searching: text by text, candidates in a reservoir. A text's result then depends on nothing else.
_ONE_BY_ONE = 11


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
        selector = None
        if allowed is not None:
            bits = np.packbits(allowed, bitorder="little")
            selector = faiss.IDSelectorBitmap(len(allowed), faiss.swig_ptr(bits))
        # Whole numbers below 2⁵³: the same sums in whatever order they are added up.
        near = queries.astype(np.float64) @ self._centres.T
        local = threading.local()

        def search(row: int) -> tuple[Ints, np.float32]:
            if not hasattr(local, "settings"):
                local.settings = faiss.SearchParametersIVF()
                local.settings.sel = selector
            rows = self._scanned(queries[row], near[row], count, local.settings)
            scores = self._vectors.products(queries[row], rows)
            if len(rows) < count:
                return rows, np.float32(np.inf)
            best = np.lexsort((rows, -scores))[:count]
            return rows[best], scores[best[-1]]

        numbers = range(len(queries))
        if self._threads == 1 or len(queries) == 1:
            found = list(map(search, numbers))
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                found = list(pool.map(search, numbers))
        lengths = [len(rows) for rows, _ in found]
        cuts = np.array([cut for _, cut in found], dtype=np.float32)
        return Found(np.repeat(np.arange(len(found)), lengths), np.concatenate([r for r, _ in found]), cuts)

    def _scanned(self, query: Fixed, near: Floats, count: int, settings: Any) -> Ints:
        """Different rows, ascending: the best by their codes among the lists of the nearest centres."""
        wanted = _COMPARED * count
        budget = max(_FEWEST, _SHARE * self._sizes.sum()) * max(1.0, count / _USUAL)
        order = np.argsort(-near, kind="stable")
        probes = int(np.searchsorted(np.cumsum(self._sizes[order]), budget)) + 1
        chosen = np.sort(order[:probes])[None]
        settings.nprobe = chosen.shape[1]
        wanted = min(wanted, 2 * len(self._vectors))
        text = np.zeros((1, self._index.d), np.float32)
        text[0, : len(query)] = query
        far = np.zeros(chosen.shape, np.float32)
        scores, rows = np.empty((1, wanted), np.float32), np.empty((1, wanted), np.int64)
        pointers = [faiss.swig_ptr(array) for array in (text, chosen, far, scores, rows)]
        self._index.search_preassigned_c(
            1, pointers[0], wanted, pointers[1], pointers[2], pointers[3], pointers[4], False, settings
        )
        found = np.sort(rows[0])
        found = found[np.concatenate([found[:-1] != found[1:], [True]]) & (found >= 0)]
        if len(found) and found[-1] >= len(self._vectors):
            raise DamagedError(f"{self._path / 'lists.bin'} was altered. Run: {self._rebuild}")
        return found

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
        index.implem = _ONE_BY_ONE
        index.replace_invlists(lists, False)
        return index, (lists, coarse, book)


def layout(sizes: Ints, code: int) -> tuple[Ints, Ints, int]:
    """(lists,) room for entries and (lists,) first byte of each list of `lists.bin`, and the bytes of the whole."""
    padded = -(-sizes // BLOCK) * BLOCK
    ends = np.cumsum(padded * (code + 8))
    return padded, ends - padded * (code + 8), int(ends[-1])
