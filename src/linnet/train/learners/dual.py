"""What a dual encoder is while it is trained: two encoders into one space."""

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
"""(n,) numbers of inputs given before → (n, D) raw vectors, with gradients."""


class DualLearner(nn.Module):
    """Mentions in context and described concepts → vectors, compared by Euclidean distance.

    body  what `linnet.rerank.dual` calls it        dimensions  of the vectors
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
        """A new one over what is learnt."""

    @abstractmethod
    def write(self, draft: Path) -> dict[str, Any]:
        """Writes what `linnet.rerank.dual` opens into a directory; returns the options that belong to the body."""
