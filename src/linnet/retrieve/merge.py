"""Several rankings of the same texts taken in turns (Le & Nguyen's merged candidate list)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linnet.retrieve.hits import Hits

__all__ = ["interleave"]


def interleave(rankings: Sequence[Hits], *, k: int) -> Hits:
    """The first of each ranking, then the second of each, and so on, each concept once, to k concepts.

    A concept keeps the name by which it came first, and the origins of all rankings it is in. Its score is the one it
    came with, lowered to that of the concept before it where it was higher: scores of rankings that measure
    different things cannot order the merged list, yet must not go up along it.
    """
    concepts, names, scores, origins = (
        np.stack([getattr(hits, field) for hits in rankings], axis=2).reshape(len(rankings[0]), -1)
        for field in ("concepts", "names", "scores", "origins")
    )
    first, together = _first_and_all(concepts, origins)
    place = np.cumsum(first, axis=1) - 1
    keep = first & (place < k)
    merged = Hits.empty(len(concepts), k)
    at = (np.nonzero(keep)[0], place[keep])
    merged.concepts[at] = concepts[keep]
    merged.names[at] = names[keep]
    merged.scores[at] = scores[keep]
    merged.origins[at] = together[keep]
    np.minimum.accumulate(merged.scores, axis=1, out=merged.scores)
    return merged


def _first_and_all(concepts: Any, origins: Any) -> tuple[Any, Any]:
    """Where a concept (not −1) stands for the first time in its row; and everywhere the origins it has in the row."""
    rows, width = concepts.shape
    key = (np.arange(rows)[:, None] * (concepts.max(initial=0) + 2) + concepts + 1).ravel()
    _, at, inverse = np.unique(key, return_index=True, return_inverse=True)
    first = np.zeros(rows * width, dtype=bool)
    first[at] = True
    together = np.zeros(len(at), np.uint16)
    np.bitwise_or.at(together, inverse, origins.ravel())
    return first.reshape(rows, width) & (concepts >= 0), together[inverse].reshape(rows, width)
