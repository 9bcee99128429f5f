"""Ranks of the gold concepts among the candidates.

k counts concepts, not names. If the system splits a mention, the first k of each part count.
Acc@k and recall@k differ only for mentions with several gold concepts.
"""

from __future__ import annotations

from collections.abc import Sequence

from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.score import Score, share

__all__ = ["KS", "Ranks", "accuracy_at_k", "gold_ranks", "recall_at_k", "recall_score", "reciprocal_ranks"]

KS = (1, 5, 20, 64)

Ranks = Sequence[tuple[int, ...]]
"""Per mention, the rank of each gold concept from 1, sorted by id; 0 if the concept is not proposed."""


def gold_ranks(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> Ranks:
    """Ranks of the gold concepts. This is the slow step, so the other functions take its result."""
    return [
        tuple(predicted.rank(concept) for concept in sorted(gold.concepts))
        for gold, predicted in zip(golds, predictions, strict=True)
    ]


def accuracy_at_k(ranks: Ranks, *, k: int) -> list[bool]:
    """Per mention, whether *all* its gold concepts are among the first k; False if it has none."""
    return [bool(positions) and all(0 < position <= k for position in positions) for positions in ranks]


def recall_at_k(ranks: Ranks, *, k: int) -> tuple[list[int], list[int]]:
    """Per mention, the number of its gold concepts among the first k, and the number of its gold concepts.

    recall@k is the sum of the first over the sum of the second.
    """
    return [sum(0 < position <= k for position in positions) for positions in ranks], list(map(len, ranks))


def recall_score(ranks: Ranks, documents: Sequence[str], *, k: int) -> Score:
    """`recall@k` with its interval; `documents` has the document of each mention."""
    hits, total = recall_at_k(ranks, k=k)
    return share(f"recall@{k}", hits, documents, of=total)


def reciprocal_ranks(ranks: Ranks, documents: Sequence[str]) -> tuple[list[float], list[str]]:
    """Per gold *concept*, 1 / its rank (0 if it is not proposed), and its document. The mean is MRR."""
    pairs = [
        (1 / position if position else 0.0, document)
        for positions, document in zip(ranks, documents, strict=True)
        for position in positions
    ]
    return [value for value, _ in pairs], [document for _, document in pairs]
