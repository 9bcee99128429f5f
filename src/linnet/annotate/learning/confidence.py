"""Confidence of predictions."""

from __future__ import annotations

from linnet.types import Link

__all__ = ["confidence"]


def confidence(link: Link) -> float:
    """conf_NER + (s₁ − s₂), 0 to 2: the recogniser's confidence and the margin between the two best candidates.

    Without a recogniser's confidence, 1. The margin of a single candidate is its score; that of a composite, the smallest of
    its parts.
    Source: TrainX, section 3; scores are those of linnet's retrieval, cosines or exact matches, clipped to 0 to 1.
    """
    recognised = 1.0 if link.mention.confidence is None else link.mention.confidence
    return float(recognised + min((_margin(part) for part in link.parts), default=_margin(link)))


def _margin(link: Link) -> float:
    scores = [max(0.0, min(1.0, candidate.score)) for candidate in link.candidates[:2]]
    if not scores:
        return 0.0
    return scores[0] - (scores[1] if len(scores) > 1 else 0.0)
