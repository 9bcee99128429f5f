"""Annotated text: a reader and a writer per format.

documents = read("CDR_DevelopmentSet.PubTator.txt")            # format detected from the content
losses = write(documents, "dev.jsonl", format="jsonl")          # what the format cannot hold
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path

from linnet.corpora.detect import check_bytes, check_text, detect
from linnet.corpora.link_output import is_linked, not_gold
from linnet.corpora.losses import Losses
from linnet.corpora.not_a_corpus import AS_TEXT
from linnet.corpora.notes import Note, Notes
from linnet.corpora.refusal import Refuse, stop
from linnet.corpora.unannotated import reason_of
from linnet.corpora.unread_fields import unread_error, unread_fields, unread_note
from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.filenames import writable
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

# Format → module and function. Imported when first used: a command that reads one format does not wait for all.
readers: dict[str, str] = {
    "bigbio": "linnet.corpora.bigbio:read_bigbio",
    "bioc": "linnet.corpora.bioc_xml:read_bioc_xml",
    "biocjson": "linnet.corpora.bioc_json:read_bioc_json",
    "brat": "linnet.corpora.brat:read_brat",
    "conll": "linnet.corpora.conll:read_conll",
    "doccano": "linnet.corpora.tools.doccano:read_doccano",
    "jsonl": "linnet.corpora.jsonl:read_jsonl",
    "labelstudio": "linnet.corpora.tools.label_studio:read_label_studio",
    "medcat": "linnet.corpora.tools.medcat:read_medcat",
    "mentions": "linnet.corpora.mentions:read_mentions",
    "prodigy": "linnet.corpora.tools.prodigy:read_prodigy",
    "pubannotation": "linnet.corpora.tools.pubannotation:read_pubannotation",
    "pubtator": "linnet.corpora.pubtator:read_pubtator",
    "spacy": "linnet.corpora.tools.spacy_json:read_spacy",
    "table": "linnet.corpora.table:read_table",
    "texoo": "linnet.corpora.texoo:read_texoo",
    "text": "linnet.corpora.plain:read_text_files",
    "uima": "linnet.corpora.tools.uima:read_uima",
    "webanno": "linnet.corpora.tools.webanno:read_webanno",
}
writers: dict[str, str] = {
    "bioc": "linnet.corpora.bioc_xml:write_bioc_xml",
    "biocjson": "linnet.corpora.bioc_json:write_bioc_json",
    "brat": "linnet.corpora.brat:write_brat",
    "conll": "linnet.corpora.conll:write_conll",
    "jsonl": "linnet.corpora.jsonl:write_jsonl",
    "mentions": "linnet.corpora.mentions:write_mentions",
    "pubtator": "linnet.corpora.pubtator:write_pubtator",
    "table": "linnet.corpora.table:write_table",
    "texoo": "linnet.corpora.texoo:write_texoo",
    "text": "linnet.corpora.plain:write_text_files",
}
# Formats in which documents may share an id: mentions of one document, and rows.
_SHARED_IDS = frozenset({"mentions", "table"})
_WITHOUT_ANNOTATIONS = frozenset({"text"})


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
    sheet              of a workbook, which is a table
    by_line            of plain text: every line is a document

    Offsets are checked. A repeated id is refused with DataError unless the documents are identical; both are then kept,
    as published counts of the NCBI disease corpus include an abstract twice.
    Raises UnknownNameError, RequestError, OffsetError and DataError, the last also for a file without documents.
    """
    if on_error not in ("stop", "skip"):
        raise RequestError(f"on_error is '{on_error}'; expected 'stop' or 'skip'.")
    columns = {"column": column, "id_column": id_column, "concept_column": concept_column, "sheet": sheet}
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
            f"Leave out --{min(columns).replace('_', '-')}."
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
    documents = _documents(reader, path, name, annotated, on_error, report, note or notes.add)
    return documents if note else _logged(documents, notes, path)


def _detected(path: str | Path, *, column: bool, by_line: bool, annotated: bool) -> str:
    """The name of the format. If annotations are required, the error does not suggest reading as plain text."""
    try:
        return detect(path, column=column, by_line=by_line or annotated)
    except DataError as error:
        if not annotated:
            raise
        raise DataError(error.message.removesuffix(AS_TEXT).rstrip(), path=error.path) from None


def write(documents: Iterable[Document], path: str | Path, *, format: str) -> Losses:
    """Write documents one by one; the file appears completely or not at all. Returns what the format could not hold.

    Raises UnknownNameError for an unknown format, and as its writer.
    """
    if format not in writers:
        raise UnknownNameError("corpus format", format, writers)
    writer: Writer = imported(writers[format])
    return writer(documents, path)


def _documents(
    reader: Reader,
    path: str | Path,
    format: str,
    annotated: bool,
    on_error: str,
    report: Callable[[DataError], None] | None,
    note: Note,
) -> Iterator[Document]:
    """Check and count the reader's documents. Unread annotation-like fields are refused if `annotated`, else counted."""
    refused = 0
    unannotated: Counter[str] = Counter()

    def skip(error: DataError) -> None:
        nonlocal refused
        refused += 1
        if report is not None:
            report(error)

    refuse: Refuse = stop if on_error == "stop" else skip
    seen: dict[str, bytes] = {}
    empty, yielded = True, False
    for document in reader(path, refuse=refuse, note=note):
        if (id := writable(document.id)) != document.id:
            note("document ids made from a file name that is not UTF-8, its other bytes written as %XX")
            document = replace(document, id=id)
        if format not in _SHARED_IDS:
            digest = _digest(document)
            if seen.setdefault(document.id, digest) != digest:
                refuse(
                    DataError(
                        f"document id '{document.id}' occurs again with different content. Give every document its own id.",
                        path=path,
                    )
                )
                continue
        for name in (names := unread_fields(document)):
            if not annotated:
                note(unread_note(name, format), unread=True)
        if names and annotated:
            refuse(unread_error(names, document, format, path))
            continue
        if annotated and is_linked(document):
            raise not_gold(path)
        empty = False
        if reason := reason_of(document):
            note(f"documents {reason}, {'left out' if annotated else 'read without annotations'}")
            unannotated[reason] += annotated
            if annotated:
                continue
        yielded = True
        yield document
    if unannotated.total() and not yielded:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in unannotated.items())
        raise DataError(
            f"no document is annotated ({reasons}). Finish annotating, and export it again.", path=path
        )
    if empty and not refused:
        raise DataError(
            f"has no document, read as '{format}'. Check the file, or name its format.", path=path
        )


def _logged(documents: Iterator[Document], notes: Notes, path: str | Path) -> Iterator[Document]:
    try:
        yield from documents
    finally:
        for line in notes.lines():
            _LOG.warning("%s: %s.", path, line)


def _digest(document: Document) -> bytes:
    content = repr((document.text, document.mentions))
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).digest()
