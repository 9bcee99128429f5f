"""Which format a file or directory is in, told from what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from linnet.errors import DataError
from linnet.files import open_bytes, read_text, text_of_head
from linnet.terminology.readers.foreign import refuse_binary, refuse_text
from linnet.terminology.readers.json_fields import first_object
from linnet.terminology.readers.signatures import SIGNATURES, Head, is_json, is_table, look
from linnet.terminology.readers.unclear import name_it, unclear

__all__ = ["detect"]

_HEAD = 1 << 16
# A file in the directory, or in one below it, that only this format has.
_DIRECTORIES = [
    (re.compile(r"(?i)mrconso\.rrf(\.gz)?"), "umls"),
    (re.compile(r"(?i)rxnconso\.rrf(\.gz)?"), "rxnorm"),
    (re.compile(r"(?i)concept\.csv(\.gz)?"), "omop"),
    (re.compile(r"(?i)llt\.asc(\.gz)?"), "meddra"),
    (re.compile(r"(?i)x?sct2_(concept|description)_.*\.txt(\.gz)?"), "rf2"),
    (re.compile(r"(?i)(desc|supp)\w*(\.\w+)?\.xml(\.gz)?"), "mesh"),
    (re.compile(r"(?i)icd10cm[-_](order|tabular).*\.(txt|xml)(\.gz)?"), "icd10cm"),
]


def detect(path: str | Path, *, columns: Mapping[str, str | int] | None = None) -> str:
    """Name of the format, one of `readers`. It is never guessed: the content proves one format, or is refused.

    columns  what `ReadOptions.columns` will be; naming any says that it is a table, or JSON with such fields

    Raises DataError for an empty file, for a file of a kind that linnet does not read (named), and where the content
    proves no format or fits several (standard input, an unknown layout): what was found, and the command to type.
    """
    path = Path(path)
    if str(path) == "-":
        raise DataError(f"standard input cannot be looked into. {name_it()}", path=path)
    if path.is_dir():
        # depth 4 reaches SNOMED's Snapshot/Terminology below an unpacked release
        for pattern in ("*", "*/*", "*/*/*", "*/*/*/*"):
            names = [entry.name for entry in path.glob(pattern)]
            for known, format in _DIRECTORIES:
                if any(known.fullmatch(name) for name in names):
                    return format
        raise DataError(f"no file in the directory shows the format. {name_it()}", path=path)
    with open_bytes(path) as stream:
        raw = stream.read(_HEAD)
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
    by_name = next((format for name, format in _DIRECTORIES[:5] if name.fullmatch(path.name)), None)
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
    if is_table(head):
        return "table"
    raise unclear(head, path)


def _with_all_fields(head: Head, path: Path) -> Head:
    """`head` with the fields that its first object has further on, where what is seen of it shows no format."""
    outline = first_object(head.text)
    if outline.length is not None or any(fits(head) for fits in SIGNATURES.values()):
        return head
    return replace(head, fields=first_object(read_text(path)).fields)
