"""DILBERT's objective: a mention closer to a name of its concept than to a name of another, by a margin."""

from __future__ import annotations

from typing import Literal

from torch import Tensor
from torch.nn.functional import cosine_similarity

__all__ = ["NameTriplet"]


class NameTriplet:
    """Mean of [s(m, c⁺) − s(m, c⁻) + margin]₊, s a distance.

    mentions, positives, negatives  (B, D) raw, row i one triplet
    distance                        "euclidean" of raw vectors, or "cosine" (1 − cosine)
    returns                         () mean over triplets
    Source: DILBERT, §3.2, margin 1; its release trains with 5 (the run-file preset `dilbert-release`).
    Choose it for transfer: it learns from mentions as well as names.
    """

    def __init__(
        self, *, margin: float = 1.0, distance: Literal["euclidean", "cosine"] = "euclidean"
    ) -> None:
        self.margin, self.distance = margin, distance

    def __call__(self, mentions: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
        """The loss; see the class for the shapes."""
        return (self._away(mentions, positives) - self._away(mentions, negatives) + self.margin).relu().mean()

    def _away(self, left: Tensor, right: Tensor) -> Tensor:
        if self.distance == "cosine":
            return 1 - cosine_similarity(left, right)
        return (left - right).square().sum(1).clamp(min=1e-12).sqrt()
