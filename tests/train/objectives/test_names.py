"""Objectives for names, recomputed with plain loops and against pytorch-metric-learning."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet.train.objectives import (  # noqa: E402
    NCA,
    Circle,
    Cosine,
    HardPairs,
    InfoNCE,
    LiftedStructure,
    MaxMargin,
    MultiSimilarity,
)

ALL = [NCA, Circle, Cosine, InfoNCE, LiftedStructure, MaxMargin, MultiSimilarity]


def batch(seed: int, size: int = 10, concepts: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(size, 5, generator=generator, dtype=torch.float64)
    return vectors, torch.arange(size) % concepts


def cosine(vectors: torch.Tensor) -> list[list[float]]:
    rows = vectors.tolist()
    norms = [math.sqrt(sum(x * x for x in row)) for row in rows]
    return [
        [
            sum(x * y for x, y in zip(rows[i], rows[j], strict=True)) / norms[i] / norms[j]
            for j in range(len(rows))
        ]
        for i in range(len(rows))
    ]


def split(labels: torch.Tensor, i: int) -> tuple[list[int], list[int]]:
    same = [j for j in range(len(labels)) if j != i and labels[j] == labels[i]]
    return same, [j for j in range(len(labels)) if labels[j] != labels[i]]


def multi_similarity(s: list[list[float]], labels: torch.Tensor) -> float:
    total = 0.0
    for i in range(len(labels)):
        positive, negative = split(labels, i)
        total += math.log(1 + sum(math.exp(60 * (s[i][n] - 0.5)) for n in negative)) / 60
        total += math.log(1 + sum(math.exp(-(s[i][p] - 0.5)) for p in positive))
    return total / len(labels)


def cosine_loss(s: list[list[float]], labels: torch.Tensor) -> float:
    pulls, pushes = [], []
    for i in range(len(labels)):
        positive, negative = split(labels, i)
        pulls += [1 - s[i][p] for p in positive]
        pushes += [max(s[i][n], 0.0) for n in negative]
    return sum(pulls) / len(pulls) + sum(pushes) / len(pushes)


def max_margin(s: list[list[float]], labels: torch.Tensor) -> float:
    losses = []
    for i in range(len(labels)):
        positive, negative = split(labels, i)
        losses += [
            math.sqrt(2 - 2 * s[i][p]) - math.sqrt(2 - 2 * s[i][n]) + 0.2 for p in positive for n in negative
        ]
    kept = [loss for loss in losses if loss > 0]
    return sum(kept) / len(kept)


def info_nce(s: list[list[float]], labels: torch.Tensor) -> float:
    losses = []
    for i in range(len(labels)):
        positive, negative = split(labels, i)
        away = sum(math.exp(s[i][n] / 0.07) for n in negative)
        losses += [-math.log(math.exp(s[i][p] / 0.07) / (math.exp(s[i][p] / 0.07) + away)) for p in positive]
    return sum(losses) / len(losses)


def nca(s: list[list[float]], labels: torch.Tensor) -> float:
    losses = []
    for i in range(len(labels)):
        positive, negative = split(labels, i)
        weight = {j: math.exp(-(2 - 2 * s[i][j])) for j in positive + negative}
        losses.append(-math.log(sum(weight[p] for p in positive) / sum(weight.values())))
    return sum(losses) / len(losses)


def lifted_structure(s: list[list[float]], labels: torch.Tensor) -> float:
    losses = []
    for i in range(len(labels)):
        positive, negative = split(labels, i)
        for p in positive:
            near = [math.exp(1 - math.sqrt(2 - 2 * s[a][n])) for a in (i, p) for n in negative]
            losses.append(max(math.log(sum(near)) + math.sqrt(2 - 2 * s[i][p]), 0) ** 2 / 2)
    return sum(losses) / len(losses)


def circle(s: list[list[float]], labels: torch.Tensor) -> float:
    total = 0.0
    for i in range(len(labels)):
        positive, negative = split(labels, i)
        pull = sum(math.exp(-80 * max(1.4 - s[i][p], 0) * (s[i][p] - 0.6)) for p in positive)
        push = sum(math.exp(80 * max(s[i][n] + 0.4, 0) * (s[i][n] - 0.4)) for n in negative)
        total += math.log(1 + pull * push)
    return total / len(labels)


@pytest.mark.parametrize(
    ("objective", "plain"),
    [
        (MultiSimilarity(), multi_similarity),
        (Cosine(), cosine_loss),
        (MaxMargin(), max_margin),
        (InfoNCE(), info_nce),
        (NCA(), nca),
        (LiftedStructure(), lifted_structure),
        (Circle(), circle),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_formula_written_out(objective: Callable, plain: Callable, seed: int) -> None:
    vectors, labels = batch(seed)
    assert objective(vectors, labels).item() == pytest.approx(plain(cosine(vectors), labels), rel=1e-8)


@pytest.mark.parametrize("mined", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        (MultiSimilarity, "MultiSimilarityLoss", {"alpha": 1, "beta": 60, "base": 0.5}),
        (InfoNCE, "NTXentLoss", {"temperature": 0.07}),
        (Circle, "CircleLoss", {"m": 0.4, "gamma": 80}),
    ],
)
def test_equals_pytorch_metric_learning(ours: type, theirs: str, options: dict, mined: bool) -> None:
    losses = pytest.importorskip("pytorch_metric_learning.losses")
    miners = pytest.importorskip("pytorch_metric_learning.miners")
    vectors, labels = batch(7, size=16, concepts=5)
    triplets = (
        miners.TripletMarginMiner(margin=0.2, type_of_triplets="all")(vectors, labels) if mined else None
    )
    pairs = None
    if triplets:
        a, p, n = triplets
        positive = sorted(set(zip(a.tolist(), p.tolist(), strict=True)))
        negative = sorted(set(zip(a.tolist(), n.tolist(), strict=True)))
        pairs = tuple(
            torch.tensor(column) for side in (positive, negative) for column in zip(*side, strict=True)
        )
    expected = getattr(losses, theirs)(**options)(vectors, labels, pairs)
    mine = ours(mining=HardPairs() if mined else None)(vectors, labels)
    assert mine.item() == pytest.approx(expected.item(), rel=1e-5)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("mining", [None, HardPairs()])
def test_a_batch_without_pairs_costs_nothing_and_has_finite_gradients(
    kind: type, mining: HardPairs | None
) -> None:
    for labels in (torch.zeros(4, dtype=torch.long), torch.arange(4)):
        vectors = torch.randn(4, 3, generator=torch.Generator().manual_seed(0)).requires_grad_()
        loss = kind(mining=mining)(vectors, labels)
        loss.backward()
        assert torch.isfinite(loss)
        assert torch.isfinite(vectors.grad).all()


@pytest.mark.parametrize("kind", ALL)
def test_descending_brings_synonyms_together(kind: type) -> None:
    vectors, labels = batch(1)
    vectors = vectors.clone().requires_grad_()
    objective = kind()
    first = objective(vectors, labels)
    optimiser = torch.optim.Adam([vectors], lr=0.05)
    for _ in range(60):
        optimiser.zero_grad()
        loss = objective(vectors, labels)
        loss.backward()
        optimiser.step()
    assert loss.item() < first.item()


def test_mining_with_its_own_margin_changes_nothing_for_max_margin() -> None:
    vectors, labels = batch(0)
    plain = MaxMargin(margin=0.2)(vectors, labels)
    torch.testing.assert_close(MaxMargin(margin=0.2, mining=HardPairs(0.2))(vectors, labels), plain)
    paper = MaxMargin(margin=0.2, mining=HardPairs(0.2, paper=True))(vectors, labels)
    assert paper != plain


@pytest.mark.parametrize("kind", ALL)
def test_a_homonym_does_not_push_itself_away(kind: type) -> None:
    vectors = torch.tensor([[1.0, 0.0], [0.9, 0.1], [1.0, 0.0], [0.8, 0.3]], requires_grad=True)
    labels = torch.tensor([0, 0, 1, 1])
    homonyms = torch.zeros(4, 4, dtype=torch.bool)
    homonyms[0, 2] = homonyms[2, 0] = True
    assert kind()(vectors, labels, homonyms).item() < kind()(vectors, labels).item()
