"""Linnet's JSON Lines and mention format, by lines and plain dictionaries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.corpora.mutations import Found, Unreadable, single_spaced

_NONE = {"", "-", "-1"}


def parse_documents(raw: bytes) -> list[Found]:
    documents = []
    for number, record in _records(raw):
        spans = []
        text = _text(record, "text")
        for mention in record.get("mentions") or ():
            start, end = mention["start"], mention["end"]
            surface = text[start:end]
            if mention.get("text") is not None and single_spaced(surface) != single_spaced(
                str(mention["text"])
            ):
                raise Unreadable(f"{surface!r} is not {mention['text']!r}")
            spans.append((start, end, single_spaced(surface), _concept(mention)))
        documents.append(Found(_id(record, number), tuple(sorted(spans))))
    return documents


def parse_mentions(raw: bytes) -> list[Found]:
    documents = []
    for number, record in _records(raw):
        text = _text(record, "text")
        left = "" if record.get("left") is None else str(record["left"])
        left += " " if (left[-1:] + text[:1]).isalnum() and left else ""
        id = record.get("document")
        span = (len(left), len(left) + len(text), single_spaced(text), _concept(record))
        documents.append(Found(_id(record, number) if id is None else str(id), (span,)))
    return documents


def _records(raw: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        for number, line in enumerate(raw.decode("utf-8-sig").split("\n"), 1):
            if line.strip():
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise Unreadable("no object")
                yield number, record
    except ValueError as error:
        raise Unreadable(str(error)) from error


def _text(record: dict[str, Any], name: str) -> str:
    if record.get(name) is None:
        raise Unreadable(f"no {name}")
    return str(record[name])


def _id(record: dict[str, Any], number: int) -> str:
    return str(number) if record.get("id") is None else str(record["id"])


def _concept(mention: dict[str, Any]) -> bool:
    given = next((mention[name] for name in ("concepts", "concept", "cui") if name in mention), None)
    ids = given if isinstance(given, list) else str(given or "").replace("+", "|").split("|")
    return any(str(id).strip() not in _NONE for id in ids)
