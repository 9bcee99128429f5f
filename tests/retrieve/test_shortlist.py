"""Rows chosen for many texts at once, against plain sorting of one text after the other."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.retrieve.shortlist import (
    best_rows,
    first_rows,
    lowest_rough_score,
    score_after,
    without_repeats,
)

RNG = np.random.default_rng(11)


def drawn(texts: int = 30, width: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Rows, some twice and some missing, and scores, many of them equal, some below 0."""
    rows = RNG.integers(-5, 40, size=(texts, width))
    rows[rows < 0] = -1
    scores = (RNG.integers(-8, 8, size=rows.shape) / 8).astype(np.float32)
    scores[rows < 0] = -np.inf
    return rows, scores


def test_each_row_stays_once_where_its_score_is_largest() -> None:
    rows, scores = drawn()
    for some, rough, before, given in zip(*without_repeats(rows, scores), rows, scores, strict=True):
        highest = {row: given[before == row].max() for row in set(before[before >= 0].tolist())}
        kept = [(row, score) for row, score in zip(some.tolist(), rough.tolist(), strict=True) if row >= 0]
        assert kept == sorted(highest.items(), key=lambda pair: (-pair[1], pair[0]))


def test_the_best_are_those_of_the_largest_scores_and_the_smaller_rows() -> None:
    rows, scores = drawn()
    among = (rows >= 0) & (RNG.random(rows.shape) < 0.5)
    for count in (1, 20, 60):
        found, exact = best_rows(rows, scores, among, count)
        assert found.shape == exact.shape == (30, count)
        for number in range(30):
            pairs = zip(-scores[number, among[number]], rows[number, among[number]], strict=True)
            expected = [(int(row), float(-score)) for score, row in sorted(pairs)][:count]
            expected += [(-1, -np.inf)] * (count - len(expected))
            assert list(zip(found[number].tolist(), exact[number].tolist(), strict=True)) == expected


def test_minus_zero_is_zero() -> None:
    found, _ = best_rows(
        np.array([[4, 2, 3]]), np.array([[0.0, 0.0, -0.0]], np.float32), np.ones((1, 3), dtype=bool), 3
    )
    assert found.tolist() == [[2, 3, 4]]


def test_only_rows_that_are_there_are_counted() -> None:
    rows = np.array([[7, -1, 3, 9], [-1, -1, 5, -1]], np.int32)
    assert first_rows(rows, 2).tolist() == [[True, False, True, False], [False, False, True, False]]


@pytest.mark.parametrize("count", [0, 3, 10])
def test_the_rough_score_that_may_do_follows_from_how_far_others_were_off(count: int) -> None:
    exact = RNG.normal(size=(5, 40)).astype(np.float32)
    rough = (exact + RNG.normal(0.1, 0.05, size=exact.shape)).astype(np.float32)
    known = np.zeros(exact.shape, dtype=bool)
    known[:, ::2] = True
    exact[~known] = -np.inf
    cuts = lowest_rough_score(exact, rough, known, count, 2.0)
    for number, cut in enumerate(cuts):
        off = (exact - rough)[number, known[number]]
        assert cut == pytest.approx(
            np.sort(exact[number])[::-1][count] - off.mean() - 2 * off.std(), abs=1e-5
        )


def test_where_fewer_are_known_than_wanted_every_row_may_do() -> None:
    scores, known = RNG.random((2, 6), dtype=np.float32), np.zeros((2, 6), dtype=bool)
    known[0, :5] = True
    assert np.isneginf(lowest_rough_score(scores, scores, known, 5, 2.0)).all()
    assert np.isneginf(score_after(scores, known, 6)).all()
    assert score_after(scores, known, 4)[0] == scores[0, :5].min()
