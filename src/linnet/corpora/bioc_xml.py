"""BioC XML (`<collection><document><passage><annotation>…`), read one document at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from linnet.corpora.bioc import HOLDS, document_of, record_of
from linnet.corpora.bioc_infons import Census
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.errors import DataError
from linnet.formats.refusal import Refuse, stop
from linnet.io.control_characters import CONTROL
from linnet.io.files import open_output
from linnet.io.xml import line_of, records, text_of
from linnet.types import Document

__all__ = ["read_bioc_xml", "write_bioc_xml"]

_HEADER = ("source", "date", "key")
# Element → its possible parents; other nesting is invalid.
_HOLDERS = {
    "passage": ("document",),
    "sentence": ("passage",),
    "annotation": ("document", "passage", "sentence"),
    "relation": ("document", "passage", "sentence"),
}


def read_bioc_xml(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, lazily. Raises or refuses DataError and OffsetError with the line.

    The collection's source, date, key and infons are kept in the first document's extra. Entities declared in the file
    are replaced by their text; a document with any other entity is refused (see `linnet.io.xml`).
    """
    header: dict[str, Any] = {}
    census, reading = Census(note), FileReading(path, refuse, note)
    number = 0
    for element in records(path, ("document",), header=(*_HEADER, "infon"), refuse=refuse):
        if element.tag != "document":
            _take_header(header, element)
            continue
        number += 1
        try:
            place = reading.on(line_of(element))
            document = document_of(_node(element, reading), number, header, census, place)
        except DataError as error:
            refuse(error)
        else:
            yield document
            header = {}
    census.close()


