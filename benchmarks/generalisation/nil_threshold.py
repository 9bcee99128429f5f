"""NIL for programs that always answer: the score below which an answer is withheld, chosen on strings with gold.

The threshold that gets most strings right is chosen on one part and applied to another. A set without a tuning part is
halved, strings with an even place and with an odd one, and each half gets the threshold of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.generalisation.answers import Answer
from linnet.evaluate.gold import Gold, Predicted

__all__ = ["best_threshold", "by_other_half", "withheld"]


def best_threshold(answers: Sequence[Answer], golds: Sequence[Gold]) -> float:
    """The lowest score to believe with which most answers are right: equal to the gold set, or withheld for NIL."""
    scores = np.array([answer.confidence for answer in answers])
    right = np.array(
        [answer.predicted.concepts == gold.concepts for answer, gold in zip(answers, golds, strict=True)]
    )
    nil = np.array([not gold.concepts for gold in golds])
    thresholds = np.unique(np.append(scores, [0.0, np.inf]))
    counts = [int((right & (scores >= t)).sum() + (nil & (scores < t)).sum()) for t in thresholds]
    return float(thresholds[int(np.argmax(counts))])


def withheld(answers: Sequence[Answer], threshold: float) -> list[Answer]:
    """The answers, those that score less than the threshold as NIL."""
    return [
        answer
        if answer.confidence >= threshold
        else replace(answer, predicted=replace(answer.predicted, concepts=frozenset(), parts=()))
        for answer in answers
    ]


def by_other_half(answers: Sequence[Answer], golds: Sequence[Gold]) -> list[Answer]:
    """The answers with the threshold of the half that each does not belong to."""
    settled: list[Answer] = [Answer(Predicted(), 0.0)] * len(answers)
    for half in (0, 1):
        threshold = best_threshold(answers[1 - half :: 2], golds[1 - half :: 2])
        settled[half::2] = withheld(answers[half::2], threshold)
    return settled
