"""TrainX's objective: each mention picks its entity from those of the batch."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

__all__ = ["InBatch"]


class InBatch:
    """Cross-entropy of in-batch dot products.

    mentions, entities  (B, D) raw, row i of both is one example
    labels              (B,) concept of each example; two examples of one concept are not negatives of each other
    returns             () mean over examples
    Source: TrainX §3 (Gillick et al. 2019 in-batch sampling), batch 128. Differs: the mask for equal concepts.
    Choose it for two towers without mined negatives.
    """

    def __call__(self, mentions: Tensor, entities: Tensor, labels: Tensor) -> Tensor:
        """The loss; see the class for the shapes."""
        scores = mentions @ entities.T
        same = labels[:, None] == labels[None, :]
        same.fill_diagonal_(False)
        return cross_entropy(
            scores.masked_fill(same, float("-inf")), torch.arange(len(labels), device=scores.device)
        )
