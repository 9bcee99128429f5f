"""AdamW over rows: as torch's where every row has a gradient, and nothing where one has none."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")

from linnet.train.learners.adamw import SparseRowsAdamW  # noqa: E402


def tables(sparse: bool) -> tuple[torch.nn.Embedding, torch.nn.Linear]:
    torch.manual_seed(0)
    return torch.nn.Embedding(6, 4, sparse=sparse), torch.nn.Linear(4, 3)


def step(
    optimiser: torch.optim.Optimizer, embedding: torch.nn.Embedding, linear: torch.nn.Linear, ids: list[int]
) -> None:
    optimiser.zero_grad()
    linear(embedding(torch.tensor(ids))).square().sum().backward()
    optimiser.step()


def optimiser(embedding: torch.nn.Embedding, linear: torch.nn.Linear) -> SparseRowsAdamW:
    groups = [
        {"params": [embedding.weight, linear.weight], "weight_decay": 0.1},
        {"params": [linear.bias], "weight_decay": 0.0},
    ]
    return SparseRowsAdamW(groups, lr=0.01)


def test_it_is_adamw_where_every_row_has_a_gradient() -> None:
    ours, theirs = tables(True), tables(False)
    groups = [
        {"params": [theirs[0].weight, theirs[1].weight], "weight_decay": 0.1},
        {"params": [theirs[1].bias], "weight_decay": 0.0},
    ]
    optimisers = optimiser(*ours), torch.optim.AdamW(groups, lr=0.01)
    for ids in ([0, 1, 2, 3, 4, 5, 5], [5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5]):
        for model, made in zip((ours, theirs), optimisers, strict=True):
            step(made, *model, ids)
    for one, other in zip(ours, theirs, strict=True):
        for ours_, theirs_ in zip(one.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(ours_, theirs_)


def test_rows_without_a_gradient_stay_and_repeated_rows_move_once() -> None:
    embedding, linear = tables(True)
    before = embedding.weight.detach().clone()
    step(optimiser(embedding, linear), embedding, linear, [1, 3, 3])
    moved = (embedding.weight != before).any(1)
    assert moved.tolist() == [False, True, False, True, False, False]
    # The first step of Adam is the learning rate, whatever the gradient, besides the decay.
    torch.testing.assert_close(
        (embedding.weight - before * (1 - 0.01 * 0.1))[moved].abs(),
        torch.full((2, 4), 0.01),
        atol=1e-5,
        rtol=0,
    )


def test_a_resumed_optimiser_goes_on_as_if_it_had_not_stopped() -> None:
    whole, cut = tables(True), tables(True)
    made = optimiser(*whole)
    first = optimiser(*cut)
    for ids in ([0, 1], [1, 2]):
        step(made, *whole, ids)
        step(first, *cut, ids)
    again = optimiser(*cut)
    again.load_state_dict(first.state_dict())
    for ids in ([2, 3], [1, 1]):
        step(made, *whole, ids)
        step(again, *cut, ids)
    assert torch.equal(whole[0].weight, cut[0].weight)
    assert torch.equal(whole[1].weight, cut[1].weight)
