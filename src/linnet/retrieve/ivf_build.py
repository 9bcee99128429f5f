"""Writing the files of `ivf.py` from the vectors of all forms. The same vectors give the same files, byte for byte.

Centres and codes are trained on a sample, drawn anew for each content; nothing depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from linnet.encode import unit
from linnet.retrieve.blas import single_threaded_blas
from linnet.retrieve.fixed_point import Bytes, to_fixed_point
from linnet.retrieve.ivf import chunks, layout
from linnet.retrieve.kmeans import spherical_kmeans
from linnet.retrieve.product_codes import bytes_per_code, code_book, codes, open_book, packed

__all__ = ["write_lists"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]

# Lists for so many rows are the power of two nearest to 1.5 √rows: 4,096 for 7 million.
_PER_ROOT = 1.5
# Rows for each centre in the sample that centres are trained on, and rows that codes are.
_PER_CENTRE, _FOR_CODES = 64, 1 << 16
# SOAR's λ: how much more what points the same way as the first list's remainder counts. From the paper; 4 was no better.
_AGAINST = np.float32(1.5)
_TOGETHER, _CODED = 512, 1 << 16


def write_lists(
    path: Path,
    vectors: Bytes,
    factors: Floats,
    *,
    threads: int,
    advanced: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Ints:
    """Write the files of `ivf.py` to `path`; (F,) which form each row is.

    vectors, factors  (F, D) and (F,) the rows of all forms, as `to_bytes` makes them
    advanced          told what is done, how much of it, and of how much

    Holds 100 bytes a row, and what of the vectors the system can spare.
    """
    total = len(vectors)
    count = _lists_for(total)
    generator = np.random.default_rng(0)
    sample = np.sort(generator.permutation(total)[: max(_PER_CENTRE * count, _FOR_CODES)])
    points = vectors[sample] * factors[sample, None]
    directions = unit(points)
    known = directions[np.abs(directions).max(axis=1) > 0]
    if not len(known):
        known = np.ones((1, vectors.shape[1]), np.float32) / np.sqrt(vectors.shape[1], dtype=np.float32)
    count = min(count, len(known))
    advanced("finding centres", 0, 1)
    centres = to_fixed_point(spherical_kmeans(known, count, threads=threads))
    np.save(path / "centres.npy", centres)
    book = open_book(code_book(points[generator.permutation(len(points))[:_FOR_CODES]]))
    np.save(path / "book.npy", faiss.vector_to_array(book.centroids).reshape(book.M, -1, book.dsub))
    wide = unit(centres.astype(np.float32))
    owners = _assigned(vectors, wide, threads, lambda done: advanced("assigning to lists", done, total))
    order = np.argsort(owners[:, 0], kind="stable")
    np.save(path / "factors.npy", factors[order])
    _write_rows(path, vectors, order)
    _write_codes(path, book, owners[order], len(centres), lambda done: advanced("writing lists", done, total))
    return np.asarray(order)


def _lists_for(rows: int) -> int:
    return int(2 ** np.rint(np.log2(max(_PER_ROOT * np.sqrt(rows), 1))))


def _assigned(vectors: Bytes, centres: Floats, threads: int, advanced: Callable[[int], None]) -> Any:
    """(F, 2) the two lists of each row; one list where there is one only."""
    among = centres @ centres.T
    both = np.zeros((len(vectors), min(2, len(centres))), np.int32)

    def assign(part: slice) -> int:
        rows = unit(vectors[part].astype(np.float32))
        near = rows @ centres.T
        first = near.argmax(axis=1)
        both[part, 0] = first
        if both.shape[1] == 2:
            here = np.arange(len(rows))
            # What the first centre leaves over, r = row − centre, and how much of each centre lies along it.
            left = np.sqrt(np.maximum(2 - 2 * near[here, first], np.float32(1e-6)))
            along = (1 - near[here, first])[:, None] - near + among[first]
            along /= left[:, None]
            along *= along
            along *= _AGAINST
            along -= 2 * near
            along[here, first] = np.inf
            both[part, 1] = along.argmin(axis=1)
        return len(rows)

    done = 0
    with single_threaded_blas(), ThreadPoolExecutor(threads) as pool:
        for rows in pool.map(assign, chunks(len(vectors), _TOGETHER)):
            done += rows
            advanced(done)
    return both


def _write_rows(path: Path, vectors: Bytes, order: Ints) -> None:
    rows = np.lib.format.open_memmap(path / "vectors.npy", mode="w+", dtype=np.int8, shape=vectors.shape)
    for part in chunks(len(order), _CODED):
        rows[part] = vectors[order[part]]
    rows.flush()


def _write_codes(path: Path, book: Any, owners: Any, lists: int, advanced: Callable[[int], None]) -> None:
    """`lists.bin` and `lists.sizes.npy`, from the rows as they are written and the lists of each."""
    rows, factors = np.load(path / "vectors.npy", mmap_mode="r"), np.load(path / "factors.npy")
    all_codes = np.empty((len(rows), book.M), np.uint8)
    for part in chunks(len(rows), _CODED):
        all_codes[part] = codes(book, rows[part] * factors[part, None])
        advanced(part.stop)
    entries = np.argsort(owners.T.ravel(), kind="stable") % len(rows)
    sizes = np.bincount(owners.ravel(), minlength=lists)
    np.save(path / "lists.sizes.npy", sizes)
    padded, _, _ = layout(sizes, bytes_per_code(book))
    start = 0
    with (path / "lists.bin").open("wb") as stream:
        for size, room in zip(sizes.tolist(), padded.tolist(), strict=True):
            mine = entries[start : start + size]
            block = np.zeros((room, book.M), np.uint8)
            block[:size] = all_codes[mine]
            ids = np.zeros(room, np.int64)
            ids[:size] = mine
            if room:
                stream.write(packed(block).tobytes())
                stream.write(ids.tobytes())
            start += size
