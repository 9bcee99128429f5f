"""Links as JSON-ready records, in the shapes of the command line's contract, and links from such records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linnet.corpora.link_output import TEXT_KIND
from linnet.types import Candidate, Document, Link, Mention

__all__ = ["document_record", "mention_record", "read_link", "span_record"]


def mention_record(link: Link, *, assertion: bool = False) -> dict[str, Any]:
    """{"id", "text", "concepts", "name", "probability", "candidates"[, "origin"][, "parts"]}; `id` as in the input.

    assertion  with what the mention's text was read as, where linnet looked for mentions in it
    """
    mention = link.mention
    id = str(mention.extra.get("id", mention.document.id))
    return {"id": id, **link.to_dict(), **(_text_kind(mention.document) if assertion else {})}


def document_record(document: Document, links: Sequence[Link], *, assertion: bool = False) -> dict[str, Any]:
    """{"id", "text"[, "text_kind"], "mentions": [{"start", "end", "text", "type", "concepts", "name", …}]}; the rest as
    `mention_record`."""
    kind = _text_kind(document) if assertion else {}
    mentions = [span_record(link) for link in links]
    return {"id": document.id, "text": document.text, **kind, "mentions": mentions}


def span_record(link: Link, *, assertion: bool = False) -> dict[str, Any]:
    """{"start", "end", "type", "text", "concepts", "name", …}; `assertion` as in `mention_record`."""
    mention = link.mention
    kind = _text_kind(mention.document) if assertion else {}
    return {"start": mention.start, "end": mention.end, "type": mention.type, **link.to_dict(), **kind}


def _text_kind(document: Document) -> dict[str, str]:
    return {TEXT_KIND: document.text_kind} if document.text_kind else {}


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
