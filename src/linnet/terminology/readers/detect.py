"""Detection of the format of a file or directory from its content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from linnet.errors import DataError
from linnet.io.archive import is_archive, only_member
from linnet.io.file_kinds import corpus_kind, kind_of
from linnet.io.files import head_of, read_text, text_of_head
from linnet.io.workbook import is_workbook
from linnet.terminology.readers.folder import SourceFolder, plain_name
from linnet.terminology.readers.icd10cm import FILE as ICD10CM_FILE
from linnet.terminology.readers.json_outline import first_object
from linnet.terminology.readers.mesh import FILE as MESH_FILE
from linnet.terminology.readers.signatures import SIGNATURES, Head, is_json, is_table, look
from linnet.terminology.readers.unclear import name_it, refuse_kind, refuse_known, unclear

__all__ = ["detect"]

_HEAD = 1 << 16
# Names of files that only one format has, in the directory or below it.
_DIRECTORIES = [
    (re.compile(r"mrconso\.rrf"), "umls"),
    (re.compile(r"rxnconso\.rrf"), "rxnorm"),
    (re.compile(r"concept\.csv"), "omop"),
    (re.compile(r"llt\.asc"), "meddra"),
    (re.compile(r"x?sct2_(concept|description)_.*\.txt"), "rf2"),
    (MESH_FILE, "mesh"),
    (ICD10CM_FILE, "icd10cm"),
]


def detect(path: str | Path, *, columns: Mapping[str, object] | None = None) -> str:
    """Name of the format, one of `readers`. Never a guess: the content proves one format or is refused.

    columns  `ReadOptions.columns`; if not empty, the file is a table, or JSON with these fields

    Raises DataError with the next command for an empty file, for a known file type that linnet does not read, and for
    content that proves no format or several (standard input, an unknown layout).
    """
    path = Path(path)
    if str(path) == "-":
        raise DataError(f"the format of standard input cannot be detected. {name_it()}", path=path)
    if path.is_dir() or is_archive(path):
        return _of_folder(path)
    return _of_file(path, columns)


def _of_file(path: Path, columns: Mapping[str, object] | None = None) -> str:
    if is_workbook(path):
        return "table"
    raw = head_of(path, _HEAD)
    text = text_of_head(raw)
    refuse_kind(path, kind_of(raw) or corpus_kind(text))
    if not text.strip():
        raise DataError("the file is empty. Fetch it again.", path=path)
    if "\r" in text and "\n" not in text and not re.match(r"\s*[<{\[]", text):
        raise DataError(
            "lines end with a bare carriage return, as on old Macs; expected a line feed. "
            f"Convert it: tr '\\r' '\\n' < {path.name} > NEW",
            path=path,
        )
    head = look(text, whole=len(raw) < _HEAD)
    if is_json(head) and not columns:
        head = _with_all_fields(head, path)
    if columns:
        return "jsonl" if is_json(head) else "table"
    by_name = next((format for name, format in _DIRECTORIES[:5] if name.fullmatch(plain_name(path))), None)
    if by_name is not None:
        return by_name
    fitting = [format for format, fits in SIGNATURES.items() if fits(head)]
    if len(fitting) > 1:
        raise DataError(
            f"fits several formats: {', '.join(fitting)}. Name the right one, e.g. --format {fitting[0]}",
            path=path,
        )
    if fitting:
        return fitting[0]
    refuse_known(head, path)
    if is_table(head):
        return "table"
    raise unclear(head, path)


def _with_all_fields(head: Head, path: Path) -> Head:
    """`head` with all fields of its first object, if the fields in the first bytes show no format."""
    outline = first_object(head.text)
    if outline.length is not None or any(fits(head) for fits in SIGNATURES.values()):
        return head
    return replace(head, fields=first_object(read_text(path)).fields)


def _of_folder(path: Path) -> str:
    """The format whose files are in a directory or zip archive. Raises DataError for none and for several."""
    folder = SourceFolder.of(path)
    files = {
        format: str(file.relative_to(path))
        for file in reversed(folder.files)
        for known, format in _DIRECTORIES
        if known.fullmatch(plain_name(file))
    }
    if len(files) > 1:
        listed = ", ".join(f"{file} ({format})" for format, file in sorted(files.items()))
        raise DataError(
            f"holds several terminologies: {listed}. Give the folder of one, or name its format, e.g. --format {min(files)}.",
            path=path,
        )
    if files:
        return next(iter(files))
    if not path.is_dir():
        return _of_file(only_member(path))  # the error lists the files of an archive with several
    packed = [file.name for file in folder.files if file.suffix.lower() == ".zip"]
    if packed:
        raise DataError(f"no file in the directory shows the format. Give {packed[0]} itself.", path=path)
    if folder.files:
        raise DataError(
            f"no file in the directory shows the format. It holds {folder.listed(folder.files)}. Give the files themselves.",
            path=path,
        )
    raise DataError("the directory is empty. Check the path.", path=path)
