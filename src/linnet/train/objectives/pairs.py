"""The pairs of a batch of names to pull together and to push apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize

__all__ = ["HardPairs", "Pairs", "all_pairs", "cosines"]


class Pairs(NamedTuple):
    """Row i of each mask belongs to anchor i.

    positive  (B, B) bool, names of the anchor's concept        negative  (B, B) bool, names of other concepts
    """

    positive: Tensor
    negative: Tensor


def all_pairs(labels: Tensor, homonyms: Tensor | None = None) -> Pairs:
    """Every pair of a batch.

    labels    (B,) concept of each name
    homonyms  (B, B) bool, symmetric: pairs that share a concept although their labels differ (a text that names two
              concepts); they are neither positives nor negatives
    """
    same = labels[:, None] == labels[None, :]
    itself = torch.eye(len(labels), dtype=torch.bool, device=labels.device)
    negative = ~same if homonyms is None else ~same & ~homonyms
    return Pairs(same & ~itself, negative)


def cosines(vectors: Tensor) -> Tensor:
    """(B, B) cosine of every pair of the (B, D) vectors."""
    unit = normalize(vectors, dim=1)
    return unit @ unit.T


@dataclass(frozen=True, slots=True)
class HardPairs:
    """Online mining: the pairs of those triplets that violate a margin.

    A triplet (a, p, n) is kept when D(a,p) ≥ D(a,n) + sign·λ, D the Euclidean distance of unit vectors. A pair is kept
    when some kept triplet holds it, which the anchor's nearest negative and farthest positive decide: O(B²), not O(B³).

    margin  λ
    paper   sign + ("the negative is closer by a margin", SapBERT eq. 1); otherwise −, as in the SapBERT release,
            which trained the published weights and is what pytorch-metric-learning's TripletMarginMiner does
    """

    margin: float = 0.2
    paper: bool = False

    @torch.no_grad()
    def __call__(self, vectors: Tensor, pairs: Pairs) -> Pairs:
        """The hard ones among the pairs of (B, D) vectors."""
        distances = (2 - 2 * cosines(vectors)).clamp(min=0).sqrt()
        slack = self.margin if self.paper else -self.margin
        far = torch.tensor(float("inf"), device=distances.device, dtype=distances.dtype)
        nearest_negative = torch.where(pairs.negative, distances, far).amin(1, keepdim=True)
        farthest_positive = torch.where(pairs.positive, distances, -far).amax(1, keepdim=True)
        return Pairs(
            pairs.positive & (distances >= nearest_negative + slack),
            pairs.negative & (farthest_positive >= distances + slack),
        )
