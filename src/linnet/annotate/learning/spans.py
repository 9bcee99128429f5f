"""How many mentions are found, whatever they mean."""

from __future__ import annotations

from collections.abc import Sequence

from linnet.evaluate.annotation_match import match_counts
from linnet.evaluate.gold import Gold

__all__ = ["f1_scores"]


def f1_scores(
    golds: Sequence[Gold], found: Sequence[Gold], *, weak: bool, concepts: bool
) -> dict[str, float]:
    """Micro-averaged precision, recall and F1 of annotations; 0 where there is nothing.

    weak      spans match that overlap; else they must be equal
    concepts  the concepts must be right, too
    """
    _, matched, said, true = match_counts(golds, found, match="weak" if weak else "strong", concepts=concepts)
    right, all_said, all_true = sum(matched), sum(said), sum(true)
    precision = right / all_said if all_said else 0.0
    recall = right / all_true if all_true else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}
