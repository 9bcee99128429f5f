"""The mention format: `{"id", "text", "left", "right", "document", "type", "concepts"}`, one mention per line.

Each line becomes a document made of the mention and its context. Only `text` is required; `concept` may replace
`concepts`. `mention.extra["id"]` is the mention's id, by default the line number. `document` is the document's id, by
default the mention's id; it shows which mentions belong together. Unknown fields are kept in `extra["mentions"]` and
written back.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from linnet.corpora.jsonl import concepts_of, string
from linnet.corpora.lines import records
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.formats.refusal import Refuse, stop
from linnet.io.files import open_output
from linnet.types import Document, Mention
from linnet.words.sentences import split_sentences

__all__ = ["context_of", "mention_document", "mention_id", "read_mentions", "write_mentions"]

_KNOWN = frozenset({"id", "text", "left", "right", "document", "type", "concepts", "concept", "cui"})
_HOLDS = frozenset({"mentions", "type", "concepts", "id", "combined", "attributes"})


def read_mentions(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """One document with one mention per line, in file order. Raises or refuses DataError; ids must not repeat."""
    seen: set[str] = set()
    reading = FileReading(path, refuse, note)

    def document(line: int, record: dict[str, Any]) -> Document:
        document = mention_document(record, reading.on(line))
        id = document.mentions[0].extra["id"]
        if "id" in record and id in seen:
            message = f"mention id '{id}' occurs twice. Give every mention its own id."
            raise reading.on(line).error(message)
        if "id" in record:
            seen.add(id)
        return document

    return reading.each(records(reading), document)


def mention_document(record: dict[str, Any], reading: FileReading, *, id: str | None = None) -> Document:
    """The document of a record: the mention in its context.

    id  default for the mention's id; None: the line number
    """
    text = string(record, "text", reading)
    if not text.strip():
        raise reading.error("the mention's text is empty. Remove the line, or write the text to link.")
    own_id = string(record, "id", reading, default=id or str(reading.line))
    alone = Mention.alone(
        text,
        left=string(record, "left", reading, default=""),
        right=string(record, "right", reading, default=""),
        document=string(record, "document", reading, default=own_id),
        type=string(record, "type", reading, default=""),
    )
    concepts, combined = concepts_of(record, reading)
    extra: dict[str, Any] = {"id": own_id}
    if combined:
        extra["combined"] = True
    other = {name: value for name, value in record.items() if name not in _KNOWN}
    if isinstance(other.get("attributes"), dict):
        extra["attributes"] = other.pop("attributes")
    own = {"document": "document" in record} | ({"fields": other} if other else {})
    return Document(
        alone.document.id,
        alone.document.text,
        (replace(alone, concepts=concepts, extra=extra),),
        {"mentions": own},
    )


def write_mentions(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write every mention with its sentence as context; documents read from this format keep their whole context.

    The default id is made of document and offsets; repeated ids get `#2`, `#3` …
    """
    lost: Counter[str] = Counter()
    ids: Counter[str] = Counter()
    with open_output(path) as stream:
        for document in documents:
            whole = "mentions" in document.extra
            lost += unheld(document, _HOLDS)
            lost["text outside the sentences with mentions, in documents"] += not whole
            spans = [] if whole else split_sentences(document.text)
            for mention in document.mentions:
                record = _record(mention, spans, whole)
                ids[record["id"]] += 1
                if ids[record["id"]] > 1:  # ids must not repeat; default ids may change silently
                    lost["exact mention ids"] += "id" in mention.extra
                    record["id"] += f"#{ids[record['id']]}"
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    return Losses(lost)


def mention_id(mention: Mention) -> str:
    """The mention's id, or a default made of document and offsets."""
    fallback = f"{mention.document.id}:{mention.start}-{mention.end}"
    return str(mention.extra.get("id", fallback))


def context_of(mention: Mention, sentences: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """The text left and right of a mention in its sentences."""
    text = mention.document.text
    begin = max((start for start, _ in sentences if start <= mention.start), default=0)
    stop = min((end for _, end in sentences if end >= mention.end), default=mention.end)
    return text[begin : mention.start], text[mention.end : stop]


def _record(mention: Mention, spans: list[tuple[int, int]], whole: bool) -> dict[str, Any]:
    document = mention.document
    left, right = context_of(mention, [(0, len(document.text))] if whole else spans)
    own = document.extra.get("mentions", {})
    record: dict[str, Any] = {"id": mention_id(mention), "text": mention.text, "left": left, "right": right}
    if own.get("document", True):
        record["document"] = document.id
    if mention.type:
        record["type"] = mention.type
    if mention.concepts:
        combined = mention.extra.get("combined") and len(mention.concepts) > 1
        record["concepts"] = "+".join(mention.concepts) if combined else list(mention.concepts)
    if mention.extra.get("attributes"):
        record["attributes"] = mention.extra["attributes"]
    record.update(own.get("fields", {}))
    return record
