"""MedCATtrainer: `{"projects": [{"documents": [{"text", "annotations": [{"cui", "start", "end", "value", …}]}]}]}`.

Only annotations that a person confirmed, corrected or added are read. Mentions have no type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.ids import as_curie
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import list_field, preview, text_of, whole_number
from linnet.errors import DataError
from linnet.formats.refusal import Refuse, stop
from linnet.io.files import read_text
from linnet.io.json import parse_json
from linnet.types import Document

__all__ = ["read_medcat"]

_KEPT = ("acc", "meta_anns", "comment", "icd_code", "opcs_code")


def read_medcat(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the whole file is held in memory. Ids are the trainer's, after the project's if there are several.

    Raises or refuses DataError and OffsetError.
    """
    reading = FileReading(path, refuse, note)
    export = parse_json(read_text(path), path)
    projects = export.get("projects") if isinstance(export, dict) else None
    if not isinstance(projects, list):
        raise reading.error(
            'expected {"projects": [{"documents": [...]}]}. Is it an export of MedCATtrainer?',
            Step.NAME_FORMAT(),
        )
    for number, project in enumerate(projects, start=1):
        own = reading.at(f"project {number}")
        try:
            if not isinstance(project, dict):
                raise own.error(f"expected an object, got {preview(project)}.")
            records = list_field(project, "documents", own)
        except DataError as error:
            refuse(error)
            continue
        prefix = f"{project.get('id', number)}/" if len(projects) > 1 else ""
        numbered = ((record, prefix, position, reading) for position, record in enumerate(records, start=1))
        yield from reading.each(numbered, _document)


def _document(record: Any, prefix: str, number: int, reading: FileReading) -> Document:
    text = text_of(record, ("text",), reading.at(f"document {prefix}{number}"))
    name = record.get("id", record.get("name"))
    id = f"{prefix}{name if isinstance(name, (str, int)) else number}"
    reading = reading.at(f"document {id}")
    items = enumerate(list_field(record, "annotations", reading), start=1)
    spans = reading.each(items, lambda place, item: _span(item, reading.inside(f"annotation {place}")))
    named = {"name": record["name"]} if isinstance(record.get("name"), str) else {}
    extra = {"medcat": named} if named else {}
    return document_of(id, text, spans, "either", reading, extra=extra)


def _reason_to_skip(annotation: Mapping[str, Any]) -> str:
    """Why an annotation is not gold; "" for gold."""
    if annotation.get("deleted"):
        return "annotations marked as wrong (deleted), left out"
    if annotation.get("killed"):
        return "annotations that were terminated (killed), left out"
    if annotation.get("irrelevant"):
        return "annotations marked as irrelevant, left out"
    if not annotation.get("validated", True):
        return "predictions that nobody validated, left out"
    if not any(annotation.get(name) for name in ("correct", "alternative", "manually_created")):
        return "annotations that are not marked as correct, left out"
    return ""


def _span(item: Any, reading: FileReading) -> MarkedSpan | None:
    """The gold span of an annotation; None, counted, for any other."""
    if not isinstance(item, dict):
        raise reading.error(f"expected an object, got {preview(item)}.")
    if reason := _reason_to_skip(item):
        reading.note(reason)
        return None
    cui = item.get("cui")
    if not isinstance(cui, (str, int)) or isinstance(cui, bool):
        raise reading.error(f"expected a concept in 'cui', got {preview(cui)}.")
    surface = item.get("value")
    # MedCAT's concept databases come from UMLS or SNOMED CT; the latter's ids are numbers.
    concept = as_curie(str(cui), prefix="SNOMEDCT" if str(cui).strip().isdigit() else "")
    own = {name: item[name] for name in _KEPT if item.get(name)}
    return MarkedSpan(
        whole_number(item.get("start"), "start", reading),
        whole_number(item.get("end"), "end", reading),
        surface if isinstance(surface, str) and surface else None,
        "",
        (concept,) if concept else (),
        reading.item,
        {"medcat": own} if own else {},
    )
