"""The best entries of each row of a sparse score matrix, chosen so that they cover enough concepts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

__all__ = ["strongest"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Rows = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Scores nearer than this may round to the same 1e-5 in ranking, where another rule breaks the tie.
_TIE = np.float32(2e-5)
# Rows taken at a time and bits for the position of an entry among theirs: a sort key is row, 31 bits of score, position.
_ROWS = 128
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
    sizes = np.diff(scores.indptr)
    chosen = [np.zeros(0, np.int64)]
    for start in range(0, len(sizes), _ROWS):
        pending = start + np.flatnonzero(sizes[start : start + _ROWS])
        width = max(4 * count, few)
        while len(pending):
            at, lengths, cut = _top(scores, pending, width)
            row = np.repeat(np.arange(len(pending)), lengths)
            kept, found = _best_concepts(
                row, scores.data[at], concepts[scores.indices[at]], count, each, sizes[pending] <= few
            )
            done = ~cut | (found >= count)
            chosen.append(at[kept & done[row]])
            pending, width = pending[~done], 4 * width
    entries = np.concatenate(chosen)
    entries.sort()
    rows = np.repeat(np.arange(len(sizes)), np.diff(np.searchsorted(entries, scores.indptr)))
    return rows, scores.indices[entries], scores.data[entries]


def _top(scores: csr_array, rows: Ints, width: int) -> tuple[Ints, Ints, Mask]:
    """Entries: the `width` largest of each row and those tied with the last; how many; and whether any was left out."""
    starts, stops = scores.indptr[rows].tolist(), scores.indptr[rows + 1].tolist()
    data, found = scores.data, []
    for start, stop in zip(starts, stops, strict=True):
        if stop - start <= width:
            found.append(np.arange(start, stop))
            continue
        values = data[start:stop]
        ranked = values.copy()
        ranked.partition(len(ranked) - width)
        (at,) = (values >= ranked[len(ranked) - width] - _TIE).nonzero()
        at += start
        found.append(at)
    lengths = np.fromiter(map(len, found), np.int64, len(found))
    return np.concatenate(found), lengths, lengths < np.subtract(stops, starts)


def _best_concepts(
    row: Ints, value: Floats, concept: Rows, count: int, each: int | None, whole: Mask
) -> tuple[Mask, Ints]:
    """Which entries, given row by row, to keep; and the number of concepts each row has."""
    total, rows = len(row), len(whole)
    # Best first within each row. Positive floats sort as their bits do; the position makes a key unique.
    worth = np.uint64(0x7FFFFFFF) - value.view(np.uint32)
    key = (
        row.astype(np.uint64) << np.uint64(57)
        | worth << np.uint64(_POSITION)
        | np.arange(total, dtype=np.uint64)
    )
    key.sort()
    order = (key & np.uint64((1 << _POSITION) - 1)).astype(np.int64)
    value, concept = value[order], concept[order]
    # Then the same entries concept by concept, still best first. The rows stay where they are.
    runs = (row * (int(concept.max()) + 1) + concept) << _POSITION | np.arange(total)
    runs.sort()
    place = runs & ((1 << _POSITION) - 1)
    runs >>= _POSITION
    new = np.ones(total, dtype=bool)
    np.not_equal(runs[1:], runs[:-1], out=new[1:])
    (starts,) = new.nonzero()
    best = place[starts]
    owner = row[best]
    found = np.bincount(owner, minlength=rows)
    # 1 for the best concept of a row, 2 for the second …
    first = np.zeros(total, dtype=np.int32)
    first[best] = 1
    standing = np.cumsum(first)[best] - (np.cumsum(found) - found)[owner]
    last = np.full(rows, -np.inf, np.float32)
    ends = standing == count
    last[owner[ends]] = value[best[ends]]
    lengths = np.diff(starts, append=total)
    good = np.repeat((standing <= count) | (value[best] >= last[owner] - _TIE), lengths)
    if each is not None:
        good &= np.arange(total) - np.repeat(starts, lengths) < each
    kept = np.zeros(total, dtype=bool)
    kept[order[place[good]]] = True
    return kept | whole[row], found
