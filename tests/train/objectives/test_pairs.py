"""Online hard pairs, against the triplets written out and against pytorch-metric-learning."""

from __future__ import annotations

import itertools

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet.train.objectives import HardPairs, all_pairs  # noqa: E402


def batch(seed: int, size: int = 14, concepts: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(size, 6, generator=generator, dtype=torch.float64)
    return vectors, torch.randint(concepts, (size,), generator=generator)


def by_triplets(vectors: torch.Tensor, labels: torch.Tensor, margin: float, paper: bool) -> tuple[set, set]:
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    distance = torch.cdist(unit, unit)
    positive, negative = set(), set()
    for a, p, n in itertools.product(range(len(labels)), repeat=3):
        if a == p or labels[a] != labels[p] or labels[a] == labels[n]:
            continue
        if distance[a, p] >= distance[a, n] + (margin if paper else -margin):
            positive.add((a, p))
            negative.add((a, n))
    return positive, negative


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_hard_pairs_are_those_of_the_violating_triplets(seed: int, paper: bool) -> None:
    vectors, labels = batch(seed)
    hard = HardPairs(margin=0.2, paper=paper)(vectors, all_pairs(labels))
    positive, negative = by_triplets(vectors, labels, 0.2, paper)
    assert {tuple(pair) for pair in hard.positive.nonzero().tolist()} == positive
    assert {tuple(pair) for pair in hard.negative.nonzero().tolist()} == negative


@pytest.mark.parametrize("seed", range(5))
def test_hard_pairs_equal_pytorch_metric_learning(seed: int) -> None:
    miners = pytest.importorskip("pytorch_metric_learning.miners")
    vectors, labels = batch(seed, size=40, concepts=12)
    a, p, n = miners.TripletMarginMiner(margin=0.2, type_of_triplets="all")(vectors, labels)
    hard = HardPairs()(vectors, all_pairs(labels))
    assert {tuple(x) for x in hard.positive.nonzero().tolist()} == set(
        zip(a.tolist(), p.tolist(), strict=True)
    )
    assert {tuple(x) for x in hard.negative.nonzero().tolist()} == set(
        zip(a.tolist(), n.tolist(), strict=True)
    )


def test_homonyms_are_neither_positive_nor_negative() -> None:
    labels = torch.tensor([0, 0, 1, 1])
    homonyms = torch.zeros(4, 4, dtype=torch.bool)
    homonyms[0, 2] = homonyms[2, 0] = True
    pairs = all_pairs(labels, homonyms)
    assert not pairs.negative[0, 2]
    assert not pairs.positive[0, 2]
    assert pairs.negative[0, 3]


def test_nothing_is_hard_in_a_batch_of_one_concept() -> None:
    vectors, _ = batch(0)
    hard = HardPairs()(vectors, all_pairs(torch.zeros(len(vectors), dtype=torch.long)))
    assert not hard.positive.any()
    assert not hard.negative.any()
