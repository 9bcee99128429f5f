"""MedCATtrainer: `{"projects": [{"documents": [{"text", "annotations": [{"cui", "start", "end", "value", …}]}]}]}`.

Only annotations that a person confirmed, corrected or added are read. Mentions have no type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.corpora.ids import as_curie
from linnet.corpora.lines import parse_json
from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse, stop
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import listed, shown, text_of, whole_number
from linnet.errors import DataError
from linnet.files import read_text
from linnet.types import Document

__all__ = ["read_medcat"]

_KEPT = ("acc", "meta_anns", "comment", "icd_code", "opcs_code")


def read_medcat(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order; the file is read whole. Ids are the trainer's, with the project's where there are several.

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
            refuse(DataError(f"project {number}: expected an object, got {shown(project)}.", path=path))
            continue
        prefix = f"{project.get('id', number)}/" if len(projects) > 1 else ""
        try:
            records = listed(project, "documents", path, None, f"project {number}")
        except DataError as error:
            refuse(error)
            continue
        for place, record in enumerate(records, start=1):
            try:
                document = _document(record, prefix, place, path, refuse, note)
            except DataError as error:
                refuse(error)
            else:
                yield document


def _document(
    record: Any, prefix: str, number: int, path: str | Path, refuse: Refuse, note: Note
) -> Document:
    text = text_of(record, ("text",), path, None, f"document {prefix}{number}")
    given = record.get("id", record.get("name"))
    id = f"{prefix}{given if isinstance(given, (str, int)) else number}"
    spans: list[MarkedSpan] = []
    for place, item in enumerate(listed(record, "annotations", path, None, f"document {id}"), start=1):
        where = f"document {id}, annotation {place}"
        try:
            if not isinstance(item, dict):
                raise DataError(f"{where}: expected an object, got {shown(item)}.", path=path)
            if reason := _left_out(item):
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


def _left_out(annotation: Mapping[str, Any]) -> str:
    """Why an annotation is not gold; empty for one that is."""
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
        raise DataError(f"{where}: expected a concept in 'cui', got {shown(cui)}.", path=path)
    said = item.get("value")
    # MedCAT's concept databases are built from UMLS or SNOMED CT, whose ids are numbers.
    concept = as_curie(str(cui), prefix="SNOMEDCT" if str(cui).strip().isdigit() else "")
    own = {name: item[name] for name in _KEPT if item.get(name)}
    return MarkedSpan(
        whole_number(item.get("start"), "start", path, None, where),
        whole_number(item.get("end"), "end", path, None, where),
        said if isinstance(said, str) and said else None,
        "",
        (concept,) if concept else (),
        where,
        {"medcat": own} if own else {},
    )
