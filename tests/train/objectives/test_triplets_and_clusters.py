"""Objectives for mentions, recomputed with plain loops."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet.train.objectives import (  # noqa: E402
    InBatch,
    NameTriplet,
    Prototype,
    PrototypeSoftRadius,
    TripletAll,
    TripletDownSampled,
    hardest_negative,
)

CLUSTERS = torch.tensor([7, 7, 7, 3, 3, 5])  # anchors are rows 0, 3 and 5


def away(left: torch.Tensor, right: torch.Tensor) -> float:
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(left.tolist(), right.tolist(), strict=True)))


def vectors(seed: int, rows: int = 6) -> torch.Tensor:
    return torch.randn(rows, 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_name_triplet_by_hand() -> None:
    m, p, n = (torch.tensor([row]) for row in ([0.0, 0.0], [3.0, 4.0], [0.0, 5.5]))
    assert NameTriplet()(m, p, n).item() == pytest.approx(5 - 5.5 + 1)
    assert NameTriplet(margin=5)(m, p, n).item() == pytest.approx(5 - 5.5 + 5)
    m, p, n = (torch.tensor([row]) for row in ([1.0, 0.0], [1.0, 1.0], [0.0, 2.0]))
    assert NameTriplet(distance="cosine")(m, p, n).item() == pytest.approx(max(1 - math.sqrt(0.5) - 1 + 1, 0))


def test_in_batch_masks_other_examples_of_the_same_concept() -> None:
    mentions, entities = vectors(0, 3), vectors(1, 3)
    scores = (mentions @ entities.T).tolist()
    expected = 0.0
    for i, against in enumerate([(0, 2), (1, 2), (0, 1, 2)]):  # rows 0 and 1 share a concept
        expected += math.log(sum(math.exp(scores[i][j]) for j in against)) - scores[i][i]
    assert InBatch()(mentions, entities, torch.tensor([4, 4, 9])).item() == pytest.approx(expected / 3)


@pytest.mark.parametrize("squared", [True, False])
def test_triplet_all_and_down_sampled(squared: bool) -> None:
    m, p, n = vectors(0), vectors(1), vectors(2)
    power = 2 if squared else 1
    losses = [max(away(m[i], p[i]) ** power - away(m[i], n[i]) ** power + 1.2, 0) for i in range(6)]
    every = TripletAll(squared=squared)(m, CLUSTERS, p, n)
    assert every.item() == pytest.approx(sum(losses) / 6)
    sampled = TripletDownSampled(squared=squared)(m, CLUSTERS, p, n)
    assert sampled.item() == pytest.approx((losses[0] + losses[3] + losses[5]) / 3)


def test_prototype_is_the_mean_of_the_cluster() -> None:
    m, p, n = vectors(0), vectors(1), vectors(2)
    members = {0: (0, 1, 2), 3: (3, 4), 5: (5,)}
    losses = [
        max(away(m[list(rows)].mean(0), p[a]) - away(m[list(rows)].mean(0), n[a]) + 1.6, 0)
        for a, rows in members.items()
    ]
    assert Prototype(margin=1.6)(m, CLUSTERS, p, n).item() == pytest.approx(sum(losses) / 3)


def test_soft_radius_leaves_far_mentions_out_and_follows_the_mean_radius() -> None:
    m = torch.tensor([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [0.0, 0.0], [0.0, 2.0], [4.0, 4.0]])
    p, n = torch.ones(6, 2), -torch.ones(6, 2)
    objective = PrototypeSoftRadius(margin=2.0, radius=2.5, slack=0.5, rate=0.1)
    loss = objective(m, CLUSTERS, p, n)
    prototypes = [torch.tensor([0.5, 0.0]), torch.tensor([0.0, 1.0]), torch.tensor([4.0, 4.0])]
    expected = sum(max(away(x, p[0]) - away(x, n[0]) + 2.0, 0) for x in prototypes) / 3
    assert loss.item() == pytest.approx(expected)
    assert objective.excluded == pytest.approx(1 / 6)
    assert objective.radius == pytest.approx(2.5 + 0.1 * ((1 + 2) / 2 - 2.5))


def test_a_wide_radius_is_the_prototype_loss() -> None:
    m, p, n = vectors(3), vectors(4), vectors(5)
    wide = PrototypeSoftRadius(radius=1e6)
    assert wide(m, CLUSTERS, p, n).item() == pytest.approx(Prototype()(m, CLUSTERS, p, n).item())
    assert wide.excluded == 0


def test_on_unit_rows_the_paper_radius_excludes_nothing() -> None:
    m = torch.nn.functional.normalize(vectors(6), dim=1)
    objective = PrototypeSoftRadius()
    objective(m, CLUSTERS, m, m)
    assert objective.excluded == 0


def test_radius_survives_saving() -> None:
    one, other = PrototypeSoftRadius(), PrototypeSoftRadius()
    one(vectors(0), CLUSTERS, vectors(1), vectors(2))
    other.load_state_dict(one.state_dict())
    assert other.radius == one.radius != 11.0


def test_hardest_negative_is_the_nearest_allowed_candidate() -> None:
    anchors = torch.zeros(2, 2)
    candidates = torch.tensor([[[1.0, 0], [2, 0], [3, 0]], [[1.0, 0], [2, 0], [3, 0]]])
    allowed = torch.tensor([[False, True, True], [False, False, False]])
    assert hardest_negative(anchors, candidates, allowed).tolist() == [1, -1]
