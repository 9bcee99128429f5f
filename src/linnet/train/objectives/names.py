"""Objectives that align names: vectors and concept labels in, one number out.

All share the call `objective(vectors, labels, homonyms=None)`, so that one word in the run file swaps them:

    vectors   (B, D) raw; compared by cosine
    labels    (B,) concept of each name; equal labels are never negatives of each other
    homonyms  (B, B) bool, pairs that are never negatives of each other although their labels differ
    returns   () a mean over anchors or pairs, 0 where the batch has none

`mining` is `HardPairs(…)`, or None for all pairs of the batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.nn.functional import softplus

from linnet.train.objectives.pairs import HardPairs, Pairs, all_pairs, cosines

__all__ = [
    "NCA",
    "Circle",
    "Cosine",
    "InfoNCE",
    "LiftedStructure",
    "MaxMargin",
    "MultiSimilarity",
    "NameObjective",
]


class NameObjective(ABC):
    """Base of the objectives for names: chooses the pairs."""

    def __init__(self, *, mining: HardPairs | None = None) -> None:
        self.mining = mining

    def __call__(self, vectors: Tensor, labels: Tensor, homonyms: Tensor | None = None) -> Tensor:
        """The loss; see the module's text for the shapes."""
        pairs = all_pairs(labels, homonyms)
        if self.mining is not None:
            pairs = self.mining(vectors, pairs)
        return self.of_pairs(cosines(vectors), pairs)

    @abstractmethod
    def of_pairs(self, similarities: Tensor, pairs: Pairs) -> Tensor:
        """The loss of (B, B) cosines and the pairs that count."""


class MultiSimilarity(NameObjective):
    """Pull hard synonyms together, push hard non-synonyms apart, each weighted by its similarity.

    negative_scale a, positive_scale b, offset ε:
    mean over anchors of 1/a·log(1 + Σ_n exp(a(S−ε))) + 1/b·log(1 + Σ_p exp(−b(S−ε))).
    Source: Wang et al. 2019; SapBERT eq. 2 with its values a = 60, b = 1, ε = 0.5 (pytorch-metric-learning calls
    them beta and alpha). Choose it for synonyms without context, with mining.
    """

    def __init__(
        self,
        *,
        negative_scale: float = 60.0,
        positive_scale: float = 1.0,
        offset: float = 0.5,
        mining: HardPairs | None = None,
    ) -> None:
        super().__init__(mining=mining)
        self.negative_scale, self.positive_scale, self.offset = negative_scale, positive_scale, offset

    def of_pairs(self, similarities: Tensor, pairs: Pairs) -> Tensor:
        """See the class."""
        a, b = self.negative_scale, self.positive_scale
        away = _log_one_plus_sum(a * (similarities - self.offset), pairs.negative) / a
        together = _log_one_plus_sum(-b * (similarities - self.offset), pairs.positive) / b
        return (away + together).mean()


class Cosine(NameObjective):
    """Cosine of positives to 1, of negatives below a margin: mean of 1 − S and [S − margin]₊ over all pairs.

    Source: Phan et al. 2019, as compared in SapBERT table 6. Choose it as a baseline: it weighs all pairs alike.
    """

    def __init__(self, *, margin: float = 0.0, mining: HardPairs | None = None) -> None:
        super().__init__(mining=mining)
        self.margin = margin

    def of_pairs(self, similarities: Tensor, pairs: Pairs) -> Tensor:
        """See the class."""
        return _mean(1 - similarities, pairs.positive) + _mean(
            (similarities - self.margin).relu(), pairs.negative
        )


class MaxMargin(NameObjective):
    """Every positive closer than every negative by a margin: mean of [D(a,p) − D(a,n) + margin]₊ over the triplets
    that violate it, D the Euclidean distance of unit vectors.

    Mining with the same margin, as released, leaves just these triplets and so changes nothing.
    Source: Basaldella et al. 2020, as compared in SapBERT table 6. Choose it when ranks matter, not similarities.
    """

    def __init__(self, *, margin: float = 0.2, mining: HardPairs | None = None) -> None:
        super().__init__(mining=mining)
        self.margin = margin

    def of_pairs(self, similarities: Tensor, pairs: Pairs) -> Tensor:
        """See the class."""
        distances = (2 - 2 * similarities).clamp(min=1e-12).sqrt()
        anchor, positive = pairs.positive.nonzero(as_tuple=True)
        violation = (distances[anchor, positive][:, None] - distances[anchor] + self.margin).relu()
        violation = violation * pairs.negative[anchor]
        return violation.sum() / (violation > 0).sum().clamp(min=1)


