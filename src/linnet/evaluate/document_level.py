"""Concepts per document, as a set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from linnet.evaluate.gold import Gold, Predicted

__all__ = ["document_counts", "documents_of_answers"]


def document_counts(
    gold: Iterable[tuple[str, frozenset[str]]], predicted: Iterable[tuple[str, frozenset[str]]]
) -> tuple[list[str], list[int], list[int], list[int]]:
    """Sorted document ids, and for each the number of right, predicted and gold concepts.

    gold, predicted  (document, concepts) of each annotation
    """
    gold_sets, predicted_sets = _by_document(gold), _by_document(predicted)
    documents = sorted(gold_sets.keys() | predicted_sets.keys())
    return (
        documents,
        [len(gold_sets[document] & predicted_sets[document]) for document in documents],
        [len(predicted_sets[document]) for document in documents],
        [len(gold_sets[document]) for document in documents],
    )


def _by_document(annotations: Iterable[tuple[str, frozenset[str]]]) -> defaultdict[str, set[str]]:
    concepts: defaultdict[str, set[str]] = defaultdict(set)
    for document, ids in annotations:
        concepts[document] |= ids
    return concepts


def documents_of_answers(
    golds: Sequence[Gold], predictions: Sequence[Predicted]
) -> list[tuple[str, frozenset[str]]]:
    """(document, emitted concepts) of answers to given mentions, for `document_counts`."""
    return [(gold.document, predicted.concepts) for gold, predicted in zip(golds, predictions, strict=True)]
