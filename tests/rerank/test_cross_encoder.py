"""What a cross-encoder adds to another reranker's probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.rerank.cross_encoder import combined


def test_both_scores_are_of_one_softmax_with_none_of_these() -> None:
    probabilities = np.array([[0.5, 0.3, -np.inf]], np.float32)
    scores = np.array([[0.0, 2.0, np.nan]])
    weight = 0.5
    odds = [0.5**weight, 0.3**weight * np.exp(2.0), (1 - 0.8) ** weight]
    found = combined(probabilities, scores, weight=weight)
    np.testing.assert_allclose(found[0, :2], np.array(odds[:2]) / sum(odds), rtol=1e-6)
    assert found[0, 2] == 0


def test_silence_changes_nothing() -> None:
    probabilities = np.array([[0.6, 0.2, 0.1], [0.9, 0.05, -np.inf]], np.float32)
    nothing = np.where(np.isfinite(probabilities), 0.0, np.nan)
    found = combined(probabilities, nothing, weight=1.0)
    np.testing.assert_allclose(found, np.where(np.isfinite(probabilities), probabilities, 0), rtol=1e-5)


def test_a_candidate_that_was_not_asked_about_gets_the_least_score() -> None:
    probabilities = np.array([[0.5, 0.4, 0.001]], np.float32)
    asked = combined(probabilities, np.array([[3.0, -1.0, -1.0]]), weight=1.0)
    np.testing.assert_array_equal(asked, combined(probabilities, np.array([[3.0, -1.0, np.nan]]), weight=1.0))


@pytest.mark.parametrize("width", [0, 2])
def test_queries_without_candidates_stay_without(width: int) -> None:
    found = combined(np.full((2, width), -np.inf, np.float32), np.full((2, width), np.nan), weight=1.0)
    assert found.shape == (2, width)
    assert not found.any()
