"""Detection of the format of a file or directory from its content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from linnet.advice import Step
from linnet.errors import DataError
from linnet.formats import Head, formats
from linnet.formats.kinds import corpus_kind, kind_of
from linnet.io.archive import is_archive, only_member
from linnet.io.files import head_of, read_text
from linnet.io.workbook import is_workbook
from linnet.terminology.readers.folder import SourceFolder, plain_name
from linnet.terminology.readers.signatures import is_json, is_table
from linnet.terminology.readers.unclear import FORMATS, NAME_FORMAT, refuse_kind, refuse_known, unclear

__all__ = ["detect"]

_HEAD = 1 << 16
_FORMATS = formats("terminology")


def detect(path: str | Path, *, columns: Mapping[str, object] | None = None) -> str:
    """Name of the format, one of `readers`. Never a guess: the content proves one format or is refused.

    columns  `ReadOptions.columns`; if not empty, the file is a table, or JSON with these fields

    Raises DataError with the next command for an empty file, for a known file type that linnet does not read, and for
    content that proves no format or several (standard input, an unknown layout).
    """
    path = Path(path)
    if str(path) == "-":
        raise DataError(f"the format of standard input cannot be detected. {FORMATS}", NAME_FORMAT, path=path)
    if path.is_dir() or is_archive(path):
        return _of_folder(path)
    return _of_file(path, columns)


def _of_file(path: Path, columns: Mapping[str, object] | None = None) -> str:
    if is_workbook(path):
        return "table"
    raw = head_of(path, _HEAD)
    head = Head(raw, whole=len(raw) < _HEAD)
    refuse_kind(path, kind_of(head) or corpus_kind(head))
    if not head.text.strip():
        raise DataError("the file is empty. Fetch it again.", path=path)
    if "\r" in head.text and "\n" not in head.text and not re.match(r"\s*[<{\[]", head.text):
        raise DataError(
            "lines end with a bare carriage return, as on old Macs; expected a line feed. "
            f"Convert it: tr '\\r' '\\n' < {path.name} > NEW",
            path=path,
        )
    if columns:
        return "jsonl" if is_json(head) else "table"
    name = plain_name(path)
    if owner := next((format.name for format in _FORMATS.values() if format.owns(name, alone=True)), ""):
        return owner
    fitting = _fitting(head)
    if not fitting and head.json and head.json.is_cut:  # the fields that prove it may stand further on
        head = Head(read_text(path).encode(), whole=True)
        fitting = _fitting(head)
    if len(fitting) > 1:
        raise DataError(
            f"fits several formats: {', '.join(fitting)}. Name the right one.",
            Step.READ_WITH(format=fitting[0]),
            path=path,
        )
    if fitting:
        return fitting[0]
    refuse_known(head, path)
    if is_table(head):
        return "table"
    raise unclear(head, path)


def _fitting(head: Head) -> list[str]:
    return [format.name for format in _FORMATS.values() if format.fits(head)]


def _of_folder(path: Path) -> str:
    """The format whose files are in a directory or zip archive. Raises DataError for none and for several."""
    folder = SourceFolder.of(path)
    files = {
        format.name: str(file.relative_to(path))
        for file in reversed(folder.files)
        for format in _FORMATS.values()
        if format.owns(plain_name(file))
    }
    if len(files) > 1:
        listed = ", ".join(f"{file} ({format})" for format, file in sorted(files.items()))
        raise DataError(
            f"holds several terminologies: {listed}. Give the folder of one, or name its format.",
            Step.READ_WITH(format=min(files)),
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
