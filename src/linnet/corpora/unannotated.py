"""Texts in an annotated corpus that nobody has finished annotating: they are not gold.

A reader marks such a document, and gives it no mentions: `extra[UNANNOTATED]` is the reason, a phrase that reads well
after "documents": `rejected by the annotator`. Where gold annotations are wanted, the document is left out and counted;
a text to link it remains.
"""

from __future__ import annotations

from linnet.types import Document

__all__ = ["UNANNOTATED", "reason_of"]

UNANNOTATED = "unannotated"


def reason_of(document: Document) -> str:
    """Why the document counts as not annotated; empty for one that is annotated, or holds no annotations at all."""
    reason = document.extra.get(UNANNOTATED, "")
    return reason if isinstance(reason, str) else ""
