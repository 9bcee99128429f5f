"""NIL ("no concept") as a class of its own."""

from __future__ import annotations

from collections.abc import Sequence

from linnet.evaluate.gold import Gold, Predicted

__all__ = ["nil_counts"]


def nil_counts(
    golds: Sequence[Gold], predictions: Sequence[Predicted]
) -> tuple[list[int], list[int], list[int]]:
    """Per mention, 0 or 1: NIL on both sides, predicted NIL, gold NIL.

    A gold concept that the terminology lacks is not NIL: the annotator did mean a concept.
    """
    predicted_nil = [int(not predicted.concepts) for predicted in predictions]
    gold_nil = [int(not gold.concepts) for gold in golds]
    return [a & b for a, b in zip(predicted_nil, gold_nil, strict=True)], predicted_nil, gold_nil
