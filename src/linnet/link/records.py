"""Links as JSON-ready records: the shapes of the command line's contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.types import Document, Link, Mention

__all__ = ["document_record", "mention_record"]


def mention_record(link: Link) -> dict[str, Any]:
    """{"id", "text", "concepts", "name", "probability", "candidates"[, "parts"]}; `id` as it came in."""
    return {"id": _mention_id(link.mention), **_answer(link)}


def document_record(document: Document, links: Sequence[Link]) -> dict[str, Any]:
    """{"id", "text", "mentions": [{"start", "end", "text", "type", "concepts", "name", …}]}."""
    mentions = [
        {"start": link.mention.start, "end": link.mention.end, "type": link.mention.type, **_answer(link)}
        for link in links
    ]
    return {"id": document.id, "text": document.text, "mentions": mentions}


def _answer(link: Link) -> dict[str, Any]:
    record: dict[str, Any] = {
        "text": link.mention.text,
        "concepts": list(link.concepts),
        "name": link.name,
        "probability": link.probability,
        "candidates": [
            {"concept": c.concept, "name": c.name, "score": c.score, "origin": c.origin}
            for c in link.candidates
        ],
    }
    if link.parts:
        record["parts"] = [_answer(part) for part in link.parts]
    return record


def _mention_id(mention: Mention) -> str:
    return str(mention.extra.get("id", mention.document.id))
