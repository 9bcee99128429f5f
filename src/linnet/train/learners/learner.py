"""What the tasks ask of an encoder that is being trained."""

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
        """A new one over what is learnt."""

    @abstractmethod
    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write a model directory that `linnet.encode.load_encoder` opens."""

    def numbered(self, texts: Sequence[str]) -> Callable[[Ints], Tensor]:
        """`forward` for texts that come again and again, asked for by number: (n,) numbers → (n, D) raw.

        A learner that can prepare texts overrides it.
        """
        return lambda numbers: self([texts[number] for number in numbers])
