"""PubAnnotation: `{"text", "sourcedb", "sourceid", "denotations": [{"id", "span": {"begin", "end"}, "obj"}]}`, also in an
array, one per line, or with the annotations of several projects in `tracks`.

`obj` is a type, a concept, or both (`Disease:D003920`). The attribute `pubann:denotes`, and any other id, is a concept.
Relations, other attributes and blocks are kept in `extra["pubannotation"]`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.ids import parse_concepts
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.spans import hull
from linnet.corpora.tools.concept_fields import concepts_in, type_and_concepts
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import list_field, preview, read_tasks, text_of, whole_number
from linnet.errors import DataError
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document

__all__ = ["read_pubannotation"]

_KNOWN = frozenset({"text", "denotations", "attributes", "tracks"})
_DENOTES = frozenset({"pubann:denotes", "denotes", "identifier", "skos:exactmatch"})


def read_pubannotation(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the whole file is held in memory. Ids are `SOURCEDB-SOURCEID`, with `-DIVID` for a division.

    A discontinuous span covers its hull; `extra["spans"]` keeps its pieces. Raises or refuses DataError and OffsetError.
    """
    return read_tasks(FileReading(path, refuse, note), _document)


def _document(record: Any, number: int, reading: FileReading) -> Document:
    text = text_of(record, ("text",), reading.at(f"document {number}"))
    id = _id(record) or str(number)
    reading = reading.at(f"document {id}")
    sets = [record, *list_field(record, "tracks", reading)]
    spans: list[MarkedSpan] = []
    for track in sets:
        if not isinstance(track, dict):
            reading.refuse(reading.error(f"expected a track, got {preview(track)}."))
            continue
        try:
            attributes = _attributes(list_field(track, "attributes", reading))
            denotations = list_field(track, "denotations", reading)
        except DataError as error:
            reading.refuse(error)
            continue
        project = track.get("project") if track is not record else None
        read = partial(_span, attributes=attributes, project=project, text=text)
        items = (
            (item, reading.inside(f"denotation {position}"))
            for position, item in enumerate(denotations, start=1)
        )
        spans += reading.each(items, read)
    other: dict[str, Any] = {name: value for name, value in record.items() if name not in _KNOWN}
    if record.get("blocks"):
        reading.note("documents with blocks, which are kept but not read as mentions", unread=True)
    relations = [
        relation
        for track in sets[1:]
        if isinstance(track, dict) and isinstance(track.get("relations"), list)
        for relation in track["relations"]
    ]
    if relations:
        other["relations"] = [*(other.get("relations") or []), *relations]
    extra = {"pubannotation": other} if other else {}
    return document_of(id, text, spans, "code points", reading, extra=extra)


def _id(record: Mapping[str, Any]) -> str:
    fields = [record.get(name) for name in ("sourcedb", "sourceid", "divid")]
    return "-".join(str(field) for field in fields if isinstance(field, (str, int)) and field != "")


def _attributes(attributes: Sequence[Any]) -> dict[Any, list[dict[str, Any]]]:
    about: defaultdict[Any, list[dict[str, Any]]] = defaultdict(list)
    for attribute in attributes:
        if isinstance(attribute, dict) and isinstance(attribute.get("subj"), (str, int)):
            about[str(attribute["subj"])].append(attribute)
    return about


def _span(
    item: Any,
    reading: FileReading,
    *,
    attributes: Mapping[Any, Sequence[Mapping[str, Any]]],
    project: Any,
    text: str,
) -> MarkedSpan:
    if not isinstance(item, dict):
        raise reading.error(f"expected an object with 'span' and 'obj', got {preview(item)}.")
    span = item.get("span")
    pieces = [_piece(piece, reading) for piece in (span if isinstance(span, list) else [span])]
    if not pieces or any(not 0 <= start < end <= len(text) for start, end in pieces):
        raise reading.error(
            f"span {preview(span)} is empty or lies outside the text of {len(text)} characters.",
            Step.SKIP_BAD_RECORD(),
        )
    obj = item.get("obj")
    if not isinstance(obj, (str, int)):
        raise reading.error(f"expected a type or an id in 'obj', got {preview(obj)}.")
    type, ids_of_label = type_and_concepts(str(obj))
    concepts, other = list(ids_of_label), []
    for attribute in attributes.get(str(item.get("id")), ()):
        ids = _ids(attribute, type)
        concepts.extend(id for id in ids if id not in concepts)
        if not ids:
            other.append(attribute)
    own: dict[str, Any] = {"attributes": other} if other else {}
    if project is not None:
        own["project"] = project
    extra: dict[str, Any] = {"pubannotation": own} if own else {}
    if len(pieces) > 1:
        extra["spans"] = [list(piece) for piece in pieces]
    return MarkedSpan(*hull(pieces), None, type, tuple(concepts), reading.item, extra)


def _piece(piece: Any, reading: FileReading) -> tuple[int, int]:
    if not isinstance(piece, dict):
        raise reading.error(f"expected 'begin' and 'end' in 'span', got {preview(piece)}.")
    begin = whole_number(piece.get("begin"), "begin", reading)
    return begin, whole_number(piece.get("end"), "end", reading)


def _ids(attribute: Mapping[str, Any], type: str) -> tuple[str, ...]:
    value = attribute.get("obj")
    if not isinstance(value, str):
        return ()
    if str(attribute.get("pred", "")).casefold() in _DENOTES:
        return parse_concepts(value, type=type)[0]
    return concepts_in(value, type=type)
