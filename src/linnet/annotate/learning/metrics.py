"""How good a model is on documents whose annotations are complete and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.annotate.learning.model import Model
from linnet.annotate.learning.spans import f1_scores
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
        "spans": f1_scores(golds, found, weak=False, concepts=False),
        "weak": f1_scores(golds, found, weak=True, concepts=True),
        "strong": f1_scores(golds, found, weak=False, concepts=True),
        "linking": _linking(model, documents),
    }


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
