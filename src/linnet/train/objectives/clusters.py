"""Le & Nguyen's objectives: mentions of one concept in one document learn together, as a cluster.

All share one call, `objective(mentions, clusters, positives, negatives)`:

    mentions   (M, D) raw vectors; the first mention of each cluster is its anchor (the sampler draws it at random)
    clusters   (M,) number of each mention's cluster: same concept, same document
    positives  (M, D) vector of each mention's concept
    negatives  (M, D) vector of each mention's hardest negative, see `hardest_negative`
    returns    () mean over what is compared: mentions or clusters

Margins and radii live on the scale of raw BERT-base vectors: on unit rows, whose distances are at most 2, a radius of 11
excludes nothing and `PrototypeSoftRadius` is `Prototype`. For another encoder set them from its mean radius.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["Prototype", "PrototypeSoftRadius", "TripletAll", "TripletDownSampled", "hardest_negative"]


def hardest_negative(anchors: Tensor, candidates: Tensor, allowed: Tensor) -> Tensor:
    """(N,) which of its candidates is nearest to each anchor; −1 where none is allowed.

    anchors (N, D)   candidates (N, K, D)   allowed (N, K) bool: false for gold candidates and padding
    """
    distances = (candidates - anchors[:, None]).square().sum(2)
    nearest = distances.masked_fill(~allowed, float("inf")).argmin(1)
    return torch.where(allowed.any(1), nearest, torch.full_like(nearest, -1))


class TripletAll:
    """Triplet loss on all mentions (TLA): mean of [D²(m,e⁺) − D²(m,e⁻) + margin]₊.

    squared  as in the paper (eq. 2); its release never squares
    Source: Le & Nguyen §3.2.1, margin 1.2 (MedMentions), 1.6 (BC5CDR). Choose it as the baseline.
    """

    def __init__(self, *, margin: float = 1.2, squared: bool = True) -> None:
        self.margin, self.squared = margin, squared

    def __call__(self, mentions: Tensor, clusters: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
        """The loss; see the module's text for the shapes."""
        power = 2 if self.squared else 1
        near, far = _distance(mentions, positives) ** power, _distance(mentions, negatives) ** power
        return (near - far + self.margin).relu().mean()


class TripletDownSampled(TripletAll):
    """Triplet loss on the anchor of each cluster only (TLD): one random mention per concept and document.

    Source: Le & Nguyen §4.2. Choose it where a few concepts have most of the mentions.
    """

    def __call__(self, mentions: Tensor, clusters: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
        """The loss; see the module's text for the shapes."""
        anchors = _first_of_each(clusters)
        return super().__call__(mentions[anchors], clusters[anchors], positives[anchors], negatives[anchors])


class Prototype:
    """Prototype triplet loss (PTL): a cluster's mean closer to its concept than to the anchor's hardest negative.

    Mean over clusters of [D(proto,e⁺) − D(proto,e⁻) + margin]₊, D Euclidean.
    Source: Le & Nguyen eq. 3. Choose it for documents that name a concept in several ways.
    """

    def __init__(self, *, margin: float = 1.2) -> None:
        self.margin = margin

    def __call__(self, mentions: Tensor, clusters: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
        """The loss; see the module's text for the shapes."""
        anchors = _first_of_each(clusters)
        _, number = clusters.unique(return_inverse=True)  # type: ignore[no-untyped-call]
        weights = self._members(mentions, number, anchors).to(mentions.dtype)
        sizes = torch.zeros(len(anchors), dtype=mentions.dtype, device=mentions.device).index_add(
            0, number, weights
        )
        sums = torch.zeros(len(anchors), mentions.shape[1], dtype=mentions.dtype, device=mentions.device)
        prototypes = sums.index_add(0, number, mentions * weights[:, None]) / sizes[:, None]
        near, far = _distance(prototypes, positives[anchors]), _distance(prototypes, negatives[anchors])
        return (near - far + self.margin).relu().mean()

    def _members(self, mentions: Tensor, number: Tensor, anchors: Tensor) -> Tensor:
        """(M,) bool, which mentions count in their cluster's prototype; number: (M,) of the cluster, from 0."""
        return torch.ones(len(mentions), dtype=torch.bool, device=mentions.device)


class PrototypeSoftRadius(Prototype):
    """Prototype triplet loss over the mentions within λ + ϵ of the anchor (PTL + SRN).

    λ is learnt: after each call it takes a gradient step of `rate` on ½(λ − r̄)², r̄ the mean radius (largest distance
    of a kept mention to its anchor) of the clusters seen that have more than one mention.

    radius  initial λ, 11.0 for BERT-base outputs       slack   ϵ, 1.0
    rate    0.005 (MedMentions), 0.01 (BC5CDR)
    Source: Le & Nguyen algorithm 1. Differs in nothing; the release's λ₀ = 10 and margin are the preset `le-nguyen-release`.
    Choose it where a document means different things by one concept's names.
    """

    def __init__(
        self, *, margin: float = 1.2, radius: float = 11.0, slack: float = 1.0, rate: float = 0.005
    ) -> None:
        super().__init__(margin=margin)
        self.radius, self.slack, self.rate = radius, slack, rate
        self.excluded = 0.0

    def _members(self, mentions: Tensor, number: Tensor, anchors: Tensor) -> Tensor:
        away = _distance(mentions, mentions[anchors][number]).detach()
        members = away <= self.radius + self.slack
        members[anchors] = True  # at distance 0; not lost to rounding
        self.excluded = float((~members).float().mean())
        radii = torch.zeros(len(anchors), dtype=away.dtype, device=away.device)
        radii = radii.scatter_reduce(0, number, away * members, "amax")
        several = torch.bincount(number, weights=members.to(away.dtype), minlength=len(anchors)) > 1
        if bool(several.any()):
            self.radius += self.rate * (float(radii[several].mean()) - self.radius)
        return members

    def state_dict(self) -> dict[str, float]:
        """The learnt radius."""
        return {"radius": self.radius}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Restore what `state_dict` returned."""
        self.radius = state["radius"]


def _first_of_each(clusters: Tensor) -> Tensor:
    """(C,) position of the first mention of each cluster, in the order of `clusters.unique()`."""
    _, number = clusters.unique(return_inverse=True)  # type: ignore[no-untyped-call]
    places = torch.arange(len(clusters), device=clusters.device)
    first = torch.full((int(number.max()) + 1,), len(clusters), device=clusters.device)
    return first.scatter_reduce(0, number, places, "amin")


def _distance(left: Tensor, right: Tensor) -> Tensor:
    return (left - right).square().sum(1).clamp(min=1e-12).sqrt()
