from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from benchmarks.generalisation.leave_one_out import Lists, learn, reranked
from linnet.rerank.features import FEATURES


def lists(count: int = 200) -> Lists:
    """Three exact matches; the right one is the second, and its "cosine" is greater."""
    chance = np.random.default_rng(0)
    features = chance.normal(size=(count, 3, len(FEATURES))).astype(np.float32)
    features[..., FEATURES.index("exact")] = 1
    right = np.zeros((count, 3), bool)
    right[:, 1] = True
    features[..., FEATURES.index("cosine")] = right
    return Lists(features, np.ones((count, 3), bool), right, [str(row) for row in range(count)])


def test_what_tells_right_candidates_in_other_sets_is_learnt() -> None:
    module = learn([lists(), lists(50)], hidden=4, steps=200, seed=0)
    assert reranked(module, lists()).mean() > 0.95


def test_several_exact_matches_are_reranked_and_a_single_one_stays_first() -> None:
    module = learn([lists()], hidden=4, steps=200, seed=0)
    left_out = lists()
    assert reranked(module, left_out).mean() > 0.95
    left_out.features[:, 1:, FEATURES.index("exact")] = 0
    assert not reranked(module, left_out).any()


def test_the_same_seed_gives_the_same_scorer() -> None:
    first, second = (learn([lists()], hidden=4, steps=5, seed=3).linear.weight for _ in range(2))
    assert first.equal(second)
