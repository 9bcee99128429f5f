"""TrainX's active sampling: the document with the least confident prediction comes next."""

from __future__ import annotations

import math

from linnet.active.strategies.pool import Pool
from linnet.active.strategies.shuffled import shuffled

__all__ = ["least_confident"]


def least_confident(pool: Pool) -> list[int]:
    """Documents with the least confident prediction first, documents without predictions last.

    Ties, which are common with the first model, are in random order.
    Source: TrainX (Oberhauser et al. 2020), section 3: conf(ann) = conf_NER(ann) + (cos(q, e₁) − cos(q, e₂)), documents by
    their least confident annotation.
    """
    confidence = [min(document.confidences, default=math.inf) for document in pool.documents]
    return sorted(shuffled(pool), key=confidence.__getitem__)
