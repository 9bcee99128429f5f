"""Writing the files of `ivf.py` from the vectors of all forms. The same vectors give the same files, byte for byte.

Centres and codes are trained on a sample that depends only on the number of vectors. The number of threads changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from linnet.arrays import Fixed, Floats, Ints
from linnet.encode import unit
from linnet.retrieve.build_checkpoint import BuildCheckpoint, open_array
from linnet.retrieve.centroids import NearCentres, centres_as_bytes
from linnet.retrieve.fixed_point import ONE
from linnet.retrieve.kmeans import spherical_kmeans
from linnet.retrieve.memory_map import refresh_page_cache
from linnet.retrieve.product_codes import BLOCK, code_book, codes, open_book, packed
from linnet.system.blas import single_threaded_blas

__all__ = ["write_lists"]

# The number of lists is the power of two nearest to 6 √rows, 16,384 for 7 million, and no more: the products of all pairs of
# centres are held in memory.
_PER_ROOT, _MOST = 6, 1 << 14
# Rows in the sample: for each centre, and for training the codes.
_PER_CENTRE, _FOR_CODES = 32, 1 << 16
# SOAR's λ: extra weight of a remainder's component along the first list's remainder. 1.5 and 10 find fewer rows.
_AGAINST = np.float32(3)
# The second list is chosen among so many nearest ones.
_AMONG = 64
# Entries of a list at least, with millions of rows; lists that are coded together.
_PER_LIST, _LISTS = 512, 1 << 8
_TOGETHER, _CODED = 512, 1 << 16


def write_lists(
    work: BuildCheckpoint, vectors: Fixed, *, threads: int, advanced: Callable[[str, int, int], None]
) -> Ints:
    """Write the files of `ivf.py` to the index of `work`; returns (F,) the form of each row.

    vectors   (F, D) the rows of all forms, as `to_fixed_point` makes them
    advanced  called with the current step, how much of it is done, and of how much

    Holds 130 bytes a row, half a gigabyte for centres, and as much of the vectors as the system can spare. Continues where
    a killed build stopped.
    """
    total, path = len(vectors), work.index
    if not work.done("centres"):
        advanced("finding centres", 0, 1)
        _train(path, vectors, threads)
        work.record("centres", 1)
    centres = np.load(path / "centres.npy").astype(np.float32)
    owners = _assigned(work, vectors, unit(centres), threads, advanced)
    order = np.argsort(owners[:, 0], kind="stable")
    _write_rows(path, vectors, order)
    tell: Callable[[int], None] = lambda done: advanced("writing lists", done, total)  # noqa: E731
    _write_codes(path, centres, owners[order], threads, tell)
    for name in ("lists.bin", "vectors.npy"):
        refresh_page_cache(path / name)
    return np.asarray(order)


def _train(path: Path, vectors: Fixed, threads: int) -> None:
    """`centres.npy`, from a sample of the rows."""
    total = len(vectors)
    count = _lists_for(total)
    generator = np.random.default_rng(0)
    sample = np.sort(generator.permutation(total)[: max(_PER_CENTRE * count, _FOR_CODES)])
    points = _floats(vectors[sample])
    directions = unit(points[np.abs(points).max(axis=1) > 0])
    if not len(directions):
        directions = np.ones((1, vectors.shape[1]), np.float32) / np.sqrt(vectors.shape[1], dtype=np.float32)
    centres = spherical_kmeans(directions, min(count, len(directions)), threads=threads)
    np.save(path / "centres.npy", centres_as_bytes(centres))


def _floats(rows: Fixed) -> Floats:
    return np.divide(rows, ONE, dtype=np.float32)


def _lists_for(rows: int) -> int:
    return min(int(2 ** np.rint(np.log2(max(_PER_ROOT * np.sqrt(rows), 1)))), _MOST)


def _assigned(
    work: BuildCheckpoint,
    vectors: Fixed,
    centres: Floats,
    threads: int,
    advanced: Callable[[str, int, int], None],
) -> Any:
    """(F, 2) the two lists of each row; (F, 1) if there is only one list."""
    total, done = len(vectors), work.done("lists")
    both = open_array(work.path / "owners.npy", np.int32, (total, min(2, len(centres))), keep=done > 0)
    near_centres = NearCentres(centres, threads=threads)
    common = np.empty((len(centres), len(centres)), np.float16)
    for start in range(0, len(centres), _TOGETHER):
        common[start : start + _TOGETHER] = centres[start : start + _TOGETHER] @ centres.T

    def assign(part: slice) -> int:
        rows = unit(vectors[part].astype(np.float32))
        near, lists = near_centres.nearest(rows, min(_AMONG, len(centres)))
        first = near[:, :1]
        both[part, 0] = lists[:, 0]
        if both.shape[1] == 2:
            # The remainder of the first centre, r = row − centre, and the component of each centre along it.
            along = 1 - first - near + common[lists[:, :1], lists]
            along /= np.sqrt(np.maximum(2 - 2 * first, np.float32(1e-6)))
            cost = _AGAINST * along**2 - 2 * near
            cost[lists < 0] = np.inf
            cost[:, 0] = np.inf
            both[part, 1] = np.take_along_axis(lists, cost.argmin(axis=1)[:, None], axis=1)[:, 0]
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


def _write_rows(path: Path, vectors: Fixed, order: Ints) -> None:
    rows = open_array(path / "vectors.npy", np.int16, vectors.shape)
    for start in range(0, len(order), _CODED):
        part = slice(start, start + _CODED)
        rows[part] = vectors[order[part]]
    rows.flush()


def _write_codes(
    path: Path, centres: Floats, owners: Any, threads: int, advanced: Callable[[int], None]
) -> None:
    """`book.npy`, `lists.bin`, `lists.sizes.npy` and `lists.factors.npy`, from `vectors.npy` and the lists of its rows."""
    rows, lists = np.load(path / "vectors.npy", mmap_mode="r"), len(centres)
    lengths, units = np.linalg.norm(centres, axis=1), unit(centres)
    entries = np.argsort(owners.T.ravel(), kind="stable") % len(rows)
    sizes = np.bincount(owners.ravel(), minlength=lists)
    starts = np.cumsum(sizes) - sizes

    def remainders(number: int) -> tuple[Ints, np.float32, Floats]:
        """Rows of a list, the mean length of their components along its centre, and their remainders."""
        members = entries[starts[number] : starts[number] + sizes[number]]
        points = _floats(rows[members])
        mean = np.float32((points @ units[number]).mean()) if len(members) else np.float32(0)
        return members, mean, points - mean * units[number]

    step = max(1, lists * _PER_LIST // _FOR_CODES)
    sample = np.concatenate([remainders(number)[2] for number in range(0, lists, step)])
    np.save(
        path / "book.npy", code_book(sample[np.random.default_rng(0).permutation(len(sample))[:_FOR_CODES]])
    )
    book = open_book(np.load(path / "book.npy"))

    def written(number: int) -> tuple[np.float32, bytes]:
        members, mean, points = remainders(number)
        room = -(-len(members) // BLOCK) * BLOCK
        block, ids = np.zeros((room, book.M), np.uint8), np.zeros(room, np.int64)
        if room:
            block[: len(members)] = codes(book, points)
            ids[: len(members)] = members
        return mean, packed(block).tobytes() + ids.tobytes()

    factors = np.zeros(lists, np.float32)
    with (
        single_threaded_blas(),
        ThreadPoolExecutor(threads) as pool,
        (path / "lists.bin").open("wb") as stream,
    ):
        for start in range(0, lists, _LISTS):
            part = range(start, min(start + _LISTS, lists))
            for number, (mean, content) in zip(part, pool.map(written, part), strict=True):
                factors[number] = mean / lengths[number]
                stream.write(content)
            advanced(int(sizes[: part.stop].sum()) // owners.shape[1])
    np.save(path / "lists.sizes.npy", sizes)
    np.save(path / "lists.factors.npy", factors)
