"""Linking a whole input: reads it, links it, and writes the result and its manifest."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linnet import corpora
from linnet.errors import DataError, LinnetError, RequestError, UnknownNameError
from linnet.io import compression, workbook
from linnet.io.filenames import writable
from linnet.io.files import open_output
from linnet.link.linker import Linked, Linker
from linnet.link.manifest import manifest
from linnet.link.outputs import MAPPINGS, formats, write_links
from linnet.plural import counted
from linnet.terminology.mapping_metadata import read_metadata
from linnet.types import Document, Mention

__all__ = ["Request", "Summary", "as_mention", "no_mentions", "output_format", "run", "write_manifest"]

_BY_ENDING = {
    ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pubtator": "pubtator", ".xml": "bioc", ".conll": "conll",
    ".sssom": "sssom", ".json": "biocjson",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to link, and how to read and write it; see `linnet link --help`."""

    input: str
    output: str = "-"
    given_mentions: bool = False
    input_format: str | None = None
    format: str | None = None
    column: str | None = None
    id_column: str | None = None
    sheet: str | None = None
    metadata: tuple[str, ...] | None = None
    lines: bool = False
    types: tuple[str, ...] | None = None
    k: int = 5
    on_error: str = "stop"
    manifest: str | None = None

    def check(self) -> None:
        """Raise RequestError or UnknownNameError for invalid options, before anything is opened."""
        if self.on_error not in ("stop", "skip"):
            raise RequestError(f"--on-error must be stop or skip; got '{self.on_error}'.")
        if self.format is not None and self.format not in formats():
            raise UnknownNameError("output format", self.format, formats())
        if self.input_format is not None and self.input_format not in corpora.readers:
            raise UnknownNameError("input format", self.input_format, corpora.readers)
        self._check_ending()
        if self.metadata is not None and output_format(self, "") not in MAPPINGS:
            raise RequestError(
                "--metadata describes mappings. Add --format sssom or --format omop, or leave it out."
            )
        read_metadata(self.metadata or ())
        if (
            self.output != "-"
            and Path(self.input).exists()
            and Path(self.output).exists()
            and Path(self.input).samefile(self.output)
        ):
            raise RequestError(
                f"Input and output are the same file, {self.input}. Name another output with -o."
            )

    def _check_ending(self) -> None:
        """Raise RequestError for an output whose name says that it is a file of another kind than linnet writes."""
        output = Path(self.output)
        ending, bare = output.suffix.lower(), output.with_suffix("")
        if ending in compression.ALL_SUFFIXES:
            raise RequestError(
                f"{output}: linnet writes no compressed files. Name -o {bare} and compress it, or write to standard output: "
                f"| gzip > {output.name}"
            )
        if ending in workbook.SUFFIXES:
            raise RequestError(
                f"{output}: linnet writes no workbooks. Name -o {bare}.csv, which spreadsheets open."
            )
        if ending == ".parquet" and self.format not in (None, "parquet"):
            raise RequestError(
                f"{output} is the name of a Parquet file, but --format is {self.format}. Leave --format out, or name another file."
            )


@dataclass(slots=True)
class Summary:
    """The outcome, for people and for the manifest.

    types   mentions by type, including those left out
    recognised  whether linnet found the mentions itself
    notes   counts of what was not read from the input
    losses  what the output format could not represent
    """

    documents: int = 0
    mentions: int = 0
    linked: int = 0
    types: Counter[str] = field(default_factory=Counter)
    recognised: bool = False
    skipped: list[LinnetError] = field(default_factory=list)
    notes: corpora.Notes = field(default_factory=corpora.Notes)
    losses: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """The counts by name, as the manifest has them."""
        return {
            "documents": self.documents,
            "mentions": self.mentions,
            "linked": self.linked,
            "nil": self.mentions - self.linked,
            "skipped": len(self.skipped),
        }


def run(
    request: Request, linker: Linker, *, progress: Callable[[Iterable[Linked]], Iterable[Linked]] = iter
) -> Summary:
    """Link the input and write the result and its manifest.

    progress  wraps the stream of linked documents, e.g. to show a progress bar

    With `on_error="skip"`, documents that cannot be read are left out and listed in the summary. Otherwise LinnetError is
    raised, and neither result nor manifest is written.
    """
    started = datetime.now(UTC)
    request.check()
    summary = Summary()
    documents, input_format = _documents(request, summary)
    format = output_format(request, input_format)
    options = _mapping_options(request, linker, format) if format in MAPPINGS else {}
    summary.recognised = not (request.given_mentions or input_format in ("mentions", "table"))
    linked = linker.link_documents(
        documents,
        recognise=summary.recognised,
        k=request.k,
        types=request.types,
        types_seen=summary.types,
    )
    checked = _counted(progress(linked), summary, request, input_format)
    summary.losses = write_links(
        checked,
        request.output,
        format=format,
        assertion=linker.pipeline.assertion,
        **options,
    )
    _write_manifest(request, linker, summary, started)
    return summary


