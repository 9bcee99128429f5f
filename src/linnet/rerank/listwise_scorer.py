"""Features of candidates to the probability of each being the one meant: a linear part and a hidden layer, then a softmax.

"None of these" takes part in the softmax. Its features are, one by one, the greatest of the list: that the best cosine of
all is low, say, speaks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats, Mask
from linnet.blas import single_threaded_blas

__all__ = ["LIMIT", "ListwiseScorer"]

LIMIT = 5.0  # standardised features are cut at ± this, so that nothing unheard of outweighs everything


@dataclass(frozen=True, slots=True)
class ListwiseScorer:
    """Weights for F features and H hidden units; H may be 0.

    centre, scale  (F,) of the features in training
    linear         (F,)         hidden (F, H), bias (H,), out (H,)
    none, none_bias  (F,), (1,) of "none of these"
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
        """From arrays by name. Raises KeyError where one is missing."""
        return cls(**{field.name: np.asarray(arrays[field.name], np.float32) for field in fields(cls)})

    def arrays(self) -> dict[str, Floats]:
        """The weights by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def probabilities(self, features: Floats, there: Mask) -> Floats:
        """(N, k) the probability of each candidate; 0 where there is none. A row's sum falls short of 1 by that of "none".

        features  (N, k, F)        there  (N, k) whether there is a candidate
        """
        if not there.size:
            return np.zeros(there.shape, np.float32)
        with single_threaded_blas():
            return self._probabilities(features, there)

    def _probabilities(self, features: Floats, there: Mask) -> Floats:
        # In double precision: how BLAS sums depends on N, and what depends on that must be too small for `reordered` to see.
        scaled = np.clip((features - self.centre) / self.scale, -LIMIT, LIMIT).astype(np.float64)
        logits = scaled @ self.linear
        if len(self.out):
            logits += np.maximum(scaled @ self.hidden + self.bias, 0) @ self.out
        logits = np.where(there, logits, -np.inf)
        best = np.where(there[..., None], scaled, -LIMIT).max(axis=1)
        none = best @ self.none + self.none_bias
        top = np.maximum(logits.max(axis=1), none)
        odds = np.exp(logits - top[:, None])
        total = odds.sum(axis=1) + np.exp(none - top)
        return np.asarray(odds / total[:, None], np.float32)
