"""Links back from records, the inverse of `linnet.link.records`: what crosses processes and files is plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linnet.types import Candidate, Document, Link, Mention

__all__ = ["read_link"]


def read_link(record: Mapping[str, Any], document: Document) -> Link:
    """The link that a mention of `document_record` tells of, equal to the one it was made from (but for what else the
    recogniser said of the mention: its source and confidence).

    document  the one of the mention's offsets
    """
    mention = Mention(
        document,
        record["start"],
        record["end"],
        record["text"],
        record["type"],
        tuple(record["concepts"]),
    )
    return _link(record, mention)


def _link(record: Mapping[str, Any], mention: Mention) -> Link:
    parts = tuple(_link(part, Mention.alone(part["text"])) for part in record.get("parts", ()))
    candidates = tuple(
        Candidate(one["concept"], one["name"], one["score"], one["origin"]) for one in record["candidates"]
    )
    return Link(mention, tuple(record["concepts"]), record["name"], record["probability"], candidates, parts)
