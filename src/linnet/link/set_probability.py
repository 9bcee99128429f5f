"""The probability of a set of concepts, from those of its parts: the one place where it is computed.

A calibrator with a curve for "set" maps it to a probability that has been measured; without one it is used as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from linnet.rerank.calibrator import Calibrator

__all__ = ["set_probability"]


def set_probability(parts: Sequence[float | None], confidence: float, calibrator: Calibrator) -> float | None:
    """The probability that these concepts and no others are meant.

    parts       of each concept, that it is linked right; taken as independent. None: unknown, and so is that of the set
    confidence  that the mention names just so many things, if all are linked right
    """
    known = [probability for probability in parts if probability is not None]
    if not known or len(known) < len(parts):
        return None
    raw = math.prod(known) * confidence
    return round(raw if len(parts) == 1 else calibrator.of_set(raw), 4)
