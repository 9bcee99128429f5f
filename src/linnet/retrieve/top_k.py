"""The entries of each row's top-k concepts in a sparse score matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linnet.arrays import Floats, Ints, Mask, Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["top_concepts"]

# Scores nearer than this may round to the same 1e-5 in ranking, where another rule breaks the tie.
_TIE = np.float32(2e-5)
# Rows processed at a time, and bits for an entry's position among theirs: a sort key is row, 31 bits of score, position.
_ROWS = 128
_POSITION_BITS = 26
# Cells of the table that finds a concept's best entry (16 MB).
_CELLS = 1 << 22


def top_concepts(
    scores: csr_array, concepts: Rows, *, count: int, best_form_only: bool = False, keep_all_below: int = 0
) -> tuple[Ints, Rows, Floats]:
    """The entries of each row's `count` best concepts; a concept scores as its best column.

    scores          (N, columns) all above 0         concepts  (columns,) the concept of each column
    count           concepts per row; concepts that tie with the last are kept too
    best_form_only  keep only a concept's best column, not all of them
    keep_all_below  keep all entries of rows with at most this many

    returns         row, column and score of the chosen entries, by row; fewer concepts if a row has no more
    """
    sizes = np.diff(scores.indptr)
    chosen = [np.zeros(0, np.int64)]
    for start in range(0, len(sizes), _ROWS):
        pending = start + np.flatnonzero(sizes[start : start + _ROWS])
        width = max(4 * count, keep_all_below)
        while len(pending):
            at, lengths, truncated = _top_entries(scores, pending, width)
            row = np.repeat(np.arange(len(pending)), lengths)
            kept, row_concepts = _best_concepts(
                row,
                scores.data[at],
                concepts[scores.indices[at]],
                count,
                best_form_only,
                sizes[pending] <= keep_all_below,
            )
            done = ~truncated | (row_concepts >= count)
            chosen.append(at[kept & done[row]])
            pending, width = pending[~done], 4 * width
    entries = np.sort(np.concatenate(chosen))
    rows = np.repeat(np.arange(len(sizes)), np.diff(np.searchsorted(entries, scores.indptr)))
    return rows, scores.indices[entries], scores.data[entries]


def _top_entries(scores: csr_array, rows: Ints, width: int) -> tuple[Ints, Ints, Mask]:
    """The `width` largest entries of each row and those that tie with the last; their number; whether others remain."""
    starts, stops = scores.indptr[rows].tolist(), scores.indptr[rows + 1].tolist()
    top = []
    for start, stop in zip(starts, stops, strict=True):
        if stop - start <= width:
            top.append(np.arange(start, stop))
            continue
        values = scores.data[start:stop]
        least = np.partition(values, len(values) - width)[len(values) - width]
        top.append(start + np.flatnonzero(values >= least - _TIE))
    lengths = np.fromiter(map(len, top), np.int64, len(top))
    return np.concatenate(top), lengths, lengths < np.subtract(stops, starts)


def _best_concepts(
    row: Ints, score: Floats, concept: Rows, count: int, best_form_only: bool, keep_all: Mask
) -> tuple[Mask, Ints]:
    """Which entries, given row by row, to keep; and the number of concepts in each row."""
    total, rows = len(row), len(keep_all)
    # Best first within each row. Positive floats sort like their bits; the position makes each key unique.
    descending = np.uint64(0x7FFFFFFF) - score.view(np.uint32)
    position = np.arange(total)
    if total <= 1 << _POSITION_BITS:
        key = row.astype(np.uint64) << np.uint64(57) | descending << np.uint64(_POSITION_BITS)
        key |= position.astype(np.uint64)
        key.sort()
        order = (key & np.uint64((1 << _POSITION_BITS) - 1)).astype(np.int64)
    else:
        order = np.lexsort((descending, row))  # stable: ties stay in their order
    score = score[order]
    best = _best_of_concept(row, concept[order])
    first = best == position
    concepts = np.bincount(row[first], minlength=rows)
    # At the best entry of each concept: 1 for the best concept of the row, 2 for the second …
    standing = np.cumsum(first) - (np.cumsum(concepts) - concepts)[row]
    last_score = np.full(rows, -np.inf, np.float32)
    last = first & (standing == count)
    last_score[row[last]] = score[last]
    chosen = first & ((standing <= count) | (score >= last_score[row] - _TIE))
    kept = np.zeros(total, dtype=bool)
    kept[order] = chosen if best_form_only else chosen[best]
    return kept | keep_all[row], concepts


def _best_of_concept(row: Ints, concept: Rows) -> Ints:
    """For entries best first within their row: the position of the best entry of the same row and concept.

    Positions are written to a table with one cell per row and concept, the best one last, and read back. That needs no
    sorting, and the table needs no initial values.
    """
    width = int(concept.max()) + 1
    batch = max(1, _CELLS // width)
    best = np.empty(len(row), np.int64)
    for first in range(0, int(row[-1]) + 1, batch):
        start, stop = np.searchsorted(row, (first, first + batch))
        cells = (row[start:stop] - first) * width + concept[start:stop]
        table = np.empty(batch * width, np.int32)
        table[cells[::-1]] = np.arange(start, stop, dtype=np.int32)[::-1]
        best[start:stop] = table[cells]
    return best
