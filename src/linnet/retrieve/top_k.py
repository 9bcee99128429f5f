"""The best entries of each row of a sparse score matrix, chosen so that they cover enough concepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linnet.arrays import Floats, Ints, Mask, Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["top_concepts"]

# Scores nearer than this may round to the same 1e-5 in ranking, where another rule breaks the tie.
_TIE = np.float32(2e-5)
# Rows taken at a time and bits for the position of an entry among theirs: a sort key is row, 31 bits of score, position.
_ROWS = 128
_POSITION = 26
# Cells of the table in which a concept's best entry is found (16 MB).
_CELLS = 1 << 22


def top_concepts(
    scores: csr_array, concepts: Rows, *, count: int, one: bool = False, few: int = 0
) -> tuple[Ints, Rows, Floats]:
    """The entries of each row's `count` best concepts, a concept being as good as its best column.

    scores    (N, columns) all above 0         concepts  (columns,) the concept of each column
    count     concepts per row; those as good as the last of them come too
    one       keep only a concept's best column, not all of them
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
                row, scores.data[at], concepts[scores.indices[at]], count, one, sizes[pending] <= few
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
    row: Ints, value: Floats, concept: Rows, count: int, one: bool, whole: Mask
) -> tuple[Mask, Ints]:
    """Which entries, given row by row, to keep; and the number of concepts each row has."""
    total, rows = len(row), len(whole)
    # Best first within each row. Positive floats sort as their bits do; the position makes a key unique.
    worth = np.uint64(0x7FFFFFFF) - value.view(np.uint32)
    place = np.arange(total)
    if total <= 1 << _POSITION:
        key = row.astype(np.uint64) << np.uint64(57) | worth << np.uint64(_POSITION) | place.astype(np.uint64)
        key.sort()
        order = (key & np.uint64((1 << _POSITION) - 1)).astype(np.int64)
    else:
        order = np.lexsort((worth, row))  # stable, so ties stay in their order
    value = value[order]
    best = _best_of_concept(row, concept[order])
    first = best == place
    found = np.bincount(row[first], minlength=rows)
    # 1 for the best concept of a row, at its best entry, 2 for the second …
    standing = np.cumsum(first) - (np.cumsum(found) - found)[row]
    last = np.full(rows, -np.inf, np.float32)
    ends = first & (standing == count)
    last[row[ends]] = value[ends]
    good = first & ((standing <= count) | (value >= last[row] - _TIE))
    kept = np.zeros(total, dtype=bool)
    kept[order] = good if one else good[best]
    return kept | whole[row], found


def _best_of_concept(row: Ints, concept: Rows) -> Ints:
    """For entries best first within their row: the position of the best entry of the same row and concept.

    Positions are written into a table with a cell per row and concept, the best one last, and read back: no sorting,
    and what else is in the table does not matter.
    """
    width = int(concept.max()) + 1
    together = max(1, _CELLS // width)
    best = np.empty(len(row), np.int64)
    for first in range(0, int(row[-1]) + 1, together):
        start, stop = np.searchsorted(row, (first, first + together))
        cells = (row[start:stop] - first) * width + concept[start:stop]
        table = np.empty(together * width, np.int32)
        table[cells[::-1]] = np.arange(start, stop, dtype=np.int32)[::-1]
        best[start:stop] = table[cells]
    return best
