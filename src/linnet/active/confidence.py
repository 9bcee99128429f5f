"""Confidence of a prediction, by which active learning orders documents."""

from __future__ import annotations

from linnet.types import Link

__all__ = ["confidence"]


def confidence(link: Link) -> float:
    """conf_NER + (s₁ − s₂), 0 to 2: the recogniser's confidence and the margin between the two best candidates.

    A recogniser without confidences counts as certain; a single candidate's margin is its score; a composite is as sure
    as the least sure of its parts.
    Source: TrainX, section 3. Scores are held between 0 and 1: probabilities where the reranker was asked, elsewhere cosines or
    those of exact matches.
    """
    recognised = 1.0 if link.mention.confidence is None else link.mention.confidence
    return float(recognised + min((_margin(part) for part in link.parts), default=_margin(link)))


def _margin(link: Link) -> float:
    scores = [max(0.0, min(1.0, candidate.score)) for candidate in link.candidates[:2]]
    if not scores:
        return 0.0
    return scores[0] - (scores[1] if len(scores) > 1 else 0.0)
