"""Batches of neighbouring concepts: clusters of the current vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Floats, Ints

__all__ = ["Neighbourhoods"]

_ROUNDS = 10  # of k-means
_A_CLUSTER = 64  # concepts for each cluster that k-means samples


class Neighbourhoods:
    """Clusters of concepts, and the pairs of each."""

    def __init__(self, labels: Ints, clusters: int) -> None:
        """labels: (P,) concept of each pair to draw from; clusters: their number, or fewer if there are few concepts."""
        self._labels = labels
        self._concepts, self._place = np.unique(labels, return_inverse=True)
        self._clusters = max(1, min(clusters, len(self._concepts) // 2))
        self._of: Ints = np.zeros(len(self._concepts), np.int64)
        self._arrange()

    def draw(self, vectors: Callable[[Ints], Floats], *, seed: int) -> None:
        """Cluster the concepts by cosine k-means. vectors: concepts (n,) → (n, D) raw."""
        import faiss

        points = np.ascontiguousarray(vectors(self._concepts))
        faiss.normalize_L2(points)
        kmeans = faiss.Kmeans(
            points.shape[1],
            self._clusters,
            niter=_ROUNDS,
            seed=seed % 2**31,
            spherical=True,
            max_points_per_centroid=_A_CLUSTER,
            min_points_per_centroid=1,
        )
        kmeans.train(points)
        _, nearest = kmeans.index.search(points, 1)
        self._of = nearest[:, 0].astype(np.int64)
        self._arrange()

    def near(self, count: int, rng: np.random.Generator) -> Ints:
        """(≤ count,) pairs of one neighbourhood, as places in `labels`; larger neighbourhoods are drawn more often."""
        cluster = self._of[self._place[rng.integers(len(self._labels))]]
        pairs = self._order[self._starts[cluster] : self._starts[cluster + 1]]
        return pairs if len(pairs) <= count else rng.choice(pairs, size=count, replace=False)

    def state(self) -> dict[str, Tensor]:
        """The cluster of each concept."""
        return {"neighbourhoods": torch.from_numpy(self._of)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where `state` was taken."""
        self._of = state["neighbourhoods"].numpy()
        self._arrange()

    def _arrange(self) -> None:
        clusters = self._of[self._place]
        self._order = np.argsort(clusters, kind="stable")
        self._starts = np.searchsorted(clusters[self._order], np.arange(self._clusters + 1))
