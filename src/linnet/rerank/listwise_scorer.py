"""From the features of candidates to the probability that each is right: a linear part and a hidden layer, then a softmax.

"None of these" takes part in the softmax. Its features are the maxima over the list: a low maximum of the cosine, say, is
evidence for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats, Mask
from linnet.system.blas import single_threaded_blas

__all__ = ["LIMIT", "ListwiseScorer"]

LIMIT = 5.0  # standardised features are clipped to ± this, so that an outlier cannot outweigh all else


@dataclass(frozen=True, slots=True)
class ListwiseScorer:
    """Weights for F features and H hidden units; H may be 0.

    centre, scale    (F,) mean and deviation of the features in training
    linear           (F,)         hidden (F, H), bias (H,), out (H,)
    none, none_bias  (F,), (1,) for "none of these"
    """

    centre: Floats
    scale: Floats
    linear: Floats
    hidden: Floats
    bias: Floats
    out: Floats
    none: Floats
    none_bias: Floats

    @classmethod
    def of(cls, arrays: Mapping[str, Any]) -> Self:
        """From arrays by name. Raises KeyError if one is missing."""
        return cls(**{field.name: np.asarray(arrays[field.name], np.float32) for field in fields(cls)})

    def arrays(self) -> dict[str, Floats]:
        """The weights by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def probabilities(self, features: Floats, present: Mask) -> Floats:
        """(N, k) the probability of each candidate, 0 without one. The rest to 1 in a row is that of "none of these".

        features  (N, k, F)        present  (N, k) whether there is a candidate
        """
        if not present.size:
            return np.zeros(present.shape, np.float32)
        with single_threaded_blas():
            return self._probabilities(features, present)

    def _probabilities(self, features: Floats, present: Mask) -> Floats:
        # Double precision: the order of BLAS sums depends on N; the difference must be too small to survive `reorder`.
        scaled = np.clip((features - self.centre) / self.scale, -LIMIT, LIMIT).astype(np.float64)
        logits = scaled @ self.linear
        if len(self.out):
            logits += np.maximum(scaled @ self.hidden + self.bias, 0) @ self.out
        logits = np.where(present, logits, -np.inf)
        best = np.where(present[..., None], scaled, -LIMIT).max(axis=1)
        none = best @ self.none + self.none_bias
        top = np.maximum(logits.max(axis=1), none)
        odds = np.exp(logits - top[:, None])
        total = odds.sum(axis=1) + np.exp(none - top)
        return np.asarray(odds / total[:, None], np.float32)
