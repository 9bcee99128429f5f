"""Scores of a model on documents whose annotations are complete, by the mentions that a person checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from linnet.active.model import Model
from linnet.active.span_index import SpanIndex
from linnet.active.training_data import UNCHANGED, checked
from linnet.arrays import Doubles
from linnet.evaluate.annotation_match import match_counts
from linnet.evaluate.gold import Gold, golds_of
from linnet.evaluate.interval import by_document, design_effect, wilson
from linnet.evaluate.system import blank
from linnet.link import Linker
from linnet.types import Document, Link, Mention

__all__ = ["f1_scores", "golds_in", "link_golds", "linking_accuracy", "measure", "predicted_golds"]


def measure(model: Model, documents: Sequence[Document]) -> dict[str, Any] | None:
    """Scores by what they measure; None without a checked mention.

    What was accepted unchanged is the guess of a model: neither it nor a prediction there counts, nor a document with nothing else.
    """
    seen = [(document, checked(document)) for document in documents]
    measured = [rest for document, rest in seen if rest.mentions or not document.mentions]
    if not (golds := golds_in(measured)):
        return None
    unchecked = {
        document.id: _spans(mention for mention in document.mentions if mention.source == UNCHANGED)
        for document in documents
    }
    known = {document.id: _spans(document.mentions) for document in measured}
    predicted = [
        prediction
        for prediction in predicted_golds(model, measured)
        if known[prediction.document].any(prediction.start, prediction.end)
        or not unchecked[prediction.document].any(prediction.start, prediction.end)
    ]
    right = _linked_right(model.linker, measured)
    return {
        "documents": len(measured),
        "mentions": len(golds),
        "unchanged": sum(len(document.mentions) - len(rest.mentions) for document, rest in seen),
        "spans": f1_scores(golds, predicted, weak=False, concepts=False),
        "weak": f1_scores(golds, predicted, weak=True, concepts=True),
        "strong": f1_scores(golds, predicted, weak=False, concepts=True),
        "linking": sum(right) / len(right),
        "linking_interval": _interval(
            by_document([gold.document for gold in golds], right, [1] * len(right))
        ),
    }


def _spans(mentions: Iterable[Mention]) -> SpanIndex:
    return SpanIndex([(mention.start, mention.end) for mention in mentions])


def _interval(sums: Doubles) -> tuple[float, float]:
    """95 % interval of a share. sums: (D, 2) right answers and their total per document."""
    right, total = sums.sum(axis=0)
    return wilson(right, total, effect=design_effect(sums[:, 0], sums[:, 1]))


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
    right = _linked_right(linker, documents)
    return sum(right) / len(right) if right else 0.0


def _linked_right(linker: Linker, documents: Sequence[Document]) -> list[bool]:
    truth = [frozenset(mention.concepts) for document in documents for mention in document.mentions]
    links = link_golds(linker, documents)
    return [frozenset(link.concepts) == concepts for link, concepts in zip(links, truth, strict=True)]


def f1_scores(
    golds: Sequence[Gold], predicted: Sequence[Gold], *, weak: bool, concepts: bool
) -> dict[str, Any]:
    """Micro-averaged precision, recall and F1 of annotations, 0 without annotations; and the 95 % interval of F1.

    weak      overlapping spans match; else only equal ones
    concepts  the concepts must be right, too

    The interval is Wilson's, as F1 is the share of the matched among all annotations of both sides: unlike that of a bootstrap, it has
    a width where every answer is right.
    """
    _, *columns = match_counts(golds, predicted, match="weak" if weak else "strong", concepts=concepts)
    counts = np.array(columns, np.float64).T.reshape(-1, 3)
    right, all_predicted, all_golds = map(float, counts.sum(axis=0))
    both = all_predicted + all_golds
    return {
        "precision": right / all_predicted if all_predicted else 0.0,
        "recall": right / all_golds if all_golds else 0.0,
        "f1": 2 * right / both if both else 0.0,
        "interval": _interval(np.column_stack([counts[:, 0], counts[:, 1:].sum(axis=1) / 2])),
    }
