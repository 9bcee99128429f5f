"""TeXoo and BigBio, by dictionaries."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.corpora.mutations import Found, Span, Unreadable, single_spaced

_NONE = {"", "-", "-1"}


def parse_texoo(raw: bytes) -> list[Found]:
    documents = []
    for record in _records(raw):
        documents += record["documents"] if isinstance(record.get("documents"), list) else [record]
    found = []
    for number, document in enumerate(documents, 1):
        id = document.get("id")
        text = str(document["text"])
        spans = []
        for item in filter(lambda item: isinstance(item, dict), document.get("annotations") or ()):
            if not str(item.get("class", "MentionAnnotation")).endswith(
                ("MentionAnnotation", "NamedEntityAnnotation")
            ):
                continue
            ids = re.split("[|+]", str(item.get("refId") or ""))
            spans.append(_span(text, item["begin"], item["begin"] + item["length"], item.get("text"), ids))
        found.append(Found(str(number if id is None else id), tuple(sorted(spans))))
    return found


def parse_bigbio(raw: bytes) -> list[Found]:
    found = []
    for number, record in enumerate(_records(raw), 1):
        letters: dict[int, str] = {}
        for passage in record["passages"]:
            for text, (start, _) in zip(passage["text"], passage["offsets"], strict=True):
                letters.update(enumerate(text, start))
        size = max(letters, default=-1) + 1
        text = "".join(letters.get(place, " ") for place in range(size))
        spans = []
        for entity in record.get("entities") or ():
            low = min(start for start, _ in entity["offsets"])
            high = max(end for _, end in entity["offsets"])
            ids = [
                str("" if (id := item.get("db_id")) is None else id)
                for item in entity.get("normalized") or ()
            ]
            spans.append(_span(text, low, high, None, ids))
        found.append(
            Found(str(record.get("document_id") or record.get("id") or number), tuple(sorted(spans)))
        )
    return found


def _span(text: str, start: int, end: int, surface: object, ids: list[str]) -> Span:
    if surface is not None and single_spaced(text[start:end]) != single_spaced(str(surface)):
        raise Unreadable(f"{text[start:end]!r} is not {surface!r}")
    return start, end, single_spaced(text[start:end]), any(id.strip() not in _NONE for id in ids)


def _records(raw: bytes) -> list[dict[str, Any]]:
    text = raw.decode("utf-8-sig")
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError as error:
            raise Unreadable(str(error)) from error
    return value if isinstance(value, list) else [value]
