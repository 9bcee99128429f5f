"""Passes over synonyms: each name in one pair, neighbours together, resumable anywhere."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet.arrays import Floats, Ints  # noqa: E402
from linnet.train.passes import Passes, matched, neighbouring  # noqa: E402

# Names 0 and 1 of concept 0, name 2 of concept 1, 3 to 5 of concept 2, 6 to 9 of concept 3.
CONCEPTS = np.array([0, 0, 1, 2, 2, 2, 3, 3, 3, 3])
TEXTS = 100 + np.arange(10)


def no_vectors(texts: Ints) -> Floats:
    raise AssertionError("nothing is to be encoded")


def circle(texts: Ints) -> Floats:
    """Texts around a circle, in the order of their numbers."""
    angles = 2 * np.pi * texts / 128
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def many(**options: float) -> Passes:
    """64 concepts of two names, in batches of eight pairs."""
    given = {"size": 8, "seed": 3, **options}
    return Passes(np.arange(128), np.repeat(np.arange(64), 2), **given)  # type: ignore[arg-type]


def test_each_name_is_in_one_pair_and_one_of_an_odd_number_in_two() -> None:
    pairs, concepts = matched(TEXTS, CONCEPTS, np.random.default_rng(0))
    assert concepts.tolist() == [0, 2, 2, 3, 3]
    assert (CONCEPTS[pairs - 100] == concepts[:, None]).all()
    assert (pairs[:, 0] != pairs[:, 1]).all()
    times = np.bincount(pairs.ravel() - 100, minlength=10)
    assert times[[0, 1, 6, 7, 8, 9]].tolist() == [1] * 6
    assert times[2] == 0
    assert sorted(times[3:6]) == [1, 1, 2]


def test_matches_are_drawn() -> None:
    drawn = {
        tuple(sorted(map(tuple, np.sort(matched(TEXTS, CONCEPTS, np.random.default_rng(seed))[0]).tolist())))
        for seed in range(40)
    }
    assert len(drawn) == 9  # three ways to match four names, times three names that may be twice


def test_a_pass_has_every_pair_once_and_the_next_has_others() -> None:
    passes = Passes(TEXTS, CONCEPTS, size=2, seed=0)
    assert passes.batches == 3
    first, second = (
        np.concatenate([passes.batch(step, no_vectors)[0] for step in range(start, start + 3)])
        for start in (0, 3)
    )
    assert len(first) == len(second) == 5
    for drawn in (first, second):
        assert set(drawn.ravel()) == set(TEXTS) - {102}
    assert first.tolist() != second.tolist()


@pytest.mark.parametrize("hard", [0.5, 1.0])
@pytest.mark.parametrize("section", [3, 8, 100])
def test_a_pass_of_neighbours_has_every_pair_once(hard: float, section: int) -> None:
    passes = many(hard=hard, section=section)
    batches = [passes.batch(step, circle)[0] for step in range(passes.batches)]
    assert {len(batch) for batch in batches} == {8}
    assert sorted(np.concatenate(batches).ravel()) == list(range(128))


def test_batches_of_neighbours_are_near_each_other() -> None:
    def spread(passes: Passes) -> list[float]:
        """Length of the mean unit vector of each batch: 1 for equal vectors."""
        return [
            float(np.linalg.norm(circle(passes.batch(step, circle)[0][:, 0]).mean(0))) for step in range(8)
        ]

    assert min(spread(many(hard=1.0))) > 0.85
    assert max(spread(many())) < 0.85
    half = spread(many(hard=0.5))
    assert sum(length > 0.85 for length in half) == 4


def test_a_batch_that_is_not_full_comes_last() -> None:
    passes = Passes(np.arange(22), np.repeat(np.arange(11), 2), size=4, seed=0, hard=1.0, section=2)
    sizes = [len(passes.batch(step, circle)[0]) for step in range(2 * passes.batches)]
    assert sizes == [4, 4, 3, 4, 4, 3]


def test_any_batch_can_be_resumed_from_the_state() -> None:
    whole, cut = many(hard=0.5, section=3), many(hard=0.5, section=3)
    for step in range(13):
        whole.batch(step, circle)
    cut.load_state(whole.state())
    for step in (13, 14):
        later = circle if step == 14 else no_vectors
        for one, other in zip(whole.batch(step, later), cut.batch(step, later), strict=True):
            assert one.tolist() == other.tolist()


def test_neighbours_are_found_in_every_direction_and_equal_vectors_are_no_trouble() -> None:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((6, 5)).astype(np.float32) * 10
    vectors = np.repeat(centres, 4, axis=0) + rng.standard_normal((24, 5)).astype(np.float32) * 0.01
    order = rng.permutation(24)
    found = list(neighbouring(vectors[order], 4, rng=rng))
    assert sorted(np.concatenate(found)) == list(range(24))
    together = [len(set(order[rows] // 4)) for rows in found]
    assert together.count(1) >= 4
    same = list(neighbouring(np.ones((12, 3), np.float32), 4, rng=rng))
    assert sorted(np.concatenate(same)) == list(range(12))
    assert list(neighbouring(np.zeros((0, 3), np.float32), 4, rng=rng)) == []
