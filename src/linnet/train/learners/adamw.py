"""AdamW that moves only the rows of a table that the batch touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

__all__ = ["SparseRowsAdamW"]


class SparseRowsAdamW(torch.optim.AdamW):
    """AdamW; of a parameter with a sparse gradient only the rows in the gradient change.

    So a step costs as much as its batch, not as the vocabulary, and rows of words that never occur stay as they are. The
    moments of other rows wait, as in torch.optim.SparseAdam, and weight decay too. Parameters with dense gradients are
    moved by one fused kernel on a CPU.
    Source: Loshchilov & Hutter 2019.
    """

    def __init__(self, params: Iterable[Any], *, lr: float) -> None:
        groups = list(params)
        on_cpu = all(tensor.device.type == "cpu" for group in groups for tensor in group["params"])
        super().__init__(groups, lr=lr, fused=on_cpu or None)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move what has a gradient; returns what `closure` returns."""
        loss = None if closure is None else torch.enable_grad()(closure)()
        sparse = [
            (group, table, table.grad.coalesce())
            for group in self.param_groups
            for table in group["params"]
            if table.grad is not None and table.grad.is_sparse
        ]
        for group, table, gradient in sparse:
            self._move_rows(group, table, gradient)
            table.grad = None  # AdamW refuses it
        super().step()
        for _, table, gradient in sparse:
            table.grad = gradient
        return loss

    def _move_rows(self, group: dict[str, Any], table: Tensor, gradient: Tensor) -> None:
        state = self.state[table]
        if not state:
            state["step"] = torch.zeros((), dtype=torch.float32)
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(table), torch.zeros_like(table)
        state["step"] += 1
        step, (beta1, beta2) = float(state["step"]), group["betas"]
        rows, values = gradient.indices()[0], gradient.values()
        mean = state["exp_avg"][rows].lerp_(values, 1 - beta1)
        square = state["exp_avg_sq"][rows].mul_(beta2).addcmul_(values, values, value=1 - beta2)
        state["exp_avg"][rows], state["exp_avg_sq"][rows] = mean, square
        scale = (square / (1 - beta2**step)).sqrt_().add_(group["eps"])
        kept = table[rows].mul_(1 - group["lr"] * group["weight_decay"])
        table[rows] = kept.addcdiv_(mean, scale, value=-group["lr"] / (1 - beta1**step))
