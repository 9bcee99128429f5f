"""BioC XML: `<collection><document><passage><annotation>…`, read one document at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from linnet.corpora.bioc import HOLDS, document_of, record_of
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse, stop
from linnet.errors import DataError
from linnet.files import open_bytes, open_output
from linnet.types import Document

__all__ = ["read_bioc_xml", "write_bioc_xml"]

_HEADER = ("source", "date", "key")


def read_bioc_xml(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, as they are read. Raises or refuses DataError and OffsetError with the line.

    The collection's source, date, key and infons are kept in the first document's extra. No entity, DTD or network
    address in the file is followed.
    """
    from lxml import etree

    number = 0
    header: dict[str, Any] = {}
    with open_bytes(path) as stream:
        events = etree.iterparse(
            stream, events=("end",), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True
        )
        try:
            for _, element in events:
                parent = element.getparent()
                if parent is not None and parent.tag == "collection" and element.tag in (*_HEADER, "infon"):
                    _take_header(header, element)
                elif element.tag == "document":
                    number += 1
                    line = element.sourceline
                    try:
                        record = _node(element, path)
                        document = document_of(
                            record, number=number, collection=header, path=path, line=line, refuse=refuse
                        )
                    except DataError as error:
                        refuse(error)
                    else:
                        yield document
                    element.clear()
                    while parent is not None and element.getprevious() is not None:
                        del parent[0]
        except etree.XMLSyntaxError as error:
            raise DataError(
                f"not well-formed XML ({error.msg}). Is the file complete?",
                path=path,
                line=error.lineno or None,
            ) from None


def write_bioc_xml(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one collection, with the source, date and key of the one the first document came from.

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
        header.setdefault("infons", {})[element.get("key", "")] = element.text or ""
    else:
        header[element.tag] = element.text or ""


def _node(element: Any, path: str | Path) -> dict[str, Any]:
    """A document, passage, sentence, annotation or relation as the record of BioC JSON."""
    record: dict[str, Any] = {}
    if element.get("id") is not None:
        record["id"] = element.get("id")
    lists = {
        "passage": "passages",
        "sentence": "sentences",
        "annotation": "annotations",
        "relation": "relations",
    }
    if element.tag == "document":
        record["passages"] = []
    for child in element:
        tag = child.tag
        if tag in lists:
            record.setdefault(lists[tag], []).append(_node(child, path))
        elif tag == "infon":
            record.setdefault("infons", {})[child.get("key", "")] = child.text or ""
        elif tag == "location":
            place = {name: _number(child.get(name), child, path) for name in ("offset", "length")}
            record.setdefault("locations", []).append(place)
        elif tag == "node":
            record.setdefault("nodes", []).append(
                {"refid": child.get("refid", ""), "role": child.get("role", "")}
            )
        elif tag == "offset":
            record["offset"] = _number(child.text, child, path)
        elif tag in ("id", "text"):
            record[tag] = child.text or ""
    return record


def _number(text: str | None, element: Any, path: str | Path) -> int:
    try:
        return int(text or "")
    except ValueError:
        raise DataError(
            f"expected a whole number in <{element.tag}>, got '{text or ''}'.",
            path=path,
            line=element.sourceline,
        ) from None


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
    for one in holder.get("annotations", ()):
        yield f"<annotation{_id(one, lost)}>"
        yield from _infons(one, lost)
        for place in one.get("locations", ()):
            yield f'<location offset="{place["offset"]}" length="{place["length"]}"/>'
        yield f"<text>{_text(one.get('text') or '', lost)}</text></annotation>"
    for one in holder.get("relations", ()):
        yield f"<relation{_id(one, lost)}>"
        yield from _infons(one, lost)
        yield from _nodes(one.get("nodes", ()), lost)
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
    return escape(_held(str(value), lost), {"\r": "&#13;"})


def _attribute(value: Any, lost: Counter[str]) -> str:
    return quoteattr(_held(str(value), lost), {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


def _held(text: str, lost: Counter[str]) -> str:
    """The text with a space for every character that XML 1.0 (§2.2) cannot hold, which keeps the offsets."""
    held = "".join(c if _allowed(ord(c)) else " " for c in text) if not text.isprintable() else text
    lost["texts with control characters (now spaces)"] += held != text
    return held


def _allowed(code: int) -> bool:
    return code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
