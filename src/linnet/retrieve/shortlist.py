"""From the best rows by rough score to the best rows by exact score, for many texts at once.

Arrays are (N, T): T rows for each of N texts, −1 for none.
"""

from __future__ import annotations

import numpy as np

from linnet.arrays import Floats, Ints, Mask, Rows

__all__ = ["best_rows", "first_rows", "lowest_rough_score", "score_after", "without_repeats"]

_LARGEST = np.int32(2**31 - 1)
_NOTHING = np.float32(-np.inf)


def without_repeats(rows: Ints, scores: Floats) -> tuple[Rows, Floats]:
    """The rows by falling score, equal ones by row; −1 in place of a row that was there with a higher score."""
    sorted_rows, scores = _unpacked(np.sort(_keys(rows, scores), axis=1))
    bits = rows.shape[1].bit_length()
    places = np.sort((sorted_rows.astype(np.int64) << bits) + np.arange(rows.shape[1]), axis=1)
    text, repeat = np.nonzero(places[:, 1:] >> bits == places[:, :-1] >> bits)
    sorted_rows[text, places[text, repeat + 1] & ((1 << bits) - 1)] = -1
    return sorted_rows, scores


def first_rows(rows: Rows, count: int) -> Mask:
    """(N, T) true for the first `count` rows of each text, not counting −1."""
    is_row = rows >= 0
    return is_row & (np.cumsum(is_row, axis=1) <= count)


def lowest_rough_score(exact: Floats, rough: Floats, known: Mask, count: int, deviations: float) -> Floats:
    """(N,) the rough score from which a row may be among the best `count`; −inf where fewer are known.

    known       (N, T) the rows whose exact scores are set
    deviations  how far below the exact score of the last of the best, in standard deviations of the difference between
                exact and rough scores
    """
    off = np.subtract(exact, rough, out=np.zeros_like(rough), where=known)
    number = np.maximum(known.sum(axis=1), 1)
    mean = off.sum(axis=1) / number
    deviation = np.sqrt(np.maximum((off * off).sum(axis=1) / number - mean**2, 0))
    return np.asarray(score_after(exact, known, count) - mean - deviations * deviation, dtype=np.float32)


def score_after(scores: Floats, among: Mask, count: int) -> Floats:
    """(N,) the largest score after the `count` largest ones, −inf for none."""
    if count >= scores.shape[1]:
        return np.full(len(scores), _NOTHING)
    return np.asarray(-np.partition(np.where(among, -scores, np.inf), count, axis=1)[:, count])


def best_rows(rows: Rows, scores: Floats, among: Mask, count: int) -> tuple[Rows, Floats]:
    """(N, count) the best of these rows by falling score, equal ones by row; padded with −1 and −inf."""
    keys = np.sort(_keys(np.where(among, rows, -1), np.where(among, scores, _NOTHING)), axis=1)
    rows, scores = _unpacked(keys[:, :count])
    if rows.shape[1] == count:
        return rows, scores
    missing = ((0, 0), (0, count - rows.shape[1]))
    return np.pad(rows, missing, constant_values=-1), np.pad(scores, missing, constant_values=_NOTHING)


def _keys(rows: Rows | Ints, scores: Floats) -> Ints:
    """Whole numbers that rise as scores fall and, among equal ones, as rows rise; −1 comes last."""
    bits = (scores + np.float32(0)).view(np.int32)  # 0 added: −0 is 0
    rising = bits ^ (bits >> 31 & _LARGEST)
    return np.asarray((~rising).astype(np.int64) << 32 | (rows.astype(np.int64) & 0xFFFFFFFF))


def _unpacked(keys: Ints) -> tuple[Rows, Floats]:
    """The rows and scores of keys."""
    rising = ~(keys >> 32).astype(np.int32)
    bits = rising ^ (rising >> 31 & _LARGEST)
    return keys.astype(np.int32), bits.view(np.float32)
