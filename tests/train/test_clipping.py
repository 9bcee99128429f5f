"""Clipping, dense and sparse."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet.train.clipping import clip_gradient  # noqa: E402


def gradients(*, sparse: bool) -> list[torch.nn.Parameter]:
    table = torch.nn.EmbeddingBag(5, 2, mode="sum", sparse=sparse)
    offset = torch.nn.Parameter(torch.zeros(2))
    torch.nn.init.ones_(table.weight)
    # Row 1 occurs twice: its gradient is (2, 2).
    (table(torch.tensor([[1, 1, 3]])) + 3 * offset).sum().backward()
    return [table.weight, offset, torch.nn.Parameter(torch.ones(1))]


@pytest.mark.parametrize("sparse", [False, True])
def test_the_norm_is_that_of_all_gradients_together(sparse: bool) -> None:
    expected = math.sqrt(2 * 2**2 + 2 * 1 + 2 * 3**2)
    parameters = gradients(sparse=sparse)
    assert clip_gradient(parameters, most=None) == pytest.approx(expected)
    assert clip_gradient(parameters, most=expected * 2) == pytest.approx(expected)
    assert clip_gradient(parameters, most=1.0) == pytest.approx(expected)
    assert clip_gradient(parameters, most=None) == pytest.approx(1.0)
    assert parameters[0].grad.to_dense()[1].tolist() == pytest.approx([2 / expected] * 2)


def test_nothing_to_clip_has_norm_0() -> None:
    assert clip_gradient([torch.nn.Parameter(torch.ones(1))], most=1.0) == 0.0