def write_bioc_xml(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one collection, with the source, date and key of the first document's collection.

    Control characters, which XML cannot hold, become spaces.
    """
    lost: Counter[str] = Counter()
    with open_output(path) as stream:
        stream.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n<collection>'
        )
        for number, document in enumerate(documents):
            lost += unheld(document, HOLDS)
            if number == 0:
                header = document.extra.get("bioc", {}).get("collection", {"source": "linnet"})
                stream.writelines(f"<{name}>{_text(header.get(name, ''), lost)}</{name}>" for name in _HEADER)
                stream.writelines(_infons(header, lost))
                stream.write("\n")
            stream.writelines(_document(record_of(document, lost), lost))
            stream.write("\n")
        stream.write("</collection>\n")
    return Losses(+lost)


def _take_header(header: dict[str, Any], element: Any) -> None:
    if element.tag == "infon":
        header.setdefault("infons", {})[element.get("key", "")] = text_of(element)
    else:
        header[element.tag] = text_of(element)


def _node(element: Any, file: FileReading) -> dict[str, Any]:
    """A document, passage, sentence, annotation or relation as a record of BioC JSON."""
    record: dict[str, Any] = {}
    if element.get("id") is not None:
        record["id"] = element.get("id")
    if element.tag == "document":
        record["passages"] = []
    for child in element:
        tag, reading = child.tag, file.on(line_of(child))
        if tag in _HOLDERS:
            if element.tag not in _HOLDERS[tag]:
                holders = "> or <".join(_HOLDERS[tag])
                raise reading.error(f"<{tag}> inside <{element.tag}>; expected it inside <{holders}>.")
            record.setdefault(f"{tag}s", []).append(_node(child, file))
        elif tag == "infon":
            if child.get("key") is None:
                raise reading.error(f"an <infon> in <{element.tag}> without a key.")
            _take_infon(record.setdefault("infons", {}), child, reading)
        elif tag == "location":
            place = {name: _number(child.get(name), child.tag, reading) for name in ("offset", "length")}
            record.setdefault("locations", []).append(place)
        elif tag == "node":
            record.setdefault("nodes", []).append(
                {"refid": child.get("refid", ""), "role": child.get("role", "")}
            )
        elif tag not in ("offset", "id", "text"):
            reading.note(f"<{tag}> elements in <{element.tag}>, which BioC does not have, left out")
        elif tag in record:
            raise reading.error(f"two <{tag}> in one <{element.tag}>; expected one.")
        else:
            record[tag] = _number(text_of(child), tag, reading) if tag == "offset" else text_of(child)
    return record


def _take_infon(infons: dict[str, str], element: Any, reading: FileReading) -> None:
    key, value = element.get("key", ""), text_of(element)
    if infons.get(key, value) != value:
        reading.note(f"infons '{key}' given again with another value, joined to the first with '|'")
        value = f"{infons[key]}|{value}"
    infons[key] = value


def _number(text: str | None, tag: str, reading: FileReading) -> int:
    try:
        return int(text or "")
    except ValueError:
        raise reading.error(f"expected a whole number in <{tag}>, got '{text or ''}'.") from None


def _document(record: dict[str, Any], lost: Counter[str]) -> Iterator[str]:
    yield f"<document><id>{_text(record['id'], lost)}</id>"
    yield from _infons(record, lost)
    for passage in record["passages"]:
        yield "<passage>"
        yield from _infons(passage, lost)
        yield from _body(passage, lost)
        for sentence in passage.get("sentences", ()):
            yield "<sentence>"
            yield from _infons(sentence, lost)
            yield from _body(sentence, lost)
            yield from _annotations(sentence, lost)
            yield "</sentence>"
        yield from _annotations(passage, lost)
        yield "</passage>"
    yield from _annotations(record, lost)
    yield "</document>"


def _body(holder: dict[str, Any], lost: Counter[str]) -> Iterator[str]:
    yield f"<offset>{holder['offset']}</offset>"
    if not holder.get("sentences"):
        yield f"<text>{_text(holder.get('text', ''), lost)}</text>"


def _annotations(holder: dict[str, Any], lost: Counter[str]) -> Iterator[str]:
    for annotation in holder.get("annotations", ()):
        yield f"<annotation{_id(annotation, lost)}>"
        yield from _infons(annotation, lost)
        for place in annotation.get("locations", ()):
            yield f'<location offset="{place["offset"]}" length="{place["length"]}"/>'
        yield f"<text>{_text(annotation.get('text') or '', lost)}</text></annotation>"
    for relation in holder.get("relations", ()):
        yield f"<relation{_id(relation, lost)}>"
        yield from _infons(relation, lost)
        yield from _nodes(relation.get("nodes", ()), lost)
        yield "</relation>"


def _nodes(nodes: Sequence[dict[str, Any]], lost: Counter[str]) -> Iterator[str]:
    for node in nodes:
        yield f"<node refid={_attribute(node.get('refid', ''), lost)} role={_attribute(node.get('role', ''), lost)}/>"


def _infons(holder: dict[str, Any], lost: Counter[str]) -> Iterator[str]:
    for key, value in (holder.get("infons") or {}).items():
        shown = "" if value is None else value
        lost["kinds of infon values (now strings)"] += not isinstance(value, str)
        yield f"<infon key={_attribute(key, lost)}>{_text(shown, lost)}</infon>"


def _id(record: dict[str, Any], lost: Counter[str]) -> str:
    return "" if record.get("id") is None else f" id={_attribute(record['id'], lost)}"


def _text(value: Any, lost: Counter[str]) -> str:
    from xml.sax.saxutils import escape  # brings urllib.request and ssl: only for writing

    return escape(_valid(str(value), lost), {"\r": "&#13;"})


def _attribute(value: Any, lost: Counter[str]) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(_valid(str(value), lost), {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


def _valid(text: str, lost: Counter[str]) -> str:
    """The text with a space for every character that XML 1.0 (§2.2) cannot hold, so that offsets still fit."""
    valid = "".join(c if _allowed(ord(c)) else " " for c in text) if not text.isprintable() else text
    lost[CONTROL] += valid != text
    return valid


def _allowed(code: int) -> bool:
    return code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
