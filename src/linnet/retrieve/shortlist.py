"""From rows that are best by a rough score to those that are best exactly, for many texts at once.

Arrays are (N, T): T rows for each of N texts, −1 where there is none.
"""

from __future__ import annotations

import numpy as np

from linnet.arrays import Floats, Ints, Mask, Rows

__all__ = ["after", "best", "first", "least", "once"]

_LARGEST = np.int32(2**31 - 1)
_NOTHING = np.float32(-np.inf)


def once(rows: Ints, scores: Floats) -> tuple[Rows, Floats]:
    """The rows by falling score, the smaller row first, each where its score is largest; −1 where it comes again."""
    sorted_rows, scores = _opened(np.sort(_keys(rows, scores), axis=1))
    bits = rows.shape[1].bit_length()
    places = np.sort((sorted_rows.astype(np.int64) << bits) + np.arange(rows.shape[1]), axis=1)
    text, again = np.nonzero(places[:, 1:] >> bits == places[:, :-1] >> bits)
    sorted_rows[text, places[text, again + 1] & ((1 << bits) - 1)] = -1
    return sorted_rows, scores


def first(rows: Rows, count: int) -> Mask:
    """The first `count` rows of each text that are there."""
    there = rows >= 0
    return there & (np.cumsum(there, axis=1) <= count)


def least(exact: Floats, rough: Floats, known: Mask, count: int, deviations: float) -> Floats:
    """(N,) the rough score with which a row may yet be among the best `count`: so many standard deviations below the
    exact score of the last of them, as those of which both scores are known differ; −inf where fewer are known."""
    off = np.subtract(exact, rough, out=np.zeros_like(rough), where=known)
    number = np.maximum(known.sum(axis=1), 1)
    mean = off.sum(axis=1) / number
    deviation = np.sqrt(np.maximum((off * off).sum(axis=1) / number - mean**2, 0))
    return np.asarray(after(exact, known, count) - mean - deviations * deviation, dtype=np.float32)


def after(scores: Floats, among: Mask, count: int) -> Floats:
    """(N,) the largest score but `count`, −inf where there is none."""
    if count >= scores.shape[1]:
        return np.full(len(scores), _NOTHING)
    return np.asarray(-np.partition(np.where(among, -scores, np.inf), count, axis=1)[:, count])


def best(rows: Rows, scores: Floats, among: Mask, count: int) -> tuple[Rows, Floats]:
    """(N, count) the best of these rows, by falling score, the smaller row first; −1 and −inf where there are no more."""
    keys = np.sort(_keys(np.where(among, rows, -1), np.where(among, scores, _NOTHING)), axis=1)
    found, exact = _opened(keys[:, :count])
    if found.shape[1] == count:
        return found, exact
    missing = ((0, 0), (0, count - found.shape[1]))
    return np.pad(found, missing, constant_values=-1), np.pad(exact, missing, constant_values=_NOTHING)


def _keys(rows: Rows | Ints, scores: Floats) -> Ints:
    """Whole numbers that rise as scores fall and, among equal ones, as rows rise; −1 comes last."""
    bits = (scores + np.float32(0)).view(np.int32)  # 0 added: −0 is 0
    rising = bits ^ (bits >> 31 & _LARGEST)
    return np.asarray((~rising).astype(np.int64) << 32 | (rows.astype(np.int64) & 0xFFFFFFFF))


def _opened(keys: Ints) -> tuple[Rows, Floats]:
    """The rows and scores of keys."""
    rising = ~(keys >> 32).astype(np.int32)
    bits = rising ^ (rising >> 31 & _LARGEST)
    return keys.astype(np.int32), bits.view(np.float32)
