"""Annotated text: a reader and a writer per format.

documents = read("CDR_DevelopmentSet.PubTator.txt")            # format detected from the content
losses = write(documents, "dev.jsonl", format="jsonl")          # what the format cannot hold
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from linnet.corpora.detect import AS_TEXT, check_bytes, check_text, detect
from linnet.corpora.document_checks import DocumentChecks
from linnet.corpora.losses import Losses
from linnet.corpora.notes import Note, Notes
from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.formats import formats
from linnet.formats.refusal import refuser
from linnet.registry import imported
from linnet.types import Document

__all__ = [
    "Losses",
    "Notes",
    "Reader",
    "Writer",
    "detect",
    "read",
    "readers",
    "write",
    "writers",
]

_LOG = logging.getLogger("linnet.corpora")

Reader = Callable[..., Iterator[Document]]
"""`reader(path, *, refuse, note)`: yields documents. Malformed items go to `refuse` (see `refusal`); items that are left
out on purpose are counted by `note` (see `notes`)."""
Writer = Callable[[Iterable[Document], str | Path], Losses]
"""`writer(documents, path)`: writes a file completely or not at all; returns what the format could not hold."""

_FORMATS = formats("corpus")
readers = {name: _FORMATS[name].reader for name in sorted(_FORMATS) if _FORMATS[name].reader}
writers = {name: _FORMATS[name].writer for name in sorted(_FORMATS) if _FORMATS[name].writer}
"""Format → module and function. Imported when first used: a command that reads one format does not wait for all."""
_WITHOUT_ANNOTATIONS = frozenset(name for name in readers if "unannotated" in _FORMATS[name].traits)


def read(
    path: str | Path,
    *,
    format: str | None = None,
    annotated: bool = False,
    on_error: str = "stop",
    report: Callable[[DataError], None] | None = None,
    note: Note | None = None,
    column: str | None = None,
    id_column: str | None = None,
    concept_column: str | None = None,
    concept_prefix: str = "",
    frequency_column: str | None = None,
    sheet: str | None = None,
    by_line: bool = False,
) -> Iterator[Document]:
    """The documents of a file, a folder or standard input (`-`), in order; lazily if the format allows.

    format             one of `readers`; None: detected from the content
    annotated          raise DataError for formats without annotations and for unread fields that look like annotations;
                       leave out, and count with `note`, documents whose annotation is unfinished
    on_error           "stop" raises the first error; "skip" leaves the malformed item out and calls `report`
    note               counts items that a reader leaves out on purpose; `Notes.add` collects them. None: log them as
                       warnings of "linnet.corpora" after the last document
    column, id_column  of a table: columns of the texts and ids
    concept_column     of a table: column of the concepts; concept_prefix is the prefix of ids without one
    frequency_column   of a table: column that says how many records a row stands for
    sheet              of a workbook, which is a table
    by_line            of plain text: every line is a document

    Offsets are checked. A repeated id is refused with DataError unless the documents are identical; both are then kept,
    as published counts of the NCBI disease corpus include an abstract twice.
    Raises UnknownNameError, RequestError, OffsetError and DataError, the last also for a file without documents.
    """
    refuse = refuser(on_error, report)
    columns = {
        "column": column, "id_column": id_column, "concept_column": concept_column,
        "frequency_column": frequency_column, "sheet": sheet,
    }  # fmt: skip
    columns = {name: value for name, value in columns.items() if value is not None}
    if format is not None and format not in readers:
        raise UnknownNameError("corpus format", format, readers)
    name = format or _detected(path, column=bool(columns), by_line=by_line, annotated=annotated)
    if format is not None:
        check_bytes(path, format)
    if annotated and name in _WITHOUT_ANNOTATIONS:
        raise DataError(
            f"read as '{name}', a format without annotations. Expected an annotated corpus in one of the formats "
            f"{', '.join(sorted(readers.keys() - _WITHOUT_ANNOTATIONS))}.",
            path=path,
        )
    reader: Reader = imported(readers[name])
    if columns and name != "table":
        raise RequestError(
            f"{path}: only tables have columns and sheets; this file is read as '{name}'. "
            f"Leave {' and '.join(sorted(columns))} out."
        )
    if name == "table":
        reader = partial(reader, **columns, concept_prefix=concept_prefix, annotated=annotated)
    if by_line:
        if name != "text":
            raise RequestError(f"only plain text is read line by line; the input is read as '{name}'.")
        reader = partial(reader, by_line=True)
    if format is None and name == "text":
        reader = partial(reader, check=partial(check_text, by_line=by_line))
    notes = Notes()
    checks = DocumentChecks(
        path,
        name,
        annotated=annotated,
        refuse=refuse,
        note=note or notes.add,
    )
    documents = checks.documents(reader)
    return documents if note else _logged(documents, notes, path)


def _detected(path: str | Path, *, column: bool, by_line: bool, annotated: bool) -> str:
    """The name of the format. If annotations are required, the error does not suggest reading as plain text."""
    try:
        return detect(path, column=column, by_line=by_line or annotated)
    except DataError as error:
        if not annotated:
            raise
        raise error.again(but=AS_TEXT) from None


def write(documents: Iterable[Document], path: str | Path, *, format: str) -> Losses:
    """Write documents one by one; the file appears completely or not at all. Returns what the format could not hold.

    Raises UnknownNameError for an unknown format, and as its writer.
    """
    if format not in writers:
        raise UnknownNameError("corpus format", format, writers)
    writer: Writer = imported(writers[format])
    return writer(documents, path)


def _logged(documents: Iterator[Document], notes: Notes, path: str | Path) -> Iterator[Document]:
    try:
        yield from documents
    finally:
        for line in notes.lines():
            _LOG.warning("%s: %s.", path, line)
