"""Scores of a model on documents whose annotations are complete and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.annotate.learning.model import Model
from linnet.evaluate.annotation_match import match_counts
from linnet.evaluate.gold import Gold, golds_of
from linnet.evaluate.system import blank
from linnet.link import Linker
from linnet.types import Document, Link

__all__ = ["f1_scores", "golds_in", "link_golds", "linking_accuracy", "measure", "predicted_golds"]


def measure(model: Model, documents: Sequence[Document]) -> dict[str, Any] | None:
    """Scores as `linnet.annotate.api.schemas.learning.Metrics` shows them; None without documents."""
    if not documents:
        return None
    golds, predicted = golds_in(documents), predicted_golds(model, documents)
    return {
        "documents": len(documents),
        "mentions": len(golds),
        "spans": f1_scores(golds, predicted, weak=False, concepts=False),
        "weak": f1_scores(golds, predicted, weak=True, concepts=True),
        "strong": f1_scores(golds, predicted, weak=False, concepts=True),
        "linking": linking_accuracy(model.linker, documents),
    }


def golds_in(documents: Sequence[Document]) -> list[Gold]:
    """The annotated mentions of documents, in order."""
    return golds_of(mention for document in documents for mention in document.mentions)


def predicted_golds(model: Model, documents: Sequence[Document]) -> list[Gold]:
    """The mentions that a model finds in documents, in order, with the concepts that it links them to."""
    return [
        Gold(
            document=predicted.document.id,
            start=link.mention.start,
            end=link.mention.end,
            text=link.mention.text,
            concepts=frozenset(link.concepts),
        )
        for predicted in model.predict(documents)
        for link in predicted.links
    ]


def link_golds(linker: Linker, documents: Sequence[Document]) -> list[Link]:
    """Links of the annotated mentions, in order, given their spans but not their concepts."""
    return linker.link([mention for document in blank(documents) for mention in document.mentions], k=1)


def linking_accuracy(linker: Linker, documents: Sequence[Document]) -> float:
    """Share of the mentions with exactly the right concepts, NIL included, given their spans; 0 without mentions."""
    truth = [frozenset(mention.concepts) for document in documents for mention in document.mentions]
    links = link_golds(linker, documents)
    right = sum(frozenset(link.concepts) == concepts for link, concepts in zip(links, truth, strict=True))
    return right / len(truth) if truth else 0.0


def f1_scores(
    golds: Sequence[Gold], predicted: Sequence[Gold], *, weak: bool, concepts: bool
) -> dict[str, float]:
    """Micro-averaged precision, recall and F1 of annotations; 0 without annotations.

    weak      overlapping spans match; else only equal ones
    concepts  the concepts must be right, too
    """
    _, *counts = match_counts(golds, predicted, match="weak" if weak else "strong", concepts=concepts)
    right, all_predicted, all_golds = (sum(count) for count in counts)
    precision = right / all_predicted if all_predicted else 0.0
    recall = right / all_golds if all_golds else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}
