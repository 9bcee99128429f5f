"""Annotated text: a reader and a writer per format.

documents = read("CDR_DevelopmentSet.PubTator.txt")            # format told from the content
losses = write(documents, "dev.jsonl", format="jsonl")          # what the format cannot hold
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path

from linnet.corpora.bioc_json import read_bioc_json, write_bioc_json
from linnet.corpora.bioc_xml import read_bioc_xml, write_bioc_xml
from linnet.corpora.brat import read_brat, write_brat
from linnet.corpora.conll import read_conll, write_conll
from linnet.corpora.detect import detect
from linnet.corpora.jsonl import read_jsonl, write_jsonl
from linnet.corpora.losses import Losses
from linnet.corpora.mentions import read_mentions, write_mentions
from linnet.corpora.plain import read_text_files, write_text_files
from linnet.corpora.pubtator import read_pubtator, write_pubtator
from linnet.corpora.refusal import Refuse, stop
from linnet.corpora.table import read_table, write_table
from linnet.corpora.texoo import read_texoo, write_texoo
from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.types import Document

__all__ = ["Losses", "Reader", "Writer", "detect", "read", "readers", "write", "writers"]

Reader = Callable[..., Iterator[Document]]
"""`reader(path, *, refuse)`: yields documents; malformed parts go to `refuse` (see `refusal`)."""
Writer = Callable[[Iterable[Document], str | Path], Losses]
"""`writer(documents, path)`: a file that appears whole or not at all; says what it could not hold."""

readers: dict[str, Reader] = {
    "bioc": read_bioc_xml,
    "biocjson": read_bioc_json,
    "brat": read_brat,
    "conll": read_conll,
    "jsonl": read_jsonl,
    "mentions": read_mentions,
    "pubtator": read_pubtator,
    "table": read_table,
    "texoo": read_texoo,
    "text": read_text_files,
}
writers: dict[str, Writer] = {
    "bioc": write_bioc_xml,
    "biocjson": write_bioc_json,
    "brat": write_brat,
    "conll": write_conll,
    "jsonl": write_jsonl,
    "mentions": write_mentions,
    "pubtator": write_pubtator,
    "table": write_table,
    "texoo": write_texoo,
    "text": write_text_files,
}
# Formats in which several documents may have one id: the mentions of a document; rows, which their place tells apart.
_SHARED_IDS = frozenset({"mentions", "table"})
_BARE = frozenset({"table", "text"})  # have no annotations


def read(
    path: str | Path,
    *,
    format: str | None = None,
    annotated: bool = False,
    on_error: str = "stop",
    report: Callable[[DataError], None] | None = None,
    column: str | None = None,
    id_column: str | None = None,
    sheet: str | None = None,
    by_line: bool = False,
) -> Iterator[Document]:
    """The documents of a file, a folder or standard input (`-`), in order and, where the format allows, one at a time.

    format             one of `readers`; told from the content if None
    annotated          refuse, with DataError, formats that hold texts alone
    on_error           "stop" raises at the first malformed part; "skip" leaves it out, calls `report` and goes on
    column, id_column  of a table: where the text and the ids stand
    sheet              of a workbook, which is a table
    by_line            of plain text: every line is a document

    Offsets have been checked. An id that occurs again is refused with DataError, unless the document is the same to
    the last character: then it is kept, as the NCBI disease corpus, which holds one abstract twice, is counted.
    Raises UnknownNameError, RequestError and DataError, OffsetError; a file without any document is a DataError.
    """
    if on_error not in ("stop", "skip"):
        raise RequestError(f"on_error is 'stop' or 'skip'; got '{on_error}'.")
    named = format or ("table" if column or sheet else detect(path))
    if named not in readers:
        raise UnknownNameError("corpus format", named, readers)
    if annotated and named in _BARE:
        raise DataError(
            f"read as '{named}', a format without annotations. Expected an annotated corpus in one of the formats "
            f"{', '.join(sorted(readers.keys() - _BARE))}.",
            path=path,
        )
    reader = readers[named]
    if column or id_column or sheet:
        if named != "table":
            raise RequestError(
                f"only a table has columns and sheets; the input is read as '{named}'. Leave --column and --sheet out."
            )
        reader = partial(reader, column=column, id_column=id_column, sheet=sheet)
    if by_line:
        if named != "text":
            raise RequestError(f"only plain text is read line by line; the input is read as '{named}'.")
        reader = partial(reader, by_line=True)
    return _documents(reader, path, named, on_error, report)


def write(documents: Iterable[Document], path: str | Path, *, format: str) -> Losses:
    """Write documents as they come; the result appears whole or not at all. Returns what the format could not hold."""
    if format not in writers:
        raise UnknownNameError("corpus format", format, writers)
    return writers[format](documents, path)


def _documents(
    reader: Reader, path: str | Path, format: str, on_error: str, report: Callable[[DataError], None] | None
) -> Iterator[Document]:
    refused = 0

    def note(error: DataError) -> None:
        nonlocal refused
        refused += 1
        if report is not None:
            report(error)

    refuse: Refuse = stop if on_error == "stop" else note
    seen: dict[str, bytes] = {}
    empty = True
    for document in reader(path, refuse=refuse):
        if format not in _SHARED_IDS:
            known = seen.setdefault(document.id, _digest(document))
            if known != _digest(document):
                refuse(
                    DataError(
                        f"document id '{document.id}' occurs again with another content. Give every document its own id.",
                        path=path,
                    )
                )
                continue
        empty = False
        yield document
    if empty and not refused:
        raise DataError(
            f"no document in it, read as '{format}'. Check the file, or name its format.", path=path
        )


def _digest(document: Document) -> bytes:
    content = repr((document.text, document.mentions))
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).digest()
