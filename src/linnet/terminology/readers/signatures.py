"""Signatures of the formats: one function per format that recognises it from the first lines of a file."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from linnet.io.file_kinds import xml_root
from linnet.terminology.readers.column_roles import usual_columns
from linnet.terminology.readers.delimited import delimiter_of, split
from linnet.terminology.readers.json_outline import first_object
from linnet.terminology.readers.jsonl import usual_fields
from linnet.terminology.readers.medic import is_medic_line
from linnet.terminology.readers.unii import COLUMNS as UNII_COLUMNS

__all__ = ["SIGNATURES", "Head", "is_table", "look"]

_ROOTS = {"DescriptorRecordSet": "mesh", "SupplementalRecordSet": "mesh", "ICD10CM.tabular": "icd10cm"}
_ORDER = re.compile(r"\d{5} [A-Z]\d\w{1,5} +[01] \S")
_LANGUAGE = re.compile(r"[A-Z]{3}")
# Fields that hold annotations or links of a text, which a terminology does not have.
_ANNOTATIONS = frozenset(
    [
        "mentions",
        "entities",
        "spans",
        "denotations",
        "annotations",
        "passages",
        "candidates",
        "concepts",
        "left",
        "right",
    ]
)
# Columns that only this format has.
_GILDA = {"text", "db", "id", "entry_name"}
_SSSLM = {"text", "curie", "predicate"}
_RF2 = {"id", "effectivetime", "active", "moduleid"}


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file.

    text     unchanged
    lines    non-blank lines; the last only if the file ends there
    header   cells of the first line that is not a comment
    fields   for JSON, the fields of the first object and their values ("[" and "{" for lists and objects); else empty
    """

    text: str
    lines: Sequence[str]
    header: Sequence[str]
    fields: dict[str, str]


def look(text: str, *, whole: bool) -> Head:
    """The beginning of a file as a `Head`; `whole`: the file ends there."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not whole and len(lines) > 1:
        lines.pop()
    lines = [line for line in lines if line.strip()]
    plain = next((line for line in lines if not line.startswith("#")), "")
    try:
        header = split(plain, delimiter_of(plain)) if any(mark in plain for mark in "\t,;") else [plain]
    except csv.Error:
        header = [plain]
    outline = first_object(text) if text.lstrip().startswith(("{", "[")) else None
    return Head(text, lines, [cell.strip() for cell in header], outline.fields if outline else {})


def is_json(head: Head) -> bool:
    """Whether the text is JSON: an object, or an array of objects."""
    return bool(re.match(r"\s*(\{|\[\s*[{\]])", head.text))


def is_jsonl(head: Head) -> bool:
    """Whether the text is objects with an id and names, and without annotations."""
    if re.match(r"\s*\[\s*\]", head.text):
        return True
    roles = usual_fields(head.fields)
    return (
        is_json(head)
        and "id" in roles
        and bool({"name", "synonyms"} & roles.keys())
        and not _ANNOTATIONS & head.fields.keys()
        and "resourceType" not in head.fields
    )


def is_medic(head: Head) -> bool:
    """Whether each line is `id||name…`: ids hold a digit, and `||` occurs once."""
    return bool(head.lines) and all(is_medic_line(line) for line in head.lines[:50])


def is_rrf(head: Head) -> str:
    """The prefix of the ids ("UMLS", "RXNORM") in rows of MRCONSO or RXNCONSO; "" for other rows."""
    rows = [line.split("|") for line in head.lines[:50]]
    if not rows or any(len(row) not in (18, 19) or not _LANGUAGE.fullmatch(row[1]) for row in rows):
        return ""
    if all(re.fullmatch(r"C\d{7}", row[0]) for row in rows):
        return "UMLS"
    return "RXNORM" if all(row[0].isdigit() for row in rows) else ""


def is_table(head: Head) -> bool:
    """Whether the header has a column of ids and another known column; `id` and `text` alone may be documents."""
    plain = [cell for cell in head.header if cell.lower() != "text" or "curie" in _columns(head)]
    roles = usual_columns(plain)
    return "id" in roles and len(roles) > 1


def _obo(head: Head) -> bool:
    return head.lines[0].startswith("format-version:") or bool(
        re.search(r"^\[Term\]\s*\n+\s*id:", head.text, re.MULTILINE)
    )


def _columns(head: Head) -> set[str]:
    return {cell.lower() for cell in head.header}


def _gene_info(head: Head) -> bool:
    return bool(re.match(r"#(Format: )?tax_id\s+GeneID\s", head.lines[0]))


def _ctd(head: Head) -> bool:
    return head.lines[0].startswith("#") and bool(
        re.search(r"^# ?(Disease|Chemical)Name[\t,]", head.text, re.MULTILINE)
    )


# Format → whether the beginning of a file shows it. Tables are recognised last (`is_table`).
SIGNATURES: dict[str, Callable[[Head], bool]] = {
    "ctd": _ctd,
    "fhir": lambda head: is_json(head) and "resourceType" in head.fields,
    "gene_info": _gene_info,
    "gilda": lambda head: _columns(head) >= _GILDA,
    "icd10cm": lambda head: bool(_ORDER.match(head.lines[0])) or _ROOTS.get(xml_root(head.text)) == "icd10cm",
    "jsonl": is_jsonl,
    "medic": is_medic,
    "mesh": lambda head: _ROOTS.get(xml_root(head.text)) == "mesh",
    "obo": _obo,
    "obograph": lambda head: is_json(head) and "graphs" in head.fields,
    "rf2": lambda head: _columns(head) >= _RF2,
    "rxnorm": lambda head: is_rrf(head) == "RXNORM",
    "ssslm": lambda head: set(head.header) >= _SSSLM,
    "umls": lambda head: is_rrf(head) == "UMLS",
    "unii": lambda head: _columns(head) >= set(UNII_COLUMNS[0]) or _columns(head) == set(UNII_COLUMNS[1]),
}
