"""How far down the candidates the gold concepts are.

k counts concepts, not names, and of a mention that the system splits, the first k of each part count.
For a mention with one gold concept, Acc@k and recall@k say the same; they differ on composites.
"""

from __future__ import annotations

from collections.abc import Sequence

from linnet.evaluate.gold import Gold, Predicted

__all__ = ["KS", "Ranks", "accuracy_at_k", "gold_ranks", "recall_at_k", "reciprocal_ranks"]

KS = (1, 5, 20, 64)

Ranks = Sequence[tuple[int, ...]]
"""Per mention the rank of each gold concept from 1, in the order of their ids; 0 for one that is not proposed."""


def gold_ranks(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> Ranks:
    """Where the gold concepts are; what the other functions are given, because it is the slow part."""
    return [
        tuple(predicted.rank(concept) for concept in sorted(gold.concepts))
        for gold, predicted in zip(golds, predictions, strict=True)
    ]


def accuracy_at_k(ranks: Ranks, *, k: int) -> list[bool]:
    """Per mention, whether *all* its gold concepts are among the first k; False for a mention without any."""
    return [bool(places) and all(0 < place <= k for place in places) for places in ranks]


def recall_at_k(ranks: Ranks, *, k: int) -> tuple[list[int], list[int]]:
    """Per mention, how many of its gold concepts are among the first k, and how many there are.

    The micro-average, found over there, is recall@k.
    """
    return [sum(0 < place <= k for place in places) for places in ranks], list(map(len, ranks))


def reciprocal_ranks(ranks: Ranks, documents: Sequence[str]) -> tuple[list[float], list[str]]:
    """Per gold *concept*, 1 / its rank (0 when it is not proposed), and the document it is in. The mean is MRR."""
    pairs = [
        (1 / place if place else 0.0, document)
        for places, document in zip(ranks, documents, strict=True)
        for place in places
    ]
    return [value for value, _ in pairs], [document for _, document in pairs]
