"""The best entries of each row of a sparse score matrix, chosen so that they cover enough concepts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

__all__ = ["TIE", "strongest"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Rows = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Scores nearer than this may round to the same 1e-5 in ranking, where another rule breaks the tie.
TIE = np.float32(2e-5)
# Bits of a packed sort key left for the position of an entry.
_POSITION = 26


def strongest(
    scores: csr_array, concepts: Rows, *, count: int, each: int | None = None, few: int = 0
) -> tuple[Ints, Rows, Floats]:
    """The entries of each row's `count` best concepts, a concept being as good as its best column.

    scores    (N, columns) all above 0         concepts  (columns,) the concept of each column
    count     concepts per row; those as good as the last of them come too
    each      keep only so many of a concept's best columns; None for all
    few       rows with no more entries than this keep them all

    returns   row, column and score of the chosen entries, by row. Fewer concepts where a row has no more.
    """
    rows, columns, values = [], [], []
    pending = np.flatnonzero(np.diff(scores.indptr))
    width = max(4 * count, few)
    while len(pending):
        at, sizes, cut = _top(scores, pending, width)
        row = np.repeat(np.arange(len(pending)), sizes)
        column, value = scores.indices[at], scores.data[at]
        kept, found = _best_concepts(row, value, concepts[column], len(pending), count, each)
        done = ~cut | (found >= count)
        if few:
            whole = np.diff(scores.indptr)[pending] <= few
            kept = np.sort(np.union1d(kept, np.flatnonzero(whole[row])))
        kept = kept[done[row[kept]]]
        rows.append(pending[row[kept]])
        columns.append(column[kept])
        values.append(value[kept])
        pending, width = pending[~done], 4 * width
    if not rows:
        return np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
    order = np.argsort(np.concatenate(rows), kind="stable")
    return np.concatenate(rows)[order], np.concatenate(columns)[order], np.concatenate(values)[order]


def _top(scores: csr_array, rows: Ints, width: int) -> tuple[Ints, Ints, Mask]:
    """Positions of the `width` largest entries of each row and those tied with the last, how many, and if any is left."""
    found, cut = [], np.zeros(len(rows), dtype=bool)
    for i, row in enumerate(rows):
        start, stop = scores.indptr[row], scores.indptr[row + 1]
        if stop - start <= width:
            found.append(np.arange(start, stop))
            continue
        values = scores.data[start:stop]
        last = np.partition(values, len(values) - width)[len(values) - width]
        at = np.flatnonzero(values >= last - TIE)
        cut[i] = len(at) < len(values)
        found.append(start + at)
    return np.concatenate(found), np.fromiter(map(len, found), np.int64, len(found)), cut


def _best_concepts(
    row: Ints, value: Floats, concept: Rows, rows: int, count: int, each: int | None
) -> tuple[Ints, Ints]:
    """Positions of the entries to keep, by row, and the number of concepts each row has."""
    total = len(row)
    # Best first within each row. Positive floats sort as their bits do; the position makes a key unique.
    worth = np.uint64(0x7FFFFFFF) - value.view(np.uint32).astype(np.uint64)
    key = (
        (row.astype(np.uint64) << np.uint64(57))
        | (worth << np.uint64(_POSITION))
        | np.arange(total, dtype=np.uint64)
    )
    key.sort()
    order = (key & np.uint64((1 << _POSITION) - 1)).astype(np.int64)
    row, value, concept = row[order], value[order], concept[order]
    # Then the same entries concept by concept, still best first.
    runs = (row * (int(concept.max()) + 1) + concept) << _POSITION | np.arange(total)
    runs.sort()
    place = runs & ((1 << _POSITION) - 1)
    runs >>= _POSITION
    new = np.ones(total, dtype=bool)
    np.not_equal(runs[1:], runs[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    length = np.diff(starts, append=total)
    best = place[starts]
    first = np.zeros(total, dtype=bool)
    first[best] = True
    seen = np.cumsum(first)
    begin = np.searchsorted(row, np.arange(rows))
    found = np.bincount(row[best], minlength=rows)
    standing = seen - (seen[begin] - 1)[row]  # 1 for the best concept of a row, at its first entry
    last = np.full(rows, -np.inf, np.float32)
    ends = best[standing[best] == count]
    last[row[ends]] = value[ends]
    good = np.repeat((standing[best] <= count) | (value[best] >= last[row[best]] - TIE), length)
    if each is not None:
        good &= np.arange(total) - np.repeat(starts, length) < each
    kept = np.sort(place[good])
    return order[kept], found
