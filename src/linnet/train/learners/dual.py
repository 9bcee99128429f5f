"""The contract of a dual encoder in training: two encoders into one space."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from linnet.arrays import Ints
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext

__all__ = ["DualLearner", "Encode"]

Encode = Callable[[Ints], Tensor]
"""(n,) numbers of prepared inputs → (n, D) raw vectors, with gradients."""


class DualLearner(nn.Module):
    """Mentions in context and described concepts → vectors, compared by Euclidean distance.

    body  its name in `linnet.rerank.dual`        dimensions  of the vectors
    """

    body: str
    dimensions: int

    @abstractmethod
    def mentions(self, contexts: Sequence[MentionInContext]) -> Encode:
        """Prepares inputs that come again and again."""

    @abstractmethod
    def entities(self, described: Sequence[DescribedConcept]) -> Encode:
        """Prepares inputs that come again and again."""

    @abstractmethod
    def optimiser(self) -> torch.optim.Optimizer:
        """A new optimiser over the trained parameters."""

    @abstractmethod
    def write(self, draft: Path) -> dict[str, Any]:
        """Write the files that `linnet.rerank.dual` opens; returns the body's options."""