class InfoNCE(NameObjective):
    """Each positive picked out from the anchor's negatives: −log of its softmax share at a temperature.

    Source: van den Oord et al. 2018; mean over positive pairs, each against its anchor's negatives only.
    Choose it for large batches without mining.
    """

    def __init__(self, *, temperature: float = 0.07, mining: HardPairs | None = None) -> None:
        super().__init__(mining=mining)
        self.temperature = temperature

    def of_pairs(self, similarities: Tensor, pairs: Pairs) -> Tensor:
        """See the class."""
        scaled = similarities / self.temperature
        anchor, positive = pairs.positive.nonzero(as_tuple=True)
        # An anchor without negatives is not counted; a finite filling keeps its gradient a number.
        least = torch.finfo(scaled.dtype).min
        against = scaled.masked_fill(~pairs.negative, least).logsumexp(1)[anchor]
        chosen = scaled[anchor, positive]
        counted = pairs.negative.any(1)[anchor]
        return ((torch.logaddexp(chosen, against) - chosen) * counted).sum() / counted.sum().clamp(min=1)


class NCA(NameObjective):
    """Neighbourhood components: −log of the share of all synonyms together in the anchor's softmax neighbourhood.

    Neighbours are weighted by exp(−scale · D²). Source: Goldberger et al. 2005; mean over anchors with a positive.
    Choose it when a name may have many synonyms in the batch.
    """

    def __init__(self, *, scale: float = 1.0, mining: HardPairs | None = None) -> None:
        super().__init__(mining=mining)
        self.scale = scale

    def of_pairs(self, similarities: Tensor, pairs: Pairs) -> Tensor:
        """See the class."""
        closeness = -self.scale * (2 - 2 * similarities)
        has = pairs.positive.any(1)
        share = _log_sum(closeness, pairs.positive | pairs.negative) - _log_sum(closeness, pairs.positive)
        return torch.where(has, share, torch.zeros_like(share)).sum() / has.sum().clamp(min=1)


class LiftedStructure(NameObjective):
    """Each positive pair against all negatives of both its names:
    mean of [log Σ_n exp(margin − D) + D(a,p)]₊² / 2, D the Euclidean distance of unit vectors.

    Source: Oh Song et al. 2016 eq. 4, with the margin read on distances. Choose it for small batches.
    """

    def __init__(self, *, margin: float = 1.0, mining: HardPairs | None = None) -> None:
        super().__init__(mining=mining)
        self.margin = margin

    def of_pairs(self, similarities: Tensor, pairs: Pairs) -> Tensor:
        """See the class."""
        distances = (2 - 2 * similarities).clamp(min=1e-12).sqrt()
        near = _log_sum(self.margin - distances, pairs.negative)
        anchor, positive = pairs.positive.nonzero(as_tuple=True)
        both = torch.logaddexp(near[anchor], near[positive])
        counted = torch.isfinite(both)
        losses = (
            torch.where(counted, both, torch.zeros_like(both)) + distances[anchor, positive]
        ).relu() ** 2 / 2
        return (losses * counted).sum() / counted.sum().clamp(min=1)


class Circle(NameObjective):
    """Each similarity weighted by how far it is from its optimum: softplus(logΣ_n + logΣ_p) per anchor.

    Source: Sun et al. 2020 eq. 6 with relaxation m = 0.4 and scale γ = 80. Choose it when positives and negatives
    converge at different speeds.
    """

    def __init__(
        self, *, relaxation: float = 0.4, scale: float = 80.0, mining: HardPairs | None = None
    ) -> None:
        super().__init__(mining=mining)
        self.relaxation, self.scale = relaxation, scale

    def of_pairs(self, similarities: Tensor, pairs: Pairs) -> Tensor:
        """See the class."""
        m, gamma = self.relaxation, self.scale
        fixed = similarities.detach()
        pull = -gamma * (1 + m - fixed).relu() * (similarities - (1 - m))
        push = gamma * (fixed + m).relu() * (similarities - m)
        both = pairs.positive.any(1) & pairs.negative.any(1)
        total = _log_sum(pull, pairs.positive) + _log_sum(push, pairs.negative)
        losses = softplus(torch.where(both, total, torch.full_like(total, float("-inf"))))
        return losses.sum() / both.sum().clamp(min=1)


def _log_sum(values: Tensor, mask: Tensor) -> Tensor:
    """(B,) log Σ exp over the masked entries of each row; −inf, with gradient 0, where there are none."""
    empty = ~mask.any(1)
    safe = torch.where(mask, values, torch.full_like(values, float("-inf")))
    safe = torch.where(empty[:, None], torch.zeros_like(safe), safe)
    return torch.where(empty, torch.full_like(values[:, 0], float("-inf")), safe.logsumexp(1))


def _log_one_plus_sum(values: Tensor, mask: Tensor) -> Tensor:
    """(B,) log(1 + Σ exp) over the masked entries of each row."""
    zero = torch.zeros_like(values[:, :1])
    masked = torch.where(mask, values, torch.full_like(values, float("-inf")))
    return torch.cat([zero, masked], 1).logsumexp(1)


def _mean(values: Tensor, mask: Tensor) -> Tensor:
    return (values * mask).sum() / mask.sum().clamp(min=1)
