"""BioC by laying every text at its offset in one long string, from plain objects or the standard library's XML."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

from tests.corpora.mutations import Found, Span, Unreadable, single_spaced

_ID_KEYS = re.compile(
    r"identifiers?|conceptids?|(mesh|medic|omim|umls|cui|ncbigene|ncbitaxonomy|ncbitaxon)(identifier|id)?|normalizedid|databaseid"
)


def parse_json(raw: bytes) -> list[Found]:
    """Every object with passages, however deep, in the order of the file."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(str(error)) from error
    try:
        values = [json.loads(text)]
    except ValueError:
        try:
            values = [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError as error:
            raise Unreadable(str(error)) from error
    return [_document(record, number) for number, record in enumerate(_with_passages(values), start=1)]


def parse_xml(raw: bytes) -> list[Found]:
    """The document elements, as the objects of BioC JSON."""
    try:
        # Names may hold more characters in XML's fifth edition than the standard library knows.
        root = ElementTree.fromstring(raw.replace("😀".encode(), b"_"))
        records = [_record(element) for element in root.iter("document")]
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Unreadable(str(error)) from error
    return [_document(record, number) for number, record in enumerate(records, start=1)]


def _with_passages(value: Any) -> list[Any]:
    if isinstance(value, dict):
        if "passages" in value:
            return [value]
        return [record for inner in value.values() for record in _with_passages(inner)]
    return [record for inner in value for record in _with_passages(inner)] if isinstance(value, list) else []


def _record(element: ElementTree.Element) -> dict[str, Any]:
    """A document, passage or sentence."""
    inner = element.findall("sentence")
    record: dict[str, Any] = {"annotations": [_annotation(child) for child in element.findall("annotation")]}
    if element.tag == "document":
        passages = [_record(child) for child in element.findall("passage")]
        return record | {"id": _text(element, "id"), "passages": passages}
    text = _text(element, "text")
    offset = int(_text(element, "offset")) if text or not inner else 0
    return record | {"offset": offset, "text": text, "sentences": [_record(child) for child in inner]}


def _annotation(element: ElementTree.Element) -> dict[str, Any]:
    infons: dict[str, str] = {}
    for infon in element.findall("infon"):
        key, value = infon.get("key", ""), "".join(infon.itertext())
        infons[key] = value if infons.get(key, value) == value else f"{infons[key]}|{value}"
    places = [
        {name: int(place.get(name, "")) for name in ("offset", "length")}
        for place in element.findall("location")
    ]
    return {"infons": infons, "locations": places}


def _text(element: ElementTree.Element, tag: str) -> str:
    child = element.find(tag)
    return "" if child is None else "".join(child.itertext())


def _document(record: Any, number: int) -> Found:
    sheet: dict[int, str] = {}
    annotations: list[Any] = []

    def lay(holder: Any) -> None:
        annotations.extend(holder.get("annotations") or ())
        for inner in holder.get("sentences") or ():
            lay(inner | {"text": ""} if holder.get("text") else inner)
        if holder.get("text"):
            sheet.update(enumerate(holder["text"], start=holder["offset"]))

    try:
        for passage in record["passages"]:
            lay(passage)
        annotations.extend(record.get("annotations") or ())
        spans = [_span(annotation, sheet) for annotation in annotations if annotation.get("locations")]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unreadable(repr(error)) from error
    given = record.get("id")
    return Found(str(number if given is None or given == "" else given), tuple(sorted(spans)))


def _span(annotation: Any, sheet: dict[int, str]) -> Span:
    starts = [place["offset"] for place in annotation["locations"]]
    ends = [place["offset"] + place["length"] for place in annotation["locations"]]
    text = "".join(sheet.get(at, " ") for at in range(min(starts), max(ends)))
    return min(starts), max(ends), single_spaced(text), _has_concept(annotation.get("infons") or {})


def _has_concept(infons: dict[str, Any]) -> bool:
    folded = {re.sub(r"[\W_]", "", key).lower(): value for key, value in infons.items()}
    type = _words(folded.get("type") or folded.get("semantictype")).lower()
    values = [_words(value) for key, value in folded.items() if _ID_KEYS.fullmatch(key)]
    named = [_words(folded.get(type + end)) for end in ("", "id", "identifier") if type]
    values += [value for value in named if re.fullmatch(r"\S*\d\S*", value)]
    return any(set(re.split(r"[|+,;]", value)) - {"", "-", "-1"} for value in values)


def _words(value: Any) -> str:
    """A word, a number, or the words of a list; nothing for what is nested deeper."""
    parts = value if isinstance(value, list) else [value]
    sound = all(isinstance(part, (str, int, float)) for part in parts)
    return "|".join(map(str, parts)) if sound else ""
