"""How far down the candidates the gold concepts are.

k counts concepts, not names, and of a mention that the system splits, the first k of each part count.
For a mention with one gold concept, Acc@k and recall@k say the same; they differ on composites.
"""

from __future__ import annotations

from collections.abc import Sequence

from linnet.evaluate.gold import Gold, Predicted

__all__ = ["KS", "accuracy_at_k", "recall_at_k", "reciprocal_ranks"]

KS = (1, 5, 20, 64)


def accuracy_at_k(golds: Sequence[Gold], predictions: Sequence[Predicted], *, k: int) -> list[bool]:
    """Per mention, whether *all* its gold concepts are among the first k; False for NIL."""
    return [
        bool(gold.concepts) and gold.concepts <= predicted.first(k)
        for gold, predicted in zip(golds, predictions, strict=True)
    ]


def recall_at_k(
    golds: Sequence[Gold], predictions: Sequence[Predicted], *, k: int
) -> tuple[list[int], list[int]]:
    """Per mention, how many of its gold concepts are among the first k, and how many there are.

    The micro-average, found over there, is recall@k.
    """
    pairs = list(zip(golds, predictions, strict=True))
    return [len(gold.concepts & predicted.first(k)) for gold, predicted in pairs], [
        len(gold.concepts) for gold, _ in pairs
    ]


def reciprocal_ranks(
    golds: Sequence[Gold], predictions: Sequence[Predicted]
) -> tuple[list[float], list[str]]:
    """Per gold *concept*, 1 / its rank (0 when it is not proposed), and the document it is in. The mean is MRR."""
    ranks, documents = [], []
    for gold, predicted in zip(golds, predictions, strict=True):
        for concept in sorted(gold.concepts):
            rank = predicted.rank(concept)
            ranks.append(1 / rank if rank else 0.0)
            documents.append(gold.document)
    return ranks, documents
