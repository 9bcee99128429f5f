"""Which format a file or directory is in, told from what it holds."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from linnet.archive import is_archive, only_member
from linnet.errors import DataError
from linnet.files import head_of, text_of_head
from linnet.terminology.readers.delimited import delimiter_of, split
from linnet.terminology.readers.folder import SourceFolder, plain_name
from linnet.terminology.readers.icd10cm import FILE as ICD10CM_FILE
from linnet.terminology.readers.mesh import FILE as MESH_FILE
from linnet.terminology.readers.roles import usual_columns
from linnet.workbook import is_workbook

__all__ = ["detect"]

_HEAD = 1 << 16
# A file in the directory, or in one below it, that only this format has.
_DIRECTORIES = [
    (re.compile(r"mrconso\.rrf"), "umls"),
    (re.compile(r"rxnconso\.rrf"), "rxnorm"),
    (re.compile(r"concept\.csv"), "omop"),
    (re.compile(r"llt\.asc"), "meddra"),
    (re.compile(r"x?sct2_concept_.*\.txt"), "rf2"),
    (MESH_FILE, "mesh"),
    (ICD10CM_FILE, "icd10cm"),
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
    if path.is_dir() or is_archive(path):
        return _of_folder(path)
    return _of_file(path)


def _of_file(path: Path) -> str:
    if is_workbook(path):
        return "table"
    head = text_of_head(head_of(path, _HEAD))
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


def _of_folder(path: Path) -> str:
    """The format whose files are in a directory or zip archive. Raises DataError where there are several, or none."""
    folder = SourceFolder.of(path)
    found = {
        format: str(file.relative_to(path))
        for file in reversed(folder.files)
        for known, format in _DIRECTORIES
        if known.fullmatch(plain_name(file))
    }
    if len(found) > 1:
        listed = ", ".join(f"{file} ({format})" for format, file in sorted(found.items()))
        raise DataError(
            f"holds several terminologies: {listed}. Give the folder of one, or name its format, e.g. --format {min(found)}.",
            path=path,
        )
    if found:
        return next(iter(found))
    if not path.is_dir():
        return _of_file(only_member(path))  # lists the files where there are several
    packed = [file.name for file in folder.files if file.suffix.lower() == ".zip"]
    if packed:
        raise DataError(
            f"no file in the directory shows the format, but there is {packed[0]}: give that.", path=path
        )
    if folder.files:
        raise DataError(
            f"no file in the directory shows the format. It holds {folder.listed(folder.files)}. Give the files themselves.",
            path=path,
        )
    raise DataError("no file in the directory: it is empty. Check the path.", path=path)


def _by_name(path: Path) -> str | None:
    """A file that is part of a directory in its format."""
    return next((format for known, format in _DIRECTORIES[:5] if known.fullmatch(plain_name(path))), None)


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
        cells = split(header, delimiter_of(header))
    except csv.Error:
        return False
    found = usual_columns(cells)
    # OMOP's concepts under another name: read as a table they would lose vocabularies, synonyms and parents
    omop = {"concept_id", "vocabulary_id"} <= {cell.lower() for cell in cells}
    return "id" in found and len(found) > 1 and not omop


def _unclear(what: str, path: Path) -> DataError:
    from linnet.terminology.readers.registry import readers

    return DataError(f"{what}. Name it: --format {'|'.join(readers)}.", path=path)
