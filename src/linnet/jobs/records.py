"""Links as JSON-ready records, in the shapes of the command line's contract, and links from such records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linnet.types import Candidate, Document, Link, Mention

__all__ = ["document_record", "mention_record", "read_link"]


def mention_record(link: Link) -> dict[str, Any]:
    """{"id", "text", "concepts", "name", "probability", "candidates"[, "origin"][, "parts"]}; `id` as in the input."""
    mention = link.mention
    return {"id": str(mention.extra.get("id", mention.document.id)), **link.to_dict()}


def document_record(document: Document, links: Sequence[Link]) -> dict[str, Any]:
    """{"id", "text", "mentions": [{"start", "end", "text", "type", "concepts", "name", …}]}."""
    mentions = [
        {"start": link.mention.start, "end": link.mention.end, "type": link.mention.type, **link.to_dict()}
        for link in links
    ]
    return {"id": document.id, "text": document.text, "mentions": mentions}


def read_link(record: Mapping[str, Any], document: Document) -> Link:
    """The link of a mention in a `document_record`, without the source and confidence of the mention.

    document  the document that the mention's offsets refer to
    """
    mention = Mention(
        document, record["start"], record["end"], record["text"], record["type"], tuple(record["concepts"])
    )
    return _read_link(record, mention)


def _read_link(record: Mapping[str, Any], mention: Mention) -> Link:
    parts = tuple(_read_link(part, Mention.alone(part["text"])) for part in record.get("parts", ()))
    candidates = tuple(Candidate(**candidate) for candidate in record["candidates"])
    assertion = record.get("assertion")
    return Link(
        mention,
        tuple(record["concepts"]),
        record["name"],
        record["probability"],
        candidates,
        parts,
        None if assertion is None else tuple(assertion),
        record.get("section", ""),
    )
