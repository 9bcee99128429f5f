"""BigBio's knowledge-base schema (`bigbio_kb`): passages, entities with offsets and normalised ids.

    {"document_id", "passages": [{"type", "text": ["…"], "offsets": [[0, 26]]}],
     "entities": [{"id", "offsets": [[0, 6]], "text": ["Asthma"], "type", "normalized": [{"db_name", "db_id"}]}], …}

Offsets count from the beginning of the document. Passages are joined into one text that fits them: a gap of one becomes a
space, a longer one line breaks. Events, coreferences and relations are counted and left out. Several normalised ids,
alternatives in some corpora and parts of a composite in others, become the mention's concepts.
Source: Fries et al. 2022, BigBio, appendix "kb schema". linnet does not write this format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.corpora.ids import as_curie
from linnet.corpora.json_records import json_objects
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.spans import checked, hull
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document, Mention

__all__ = ["read_bigbio"]

_LEFT_OUT = ("events", "coreferences", "relations")


def read_bigbio(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the whole file is held in memory. Raises or refuses DataError and OffsetError."""
    reading = FileReading(path, refuse, note)
    records = (
        (record, number, reading.on(line)) for number, (line, record) in enumerate(json_objects(reading), 1)
    )
    return reading.each(records, _document)


def _document(record: Mapping[str, Any], number: int, reading: FileReading) -> Document:
    id = str(record.get("document_id") or record.get("id") or number)
    reading = reading.at(f"document {id}")
    pieces: list[str] = []
    length = 0
    for text, start in sorted(_passages(record, reading), key=lambda passage: passage[1]):
        gap = start - length
        if gap < 0 or gap > max(1_000_000, 10 * length):
            raise reading.error(
                f"a passage begins at {start}, but the previous one ends at {length}. "
                "Expected offsets that count characters from the beginning of the document."
            )
        pieces += [" " if gap == 1 else "\n" * gap, text]
        length = start + len(text)
    home = Document(id, "".join(pieces))
    entities = record.get("entities") or []
    numbered = enumerate(entities if isinstance(entities, list) else [entities], start=1)
    mentions = reading.each(
        numbered, lambda place, entity: _mention(entity, home, reading.inside(f"entity {place}"))
    )
    document = home.with_mentions(list(mentions))
    for name in _LEFT_OUT:
        if record.get(name):
            reading.note(f"{name}, left out", len(record[name]) if isinstance(record[name], list) else 1)
    return document


def _passages(record: Mapping[str, Any], reading: FileReading) -> Iterator[tuple[str, int]]:
    """Text and start of every piece of every passage."""
    passages = record.get("passages")
    for passage in passages if isinstance(passages, list) else [passages]:
        texts = passage.get("text") if isinstance(passage, dict) else None
        offsets = passage.get("offsets") if isinstance(passage, dict) else None
        if (
            texts is None
            or offsets is None
            or not (_strings(texts) and _pairs(offsets) and len(texts) == len(offsets))
        ):
            raise reading.error(
                f'expected passages such as {{"text": ["…"], "offsets": [[0, 26]]}}, got {passage!r:.60}.'
            )
        yield from ((text, start) for text, (start, _) in zip(texts, offsets, strict=True))


def _mention(entity: Any, home: Document, reading: FileReading) -> Mention:
    spans = entity.get("offsets") if isinstance(entity, dict) else None
    if not spans or not _pairs(spans):
        raise reading.error(f'expected "offsets": [[start, end], …], got {spans!r:.60}.')
    texts = entity.get("text")
    surfaces = texts if _strings(texts) and len(texts) == len(spans) else [None] * len(spans)
    for (start, end), surface in zip(spans, surfaces, strict=True):
        checked(home.text, start, end, surface, reading)
    start, end = hull(spans)
    type = str(entity.get("type") or "")
    normalised = entity.get("normalized") or []
    items = normalised if isinstance(normalised, list) else [normalised]
    concepts = [_concept(item, type, reading) for item in items]
    extra: dict[str, Any] = {"spans": [list(span) for span in spans]} if len(spans) > 1 else {}
    kept = tuple(dict.fromkeys(filter(None, concepts)))
    return Mention(home, start, end, home.text[start:end], type, kept, extra=extra)


def _concept(item: Any, type: str, reading: FileReading) -> str:
    id = item.get("db_id") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not (id is None or isinstance(id, (str, int))):
        raise reading.error(f'expected "normalized": [{{"db_name", "db_id"}}], got {item!r:.60}.')
    text = "" if id is None else str(id).strip()
    if text in ("", "-1", "-"):
        return ""
    return as_curie(text, prefix="" if ":" in text else str(item.get("db_name") or ""), type=type)


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _pairs(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(type(place) is int for place in pair)
        for pair in value
    )
