"""Vectors of concepts are computed once, in memory and across processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from linnet.rerank.entity_vectors import EntityVectors, Floats


class Counting:
    """Vectors that say which row they are of, and a list of what was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, rows: Sequence[int]) -> Floats:
        self.asked += rows
        return np.array([[row, -row] for row in rows], np.float32)


def opened(compute: Counting, *, model: str = "m" * 32, concepts: int = 10) -> EntityVectors:
    return EntityVectors("t" * 32, model, concepts=concepts, dimensions=2, compute=compute)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path))
    return tmp_path


def test_each_row_is_computed_once() -> None:
    compute = Counting()
    vectors = opened(compute)
    assert vectors(np.array([3, 1, 3])).tolist() == [[3, -3], [1, -1], [3, -3]]
    assert vectors(np.array([2, 3])).tolist() == [[2, -2], [3, -3]]
    assert compute.asked == [1, 3, 2]


def test_another_process_finds_them_in_the_cache() -> None:
    opened(Counting())(np.array([5, 4]))
    later = Counting()
    assert opened(later)(np.array([4, 5, 6])).tolist() == [[4, -4], [5, -5], [6, -6]]
    assert later.asked == [6]


def test_other_weights_share_nothing() -> None:
    opened(Counting())(np.array([5]))
    other = Counting()
    opened(other, model="n" * 32)(np.array([5]))
    assert other.asked == [5]


@pytest.mark.parametrize("damage", [b"", b"not a zip file", b"PK\x03\x04 cut"])
def test_a_damaged_cache_is_written_anew(damage: bytes) -> None:
    first = opened(Counting())
    first(np.array([5]))
    first.path.write_bytes(damage)
    again = Counting()
    opened(again)(np.array([5]))
    assert again.asked == [5]
    last = Counting()
    opened(last)(np.array([5]))
    assert last.asked == []


def test_rows_the_terminology_does_not_have_are_not_taken_from_the_cache() -> None:
    opened(Counting())(np.array([9]))
    smaller = Counting()
    opened(smaller, concepts=5)(np.array([4]))
    assert smaller.asked == [4]


def test_a_cache_that_cannot_be_written_is_done_without(cache: Path) -> None:
    (cache / "entities").write_text("in the way")
    vectors = opened(Counting())
    assert vectors(np.array([1])).tolist() == [[1, -1]]
