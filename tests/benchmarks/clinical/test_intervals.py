"""Intervals hold their value, and documents are drawn together for differences."""

from __future__ import annotations

import pytest

from benchmarks.clinical.intervals import difference, f1

COUNTS = [[1, 2, 2], [3, 3, 4], [0, 1, 2], [5, 5, 5]]


def test_f1_of_all_documents_with_an_interval_around_it() -> None:
    value, low, high = f1(COUNTS)
    assert value == pytest.approx(200 * 9 / (11 + 13))
    assert low < value < high


def test_the_difference_to_itself_is_none_on_whatever_documents() -> None:
    assert difference(COUNTS, COUNTS) == (0, 0, 0)
    better = [[gold, gold, gold] for _, _, gold in COUNTS]
    value, low, _ = difference(better, COUNTS)
    assert value == pytest.approx(100 - f1(COUNTS)[0])
    assert low > 0
