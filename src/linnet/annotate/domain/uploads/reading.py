"""Reads uploaded files: valid documents, and a report of the rest."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from linnet import corpora
from linnet.annotate.disk import is_full
from linnet.annotate.domain.uploads.encodings import to_utf8
from linnet.annotate.domain.uploads.receiving import Received
from linnet.annotate.limits import (
    ANNOTATIONS,
    CHARACTERS,
    CONCEPTS,
    NAME,
    ROWS,
    TYPE,
    UNPACKED,
)
from linnet.annotate.store.columns import unstorable
from linnet.corpora.link_output import as_predictions
from linnet.errors import DataError, LinnetError
from linnet.formats import formats
from linnet.http.wording import in_service, next_step
from linnet.types import Document

__all__ = ["FileReport", "ReadOptions", "read_received"]

_LOG = logging.getLogger("linnet.annotate")
_SHOWN = 100  # problems that a report lists
_STRUCTURED = frozenset({".json", ".jsonl", ".xml", ".ann", ".pubtator", ".conll"})
_FORMATS = formats("corpus")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read an upload; see `linnet.corpora.read`. keep: keep the annotations in it."""

    format: str | None = None
    column: str | None = None
    id_column: str | None = None
    by_line: bool = False
    keep: bool = True


@dataclass(slots=True)
class FileReport:
    """Result for one uploaded file, or one folder of an archive if its format is a folder."""

    name: str
    format: str = ""
    documents: int = 0
    mentions: int = 0
    accepted: int = 0
    empty: int = 0
    duplicates: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unread: bool = False
    _more: int = 0

    def refuse(self, problem: str) -> None:
        """Record what could not be read: the first problems are listed, the rest counted."""
        if len(self.refused) < _SHOWN:
            self.refused.append(problem)
            return
        self._more += 1
        self.refused[_SHOWN:] = [f"… and {self._more:,} more"]


def read_received(received: Received, options: ReadOptions, report: FileReport) -> Iterator[Document]:
    """The valid documents of a file; the report lists the others. Raises OSError if the disk is full."""
    if received.refusal:
        report.refuse(received.refusal)
        return
    notes = corpora.Notes()
    try:
        with _failures_reported(received, report):
            yield from _valid_documents(received, options, report, notes)
    finally:
        report.notes, report.unread = notes.lines(), bool(notes.unread)


def _valid_documents(
    received: Received, options: ReadOptions, report: FileReport, notes: corpora.Notes
) -> Iterator[Document]:
    """As `read_received`, but raises what makes the whole file unreadable."""
    path = received.path
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        to_utf8(file)
    kind = options.format or corpora.detect(path, column=bool(options.column), by_line=options.by_line)
    report.format = kind
    if kind == "text" and options.format is None and path.suffix.lower() in _STRUCTURED:
        raise DataError(
            f"its name ends with {path.suffix}, but it has no format of such files. "
            "If it is another format, choose it under “Format”.",
            path=path,
        )
    if kind == "table":
        _check_parquet(path)
    documents = corpora.read(
        path,
        format=kind,
        on_error="skip",
        report=lambda error: report.refuse(_message(error, received)),
        note=notes.add,
        column=options.column if kind == "table" else None,
        id_column=options.id_column if kind == "table" else None,
        by_line=options.by_line and kind == "text",
    )
    documents = map(as_predictions, documents)
    for document in _joined(documents) if kind == "mentions" else documents:
        kept = _prepared(document, received, kind, options)
        if problem := _problem(kept):
            report.refuse(f"{received.name}: document {kept.id[:80]!r}: {problem}")
        elif kept.text.strip():
            yield kept
        elif kind == "table":
            report.empty += 1
        else:
            report.refuse(f"{received.name}: document {kept.id[:80]!r}: it has no text.")


