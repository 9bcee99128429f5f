"""Adagrad with a learning rate for each row of a table instead of each entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

__all__ = ["RowAdagrad"]


class RowAdagrad(torch.optim.Optimizer):
    """row ← row − lr · gradient / √(Σ over steps of the mean square of the row's gradient).

    Only rows with a gradient change, so the cost of a step depends on the batch. Takes sparse (B, D) gradients without
    repeated rows, and dense ones. Source: Duchi et al. 2011, with the row-wise sum of Mudigere et al. 2022 §4.1.
    """

    def __init__(self, params: Iterable[Tensor], *, lr: float = 0.1, epsilon: float = 1e-10) -> None:
        super().__init__(params, {"lr": lr, "epsilon": epsilon})
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["squares"] = torch.zeros(len(parameter), device=parameter.device)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move the rows that have a gradient; returns what `closure` returns."""
        loss = None if closure is None else torch.enable_grad()(closure)()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                gradient = parameter.grad
                if gradient.is_sparse:
                    gradient = gradient.coalesce()
                    rows, values = gradient.indices()[0], gradient.values()
                else:
                    rows, values = torch.arange(len(parameter), device=parameter.device), gradient
                squares = self.state[parameter]["squares"]
                squares.index_add_(0, rows, values.square().mean(1))
                scale = -group["lr"] / (squares[rows].sqrt() + group["epsilon"])
                parameter.index_add_(0, rows, values * scale[:, None])
        return loss
