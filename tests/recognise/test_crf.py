"""The conditional random field, against all paths written out."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from linnet.recognise.bioes import Labels, TokenSpan
from linnet.recognise.crf import CRF, FORBIDDEN

LABELS = Labels(("Disease",))


def crf(seed: int) -> CRF:
    rng = np.random.default_rng(seed)
    begins, follows, ends = LABELS.legal()
    parts = ((5, begins), ((5, 5), follows), (5, ends))
    return CRF(
        *(np.where(mask, rng.normal(size=shape), FORBIDDEN).astype(np.float32) for shape, mask in parts)
    )


def scores(emissions: np.ndarray, by: CRF) -> dict[tuple[int, ...], float]:
    """The score of every path."""
    return {
        path: float(
            by.start[path[0]]
            + sum(emissions[i, label] for i, label in enumerate(path))
            + sum(by.transitions[a, b] for a, b in pairwise(path))
            + by.end[path[-1]]
        )
        for path in product(range(5), repeat=len(emissions))
    }


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_path_is_the_best_of_all(length: int, seed: int) -> None:
    emissions = np.random.default_rng(seed + 100).normal(size=(length, 5)).astype(np.float32)
    all_scores = scores(emissions, crf(seed))
    path = crf(seed).best_paths(emissions, (0, length)).tolist()
    assert tuple(path) == max(all_scores, key=all_scores.__getitem__)
    assert LABELS.spans(path) is not None


@pytest.mark.parametrize("seed", range(5))
def test_a_probability_is_the_share_of_the_paths_with_that_mention(seed: int) -> None:
    emissions = np.random.default_rng(seed).normal(size=(4, 5)).astype(np.float32)
    weights = {path: np.exp(score) for path, score in scores(emissions, crf(seed)).items()}
    spans = [TokenSpan(0, 1, 0), TokenSpan(1, 3, 0), TokenSpan(0, 4, 0), TokenSpan(3, 4, 0)]
    expected = [
        sum(weight for path, weight in weights.items() if weight and span in _legal_spans(path))
        / sum(weights.values())
        for span in spans
    ]
    assert crf(seed).probabilities(emissions, (0, 4), spans, LABELS) == pytest.approx(expected, abs=1e-6)


def _legal_spans(path: tuple[int, ...]) -> list[TokenSpan]:
    begins, follows, ends = LABELS.legal()
    legal = begins[path[0]] and ends[path[-1]] and all(follows[a, b] for a, b in pairwise(path))
    return LABELS.spans(path) if legal else []


def test_a_sure_chain_gives_a_probability_of_one() -> None:
    emissions = np.full((2, 5), -100, np.float32)
    emissions[0, 1] = emissions[1, 3] = 100
    assert crf(0).probabilities(emissions, (0, 2), [TokenSpan(0, 2, 0)], LABELS) == [pytest.approx(1.0)]
    assert crf(0).probabilities(emissions, (0, 2), [], LABELS) == []


def test_a_sentence_gets_the_same_numbers_whatever_sentences_are_beside_it() -> None:
    lengths = [3, 1, 7, 0, 3, 12]
    bounds = np.cumsum([0, *lengths])
    emissions = np.random.default_rng(7).normal(size=(bounds[-1], 5)).astype(np.float32)
    by = crf(1)
    paths = by.best_paths(emissions, bounds.tolist())
    spans = LABELS.spans(paths.tolist())
    probabilities = by.probabilities(emissions, bounds.tolist(), spans, LABELS)
    assert len(spans) > 3
    alone: list[float] = []
    for first, last in pairwise(bounds.tolist()):
        part = emissions[first:last]
        assert by.best_paths(part, (0, last - first)).tolist() == paths[first:last].tolist()
        own = [TokenSpan(s.first - first, s.last - first, s.kind) for s in spans if first <= s.first < last]
        alone += by.probabilities(part, (0, last - first), own, LABELS)
    assert probabilities == alone
