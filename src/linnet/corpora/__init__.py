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
from linnet.corpora.losses import Losses
from linnet.corpora.not_a_corpus import INSIST
from linnet.corpora.notes import Note, Notes
from linnet.corpora.overlooked import not_read, overlooked, passed_over
from linnet.corpora.predicted import is_linked, not_gold
from linnet.corpora.refusal import Refuse, stop
from linnet.corpora.unannotated import reason_of
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
    "tool_formats",
    "write",
    "writers",
]

_LOG = logging.getLogger("linnet.corpora")

Reader = Callable[..., Iterator[Document]]
"""`reader(path, *, refuse, note)`: yields documents; malformed parts go to `refuse` (see `refusal`), what is passed over on
purpose is counted by `note` (see `notes`)."""
Writer = Callable[[Iterable[Document], str | Path], Losses]
"""`writer(documents, path)`: a file that appears whole or not at all; says what it could not hold."""

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
tool_formats = tuple(sorted(readers.keys() - writers.keys()))
"""Exports of annotation tools: read, never written."""
# Formats in which several documents may have one id: the mentions of a document; rows, which their place tells apart.
_SHARED_IDS = frozenset({"mentions", "table"})
_BARE = frozenset({"text"})  # has no annotations


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
    """The documents of a file, a folder or standard input (`-`), in order and, where the format allows, one at a time.

    format             one of `readers`; detected from the content if None
    annotated          refuse, with DataError, formats that hold texts alone and fields that look like annotations and are not
                       read; leave out, and count with `note`, documents that nobody finished annotating
    on_error           "stop" raises at the first malformed part; "skip" leaves it out, calls `report` and goes on
    note               counts what a reader passes over on purpose; `Notes.add` collects it. If None, it is logged as
                       warnings of "linnet.corpora" once the documents have been read
    column, id_column  of a table: where the text and the ids stand
    concept_column     of a table: where the concepts stand; concept_prefix is the vocabulary of those without prefix
    sheet              of a workbook, which is a table
    by_line            of plain text: every line is a document

    Offsets have been checked. An id that occurs again is refused with DataError, unless the document is the same to
    the last character: then it is kept, as the NCBI disease corpus, which holds one abstract twice, is counted.
    Raises UnknownNameError, RequestError and DataError, OffsetError; a file without any document is a DataError.
    """
    if on_error not in ("stop", "skip"):
        raise RequestError(f"on_error is 'stop' or 'skip'; got '{on_error}'.")
    columns = {"column": column, "id_column": id_column, "concept_column": concept_column, "sheet": sheet}
    given = {name: value for name, value in columns.items() if value is not None}
    if format is not None and format not in readers:
        raise UnknownNameError("corpus format", format, readers)
    named = format or _detected(path, column=bool(given), by_line=by_line, annotated=annotated)
    if format is not None:
        check_bytes(path, format)
    if annotated and named in _BARE:
        raise DataError(
            f"read as '{named}', a format without annotations. Expected an annotated corpus in one of the formats "
            f"{', '.join(sorted(readers.keys() - _BARE))}.",
            path=path,
        )
    reader: Reader = imported(readers[named])
    if given and named != "table":
        raise RequestError(
            f"{path}: only tables have columns and sheets; this file is read as '{named}'. "
            f"Leave --{min(given).replace('_', '-')} out."
        )
    if named == "table":
        reader = partial(reader, **given, concept_prefix=concept_prefix, annotated=annotated)
    if by_line:
        if named != "text":
            raise RequestError(f"only plain text is read line by line; the input is read as '{named}'.")
        reader = partial(reader, by_line=True)
    if format is None and named == "text":
        reader = partial(reader, check=partial(check_text, by_line=by_line))
    notes = Notes()
    documents = _documents(reader, path, named, annotated, on_error, report, note or notes.add)
    return documents if note else _logged(documents, notes, path)


def _detected(path: str | Path, *, column: bool, by_line: bool, annotated: bool) -> str:
    """The name of the format. Where annotations are wanted, the error does not advise to insist on plain text."""
    try:
        return detect(path, column=column, by_line=by_line or annotated)
    except DataError as error:
        if not annotated:
            raise
        raise DataError(error.message.removesuffix(INSIST).rstrip(), path=error.path) from None


def write(documents: Iterable[Document], path: str | Path, *, format: str) -> Losses:
    """Write documents as they come; the result appears whole or not at all. Returns what the format could not hold."""
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
    """annotated: documents with fields that look like annotations and were not read are refused, else these are counted."""
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
                        f"document id '{document.id}' occurs again with another content. Give every document its own id.",
                        path=path,
                    )
                )
                continue
        for name in (names := overlooked(document)):
            if not annotated:
                note(passed_over(name, format), unread=True)
        if names and annotated:
            refuse(not_read(names, document, format, path))
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
            f"no document in it is annotated ({reasons}). Finish annotating, and export it again.", path=path
        )
    if empty and not refused:
        raise DataError(
            f"no document in it, read as '{format}'. Check the file, or name its format.", path=path
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
