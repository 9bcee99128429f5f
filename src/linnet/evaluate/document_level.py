"""Concepts per document, whoever mentioned them and how often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from linnet.evaluate.gold import Gold, Predicted

__all__ = ["document_counts", "documents_of_answers"]


def document_counts(
    gold: Iterable[tuple[str, frozenset[str]]], predicted: Iterable[tuple[str, frozenset[str]]]
) -> tuple[list[str], list[int], list[int], list[int]]:
    """Document ids in order, and for each the number of concepts that are right, predicted, and gold.

    gold, predicted  (document, concepts) of each annotation
    """
    true: defaultdict[str, set[str]] = defaultdict(set)
    said: defaultdict[str, set[str]] = defaultdict(set)
    for into, pairs in ((true, gold), (said, predicted)):
        for document, concepts in pairs:
            into[document] |= concepts
    documents = sorted(true.keys() | said.keys())
    return (
        documents,
        [len(true[document] & said[document]) for document in documents],
        [len(said[document]) for document in documents],
        [len(true[document]) for document in documents],
    )


def documents_of_answers(
    golds: Sequence[Gold], predictions: Sequence[Predicted]
) -> list[tuple[str, frozenset[str]]]:
    """(document, emitted concepts) of answers to given mentions, for `document_counts`."""
    return [(gold.document, predicted.concepts) for gold, predicted in zip(golds, predictions, strict=True)]
