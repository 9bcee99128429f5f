"""MedCATtrainer: `{"projects": [{"documents": [{"text", "annotations": [{"cui", "start", "end", "value", …}]}]}]}`.

Only annotations that a person confirmed, corrected or added are read. Mentions have no type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from linnet.corpora.ids import as_curie
from linnet.corpora.lines import parse_json
from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse, read_each, stop
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import list_field, preview, text_of, whole_number
from linnet.errors import DataError
from linnet.files import read_text
from linnet.types import Document

__all__ = ["read_medcat"]

_KEPT = ("acc", "meta_anns", "comment", "icd_code", "opcs_code")


def read_medcat(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the whole file is held in memory. Ids are the trainer's, after the project's if there are several.

    Raises or refuses DataError and OffsetError.
    """
    export = parse_json(read_text(path), path)
    projects = export.get("projects") if isinstance(export, dict) else None
    if not isinstance(projects, list):
        raise DataError(
            'expected {"projects": [{"documents": [...]}]}. Is it an export of MedCATtrainer? Name another --input-format.',
            path=path,
        )
    for number, project in enumerate(projects, start=1):
        if not isinstance(project, dict):
            refuse(DataError(f"project {number}: expected an object, got {preview(project)}.", path=path))
            continue
        prefix = f"{project.get('id', number)}/" if len(projects) > 1 else ""
        try:
            records = list_field(project, "documents", path, None, f"project {number}")
        except DataError as error:
            refuse(error)
            continue
        numbered = ((record, prefix, place) for place, record in enumerate(records, start=1))
        yield from read_each(numbered, partial(_document, path=path, refuse=refuse, note=note), refuse)


def _document(
    record: Any, prefix: str, number: int, *, path: str | Path, refuse: Refuse, note: Note
) -> Document:
    text = text_of(record, ("text",), path, None, f"document {prefix}{number}")
    name = record.get("id", record.get("name"))
    id = f"{prefix}{name if isinstance(name, (str, int)) else number}"
    spans: list[MarkedSpan] = []
    for place, item in enumerate(list_field(record, "annotations", path, None, f"document {id}"), start=1):
        where = f"document {id}, annotation {place}"
        try:
            if not isinstance(item, dict):
                raise DataError(f"{where}: expected an object, got {preview(item)}.", path=path)
            if reason := _reason_to_skip(item):
                note(reason)
            else:
                spans.append(_span(item, path, where))
        except DataError as error:
            refuse(error)
    named = {"name": record["name"]} if isinstance(record.get("name"), str) else {}
    return document_of(
        id,
        text,
        spans,
        unit="either",
        path=path,
        line=None,
        refuse=refuse,
        note=note,
        extra={"medcat": named} if named else {},
    )


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


def _span(item: Mapping[str, Any], path: str | Path, where: str) -> MarkedSpan:
    cui = item.get("cui")
    if not isinstance(cui, (str, int)) or isinstance(cui, bool):
        raise DataError(f"{where}: expected a concept in 'cui', got {preview(cui)}.", path=path)
    surface = item.get("value")
    # MedCAT's concept databases come from UMLS or SNOMED CT; the latter's ids are numbers.
    concept = as_curie(str(cui), prefix="SNOMEDCT" if str(cui).strip().isdigit() else "")
    own = {name: item[name] for name in _KEPT if item.get(name)}
    return MarkedSpan(
        whole_number(item.get("start"), "start", path, None, where),
        whole_number(item.get("end"), "end", path, None, where),
        surface if isinstance(surface, str) and surface else None,
        "",
        (concept,) if concept else (),
        where,
        {"medcat": own} if own else {},
    )