def output_format(request: Request, input_format: str) -> str:
    """The format to write: as requested, by the ending of the output, else JSON Lines of mentions or documents."""
    by_ending = _BY_ENDING.get(Path(request.output).suffix.lower())
    return request.format or by_ending or ("mentions" if input_format in ("mentions", "table") else "jsonl")


def _mapping_options(request: Request, linker: Linker, format: str) -> dict[str, Any]:
    """The options of a writer of mappings."""

    def vocabulary(id: str) -> str:
        known = (terminology[id].sources for terminology in linker.terminologies if id in terminology)
        return next(iter(next(known, ())), "")

    given: dict[str, Any] = {
        "metadata": read_metadata(request.metadata or ()),
        "has_ids": request.id_column is not None,
    }
    return {**given, "vocabulary": vocabulary} if format == "omop" else given


def write_manifest(record: Mapping[str, Any], place: str) -> None:
    """Write a manifest to a file, or to standard error for `-`."""
    text = json.dumps(record, indent=1, ensure_ascii=False, default=_plain) + "\n"
    if place == "-":
        sys.stderr.write(text)
        return
    with open_output(place) as stream:
        stream.write(writable(text))


def as_mention(document: Document) -> Document:
    """The document with its whole text as its only mention, for lists of names."""
    text = document.text.strip()
    start = document.text.index(text)
    return document.with_mentions([Mention(document, start, start + len(text), text)] if text else [])


def _documents(request: Request, summary: Summary) -> tuple[Iterable[Document], str]:
    """The input's documents, and the name of its format."""
    by_line = request.lines or request.given_mentions
    input_format = request.input_format or corpora.detect(
        request.input,
        column=bool(request.column or request.id_column or request.sheet),
        by_line=by_line,
    )
    documents = corpora.read(
        request.input,
        format=request.input_format,
        on_error=request.on_error,
        report=summary.skipped.append,
        note=summary.notes.add,
        column=request.column,
        id_column=request.id_column,
        sheet=request.sheet,
        by_line=by_line if input_format == "text" else request.lines,
    )
    if request.given_mentions and input_format == "text":
        documents = map(as_mention, documents)
    return documents, input_format


def _counted(
    linked: Iterable[Linked], summary: Summary, request: Request, input_format: str
) -> Iterator[Linked]:
    """The same documents, counted. Raises DataError at the end if given mentions were to be linked and there were none."""
    for document, links in linked:
        summary.documents += 1
        summary.mentions += len(links)
        summary.linked += sum(bool(link.concepts) for link in links)
        yield Linked(document, links)
    if request.given_mentions and summary.documents and not summary.types:
        raise no_mentions(summary.documents, input_format, request.input, summary.notes.lines())


def no_mentions(documents: int, format: str, path: str | Path, notes: Sequence[str] = ()) -> DataError:
    """The error for an input without mentions to link; `notes`: what was not read."""
    not_read = f" It has {'; '.join(notes)}." if notes else ""
    lines = "; if every line is a mention, add --input-format mentions" if format == "jsonl" else ""
    return DataError(
        f"no mentions in {counted(documents, 'documents')} (format '{format}'), and --mentions links only given mentions. "
        f"Leave --mentions out to have mentions recognised{lines}.{not_read}",
        path=path,
    )


def _write_manifest(request: Request, linker: Linker, summary: Summary, started: datetime) -> None:
    output = Path(request.output)
    # Standard output, devices and named pipes get no manifest.
    is_stored = request.output != "-" and (output.is_file() or output.is_dir())
    place = request.manifest or (f"{output}.manifest.json" if is_stored else None)
    if place is None:
        return
    flags = {name: value for name, value in asdict(request).items() if value not in (None, False)}
    record = manifest(linker, input=request.input, flags=flags, counts=summary.counts(), started=started)
    if summary.skipped:
        record["skipped"] = [str(error) for error in summary.skipped]
    if summary.notes:
        record["notes"] = summary.notes.lines()
    if summary.losses:
        record["losses"] = summary.losses
    write_manifest(record, place)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (set, frozenset, tuple)) else str(value)
