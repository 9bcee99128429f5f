"""Detect the format of a file or directory from its content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from linnet.archive import is_archive, only_member
from linnet.errors import DataError
from linnet.files import head_of, read_text, text_of_head
from linnet.terminology.readers.folder import SourceFolder, plain_name
from linnet.terminology.readers.foreign import refuse_binary, refuse_text
from linnet.terminology.readers.icd10cm import FILE as ICD10CM_FILE
from linnet.terminology.readers.json_fields import first_object
from linnet.terminology.readers.mesh import FILE as MESH_FILE
from linnet.terminology.readers.signatures import SIGNATURES, Head, is_json, is_table, look
from linnet.terminology.readers.unclear import name_it, refuse_known, unclear
from linnet.workbook import is_workbook

__all__ = ["detect"]

_HEAD = 1 << 16
# A file in the directory, or in one below it, that only this format has.
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
    """Name of the format, one of `readers`. It is never guessed: the content proves one format, or is refused.

    columns  what `ReadOptions.columns` will be; naming any says that it is a table, or JSON with such fields

    Raises DataError for an empty file, for a file of a kind that linnet does not read (named), and where the content
    proves no format or fits several (standard input, an unknown layout): what was found, and the command to type.
    """
    path = Path(path)
    if str(path) == "-":
        raise DataError(f"standard input cannot be looked into. {name_it()}", path=path)
    if path.is_dir() or is_archive(path):
        return _of_folder(path)
    return _of_file(path, columns)


def _of_file(path: Path, columns: Mapping[str, object] | None = None) -> str:
    if is_workbook(path):
        return "table"
    raw = head_of(path, _HEAD)
    refuse_binary(path, raw)
    text = text_of_head(raw)
    if not text.strip():
        raise DataError("the file is empty. Fetch it again.", path=path)
    refuse_text(path, text)
    if "\r" in text and "\n" not in text and not re.match(r"\s*[<{\[]", text):
        raise DataError(
            "its lines end with a bare carriage return, as of an old Mac; expected a line feed. "
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
            f"fits several formats: {', '.join(fitting)}. Say which it is, e.g. --format {fitting[0]}",
            path=path,
        )
    if fitting:
        return fitting[0]
    refuse_known(head, path)
    if is_table(head):
        return "table"
    raise unclear(head, path)


def _with_all_fields(head: Head, path: Path) -> Head:
    """`head` with the fields that its first object has further on, where what is seen of it shows no format."""
    outline = first_object(head.text)
    if outline.length is not None or any(fits(head) for fits in SIGNATURES.values()):
        return head
    return replace(head, fields=first_object(read_text(path)).fields)


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
        raise DataError(f"no file in the directory shows the format. Give {packed[0]} itself.", path=path)
    if folder.files:
        raise DataError(
            f"no file in the directory shows the format. It holds {folder.listed(folder.files)}. Give the files themselves.",
            path=path,
        )
    raise DataError("the directory is empty. Check the path.", path=path)
