"""Documents of an annotated corpus whose annotation is unfinished: they are not gold.

A reader gives such a document no mentions and sets `extra[UNANNOTATED]` to the reason, a phrase to follow "documents":
`rejected by the annotator`. If gold annotations are required, the document is left out and counted; its text can still
be linked.
"""

from __future__ import annotations

from linnet.types import Document

__all__ = ["UNANNOTATED", "reason_of"]

UNANNOTATED = "unannotated"


def reason_of(document: Document) -> str:
    """Why the document counts as not annotated; "" for other documents."""
    reason = document.extra.get(UNANNOTATED, "")
    return reason if isinstance(reason, str) else ""
