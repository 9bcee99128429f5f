"""Clipping a gradient to a norm, sparse gradients of tables included."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

__all__ = ["clip_gradient"]


def clip_gradient(parameters: Iterable[Tensor], *, most: float | None) -> float:
    """The Euclidean norm of all gradients together, before they are scaled so that it is at most `most`."""
    entries = []
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if parameter.grad.is_sparse:  # repeated rows count as their sum
            parameter.grad = parameter.grad.coalesce()
        entries.append(parameter.grad.values() if parameter.grad.is_sparse else parameter.grad)
    norm = float(torch.nn.utils.get_total_norm(entries))
    if most is not None and norm > most:
        for entry in entries:
            entry.mul_(most / norm)
    return norm