@contextmanager
def _failures_reported(received: Received, report: FileReport) -> Iterator[None]:
    """Report what makes a file unreadable instead of raising it, but for a full disk."""
    try:
        yield
    except DataError as error:
        report.refuse(_message(error, received))
    except LinnetError as error:
        message = (
            in_service(error).removeprefix(f"{received.path}: ").replace(str(received.path), received.name)
        )
        report.refuse(f"{received.name}: {message}")
    except OSError as error:
        if is_full(error):
            raise
        report.refuse(f"{received.name}: cannot be read: {error.strerror or error}.")
    except (RecursionError, MemoryError, ValueError, TypeError, KeyError, AttributeError) as error:
        # A reader failed on an unexpected file. Users are told which file, the log says where in our code.
        _LOG.exception("an uploaded file could not be read as %s", report.format or "any format")
        report.refuse(
            f"{received.name}: cannot be read as {report.format or 'any known format'} ({type(error).__name__}). Check its format."
        )


def _message(error: DataError, received: Received) -> str:
    """What is wrong and where, in the words of the page."""
    place = f" line {error.line}" if error.line else ""
    file = f" {Path(error.path).name}" if received.path.is_dir() and error.path else ""
    what = f"{error.message} {next_step(error)}".rstrip()
    return f"{received.name}{file}{place}: {what}"


def _joined(lines: Iterable[Document]) -> Iterator[Document]:
    """Consecutive lines with the same context as one document with all their mentions; several contexts of a document are numbered."""
    times: Counter[str] = Counter()
    for (id, text), equal in groupby(lines, key=lambda line: (line.id, line.text)):
        group = list(equal)
        times[id] += 1
        name = id if times[id] == 1 else f"{id}#{times[id]}"
        yield Document(
            name, text, tuple(mention for line in group for mention in line.mentions), group[0].extra
        )


def _prepared(document: Document, received: Received, kind: str, options: ReadOptions) -> Document:
    """The document with an id that is unique in the project, and with the annotations to keep."""
    id = " ".join(document.id.split())
    if ("numbered" in _FORMATS[kind].traits and not options.id_column) or (
        kind == "text" and options.by_line
    ):
        id = f"{received.path.stem}:{id}"
    mentions = document.mentions if options.keep else ()
    if kind == "table":
        # Here a row is a document, and a mention only if it has a concept.
        mentions = tuple(mention for mention in mentions if mention.concepts)
    return Document(id, document.text, mentions, document.extra)


def _problem(document: Document) -> str:
    if not document.id or len(document.id) > NAME:
        return f"its id is empty or longer than {NAME} characters."
    if len(document.text) > CHARACTERS:
        return f"{len(document.text):,} characters; expected at most {CHARACTERS:,}. Divide the document."
    if len(document.mentions) > ANNOTATIONS:
        return (
            f"{len(document.mentions):,} annotations; expected at most {ANNOTATIONS:,}. Divide the document."
        )
    fields = (document.id, document.text, document.extra)
    marks = [(mention.type, mention.concepts, mention.extra) for mention in document.mentions]
    if character := next(filter(None, map(unstorable, _texts((fields, marks)))), ""):
        return f"it contains an invalid character ({character})."
    for mention in document.mentions:
        if len(mention.concepts) > CONCEPTS or any(
            len(id) > TYPE for id in (mention.type, *mention.concepts)
        ):
            return (
                f"the annotation at {mention.start} has a type or concept id of more than {TYPE} characters, or more than {CONCEPTS} "
                "concepts."
            )
    return ""


def _texts(value: Any) -> Iterator[str]:
    """All texts in a JSON-like value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.items():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def _check_parquet(path: Path) -> None:
    """Raise DataError for a Parquet file that is too large unpacked; its footer has the size."""
    with path.open("rb") as stream:
        if stream.read(4) != b"PAR1":
            return
    import pyarrow.parquet as pq

    try:
        footer = pq.ParquetFile(path).metadata
    except (OSError, ValueError) as error:
        raise DataError(f"the Parquet file is damaged ({error}).", path=path) from None
    size = sum(footer.row_group(i).total_byte_size for i in range(footer.num_row_groups))
    if size > UNPACKED or footer.num_rows > ROWS:
        raise DataError(
            f"the file has {footer.num_rows:,} rows of {size:,} bytes; expected at most {ROWS:,} rows and {UNPACKED:,} bytes. "
            "Divide it.",
            path=path,
        )
