"""Which format a file or directory is in, told from what it holds."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from linnet.errors import DataError
from linnet.files import open_bytes, text_of_head
from linnet.terminology.readers.rows import delimiter_of, split
from linnet.terminology.readers.table import usual_columns

__all__ = ["detect"]

_HEAD = 1 << 16
# A file in the directory, or in one below it, that only this format has.
_DIRECTORIES = [
    (re.compile(r"(?i)mrconso\.rrf(\.gz)?"), "umls"),
    (re.compile(r"(?i)rxnconso\.rrf(\.gz)?"), "rxnorm"),
    (re.compile(r"(?i)concept\.csv(\.gz)?"), "omop"),
    (re.compile(r"(?i)llt\.asc(\.gz)?"), "meddra"),
    (re.compile(r"(?i)x?sct2_concept_.*\.txt(\.gz)?"), "rf2"),
    (re.compile(r"(?i)(desc|supp)\w*(\.\w+)?\.xml(\.gz)?"), "mesh"),
    (re.compile(r"(?i)icd10cm[-_](order|tabular).*\.(txt|xml)(\.gz)?"), "icd10cm"),
]
_ROOTS = {"DescriptorRecordSet": "mesh", "SupplementalRecordSet": "mesh", "ICD10CM.tabular": "icd10cm"}
_OWL = re.compile(r"<(?:owl:Ontology|owl:Class|rdf:RDF|Ontology\b)")
_MEDIC = re.compile(r"[^|\t{}<>]+(\|[^|\t]+)*\|\|[^|]")
_ORDER = re.compile(r"\d{5} [A-Z]\d\w{1,5} +[01] \S")


def detect(path: str | Path) -> str:
    """Name of the format, one of `readers`.

    Raises DataError for an empty file, and where the format cannot be told (standard input, an unknown layout).
    """
    path = Path(path)
    if str(path) == "-":
        raise _unclear("standard input cannot be looked into", path)
    if path.is_dir():
        # depth 4 reaches SNOMED's Snapshot/Terminology below an unpacked release
        for pattern in ("*", "*/*", "*/*/*", "*/*/*/*"):
            names = [entry.name for entry in path.glob(pattern)]
            for known, format in _DIRECTORIES:
                if any(known.fullmatch(name) for name in names):
                    return format
        raise _unclear("no file in the directory shows the format", path)
    with open_bytes(path) as stream:
        raw = stream.read(_HEAD)
    head = text_of_head(raw)
    if not head.strip():
        raise DataError("the file is empty. Fetch it again.", path=path)
    if re.match(r"\s*<", head) and _OWL.search(head):
        raise DataError(
            "is OWL in RDF/XML, which linnet does not read. Get it as OBO or OBO Graphs JSON, which most ontologies offer beside it, "
            f"or convert it with ROBOT: robot convert --input {path.name} --output {path.stem}.obo",
            path=path,
        )
    if "\r" in head and "\n" not in head and not re.match(r"\s*[<{\[]", head):
        raise DataError(
            "its lines end with a bare carriage return, as of an old Mac; expected a line feed. "
            f"Convert it: tr '\\r' '\\n' < {path.name} > NEW",
            path=path,
        )
    told = _by_name(path) or _by_text(head)
    if told is None:
        raise _unclear("the format cannot be told from the first lines", path)
    return told


def _by_name(path: Path) -> str | None:
    """A file that is part of a directory in its format."""
    return next((format for known, format in _DIRECTORIES[:5] if known.fullmatch(path.name)), None)


def _by_text(head: str) -> str | None:
    start = head.lstrip()
    lines = [line for line in head.splitlines() if line.strip()]
    first = lines[0]
    plain = next((line for line in lines if not line.startswith("#")), "")
    if start.startswith("<"):
        return next((format for root, format in _ROOTS.items() if root in head), None)
    if start.startswith("{"):
        return "obograph" if re.match(r'\{\s*("(@context|meta)"|"graphs"\s*:)', start) else "jsonl"
    if re.match(r"\[\s*[{\]]", start):
        return "jsonl"
    if first.startswith("format-version:") or "\n[Term]" in f"\n{head}":
        return "obo"
    if first.startswith(("#Format:", "#tax_id")):
        return "gene_info"
    if first.startswith("#") and re.search(r"^# ?(Disease|Chemical)Name[\t,]", head, re.MULTILINE):
        return "ctd"
    if _ORDER.match(first):
        return "icd10cm"
    if {"text", "curie", "predicate"} <= set(first.split("\t")):
        return "ssslm"
    if _MEDIC.match(first):
        return "medic"
    return "table" if _is_table(plain) else None


def _is_table(header: str) -> bool:
    if not any(mark in header for mark in "\t,;"):
        return False
    try:
        found = usual_columns(split(header, delimiter_of(header)))
    except csv.Error:
        return False
    return "id" in found and len(found) > 1


def _unclear(what: str, path: Path) -> DataError:
    from linnet.terminology.readers.registry import readers

    return DataError(f"{what}. Name it: --format {'|'.join(readers)}.", path=path)
