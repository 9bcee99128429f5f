"""How good a model is on documents whose annotations are complete and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.annotate.learning.model import Model
from linnet.evaluate.annotation_match import match_counts
from linnet.evaluate.gold import Gold, golds_of
from linnet.evaluate.system import blank
from linnet.types import Document

__all__ = ["measure"]


def measure(model: Model, documents: Sequence[Document]) -> dict[str, Any] | None:
    """Scores as `linnet.annotate.api.schemas.learning.Metrics` shows them; None without documents."""
    if not documents:
        return None
    golds = golds_of(mention for document in documents for mention in document.mentions)
    predicted = model.predict(documents)
    found = [
        Gold(
            one.document.id,
            link.mention.start,
            link.mention.end,
            link.mention.text,
            "",
            frozenset(link.concepts),
        )
        for one in predicted
        for link in one.links
    ]
    return {
        "documents": len(documents),
        "mentions": len(golds),
        "spans": _scores(golds, found, match="strong", concepts=False),
        "weak": _scores(golds, found, match="weak", concepts=True),
        "strong": _scores(golds, found, match="strong", concepts=True),
        "linking": _linking(model, documents),
    }


def _scores(golds: Sequence[Gold], found: Sequence[Gold], *, match: Any, concepts: bool) -> dict[str, float]:
    _, matched, said, true = match_counts(golds, found, match=match, concepts=concepts)
    right, all_said, all_true = sum(matched), sum(said), sum(true)
    precision = right / all_said if all_said else 0.0
    recall = right / all_true if all_true else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}


def _linking(model: Model, documents: Sequence[Document]) -> float:
    """Share of the mentions whose concepts are right, NIL included, when the span is given."""
    truth = [frozenset(mention.concepts) for document in documents for mention in document.mentions]
    if not truth:
        return 0.0
    asked = [mention for document in blank(documents) for mention in document.mentions]
    links = model.linker.link(asked, k=1)
    return sum(frozenset(link.concepts) == right for link, right in zip(links, truth, strict=True)) / len(
        truth
    )
