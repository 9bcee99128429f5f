"""Writing the files of `ivf.py` from the vectors of all forms. The same vectors give the same files, byte for byte.

Centres and codes are trained on a sample, drawn anew for each content; nothing depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from linnet.encode import unit
from linnet.retrieve.blas import single_threaded_blas
from linnet.retrieve.fixed_point import Bytes, to_fixed_point
from linnet.retrieve.ivf import layout
from linnet.retrieve.kmeans import spherical_kmeans
from linnet.retrieve.product_codes import bytes_per_code, code_book, codes, open_book, packed
from linnet.retrieve.work import Work, open_array

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
    work: Work,
    vectors: Bytes,
    factors: Floats,
    *,
    threads: int,
    advanced: Callable[[str, int, int], None],
) -> Ints:
    """Write the files of `ivf.py` to the index that `work` is on; (F,) which form each row is.

    vectors, factors  (F, D) and (F,) the rows of all forms, as `to_bytes` makes them
    advanced          told what is done, how much of it, and of how much

    Holds 130 bytes a row, and what of the vectors the system can spare. Goes on where a killed build was.
    """
    total, path = len(vectors), work.index
    if not work.done("centres"):
        advanced("finding centres", 0, 1)
        _train(path, vectors, factors, threads)
        work.record("centres", 1)
    centres = np.load(path / "centres.npy")
    owners = _assigned(work, vectors, unit(centres.astype(np.float32)), threads, advanced)
    order = np.argsort(owners[:, 0], kind="stable")
    np.save(path / "factors.npy", factors[order])
    _write_rows(path, vectors, order)
    book = open_book(np.load(path / "book.npy"))
    tell: Callable[[int], None] = lambda done: advanced("writing lists", done, total)  # noqa: E731
    _write_codes(path, book, owners[order], len(centres), tell)
    return np.asarray(order)


def _train(path: Path, vectors: Bytes, factors: Floats, threads: int) -> None:
    """`centres.npy` and `book.npy`, from a sample of the rows."""
    total = len(vectors)
    count = _lists_for(total)
    generator = np.random.default_rng(0)
    sample = np.sort(generator.permutation(total)[: max(_PER_CENTRE * count, _FOR_CODES)])
    points = vectors[sample] * factors[sample, None]
    known = unit(points[np.abs(points).max(axis=1) > 0])
    if not len(known):
        known = np.ones((1, vectors.shape[1]), np.float32) / np.sqrt(vectors.shape[1], dtype=np.float32)
    centres = spherical_kmeans(known, min(count, len(known)), threads=threads)
    np.save(path / "centres.npy", to_fixed_point(centres))
    np.save(path / "book.npy", code_book(points[generator.permutation(len(points))[:_FOR_CODES]]))


def _lists_for(rows: int) -> int:
    return int(2 ** np.rint(np.log2(max(_PER_ROOT * np.sqrt(rows), 1))))


def _assigned(
    work: Work, vectors: Bytes, centres: Floats, threads: int, advanced: Callable[[str, int, int], None]
) -> Any:
    """(F, 2) the two lists of each row; one list where there is one only."""
    total, done = len(vectors), work.done("lists")
    among = centres @ centres.T
    both = open_array(work.path / "owners.npy", np.int32, (total, min(2, len(centres))), keep=done > 0)

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

    parts = [slice(start, min(start + _TOGETHER, total)) for start in range(done, total, _TOGETHER)]
    with single_threaded_blas(), ThreadPoolExecutor(threads) as pool:
        for rows in pool.map(assign, parts):
            done += rows
            if done == total or work.due():
                both.flush()
                work.record("lists", done)
            advanced("assigning to lists", done, total)
    return both


def _write_rows(path: Path, vectors: Bytes, order: Ints) -> None:
    rows = open_array(path / "vectors.npy", np.int8, vectors.shape)
    for start in range(0, len(order), _CODED):
        part = slice(start, start + _CODED)
        rows[part] = vectors[order[part]]
    rows.flush()


def _write_codes(path: Path, book: Any, owners: Any, lists: int, advanced: Callable[[int], None]) -> None:
    """`lists.bin` and `lists.sizes.npy`, from the rows as they are written and the lists of each."""
    rows, factors = np.load(path / "vectors.npy", mmap_mode="r"), np.load(path / "factors.npy")
    all_codes = np.empty((len(rows), book.M), np.uint8)
    for start in range(0, len(rows), _CODED):
        part = slice(start, min(start + _CODED, len(rows)))
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
