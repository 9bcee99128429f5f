"""The contract of an encoder in training."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from linnet.arrays import Ints

__all__ = ["Learner"]


class Learner(nn.Module):
    """Texts → vectors, with gradients."""

    @abstractmethod
    def forward(self, texts: Sequence[str]) -> Tensor:
        """(N, D) raw."""

    @abstractmethod
    def optimiser(self) -> torch.optim.Optimizer:
        """A new optimiser over the trained parameters."""

    @abstractmethod
    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write a model directory that `linnet.encode.load_encoder` opens."""

    def numbered(self, texts: Sequence[str]) -> Callable[[Ints], Tensor]:
        """`forward` for recurring texts, by number: (n,) numbers → (n, D) raw. Overridden by learners that prepare texts."""
        return lambda numbers: self([texts[number] for number in numbers])
