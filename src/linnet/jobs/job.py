"""Linking a whole input: reads it, links it, and writes the result and its manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linnet import corpora
from linnet.advice import Step
from linnet.errors import DataError, LinnetError
from linnet.jobs.manifest import manifest, write_manifest
from linnet.jobs.outputs import MAPPINGS, write_links
from linnet.jobs.request import Request, output_format
from linnet.link.linker import Linked, Linker
from linnet.plural import counted
from linnet.terminology.mapping_metadata import read_metadata
from linnet.terminology.source_to_concept_map import vocabulary_in
from linnet.types import Document, Mention

__all__ = ["Summary", "as_mention", "no_mentions", "run"]


@dataclass(slots=True)
class Summary:
    """The outcome, for people and for the manifest.

    types   mentions by type, including those left out
    text_kinds  documents by what they were read as, if linnet looked for mentions in them
    records, records_linked  that the rows of a table stand for, and those of rows with a concept, if a column says so
    recognised  whether linnet found the mentions itself
    notes   counts of what was not read from the input
    losses  what the output format could not represent
    """

    documents: int = 0
    mentions: int = 0
    linked: int = 0
    records: int = 0
    records_linked: int = 0
    types: Counter[str] = field(default_factory=Counter)
    text_kinds: Counter[str] = field(default_factory=Counter)
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
            **({"records": self.records, "records_linked": self.records_linked} if self.records else {}),
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
        documents, recognise=summary.recognised, k=request.k, types=request.types, types_seen=summary.types
    )
    stream = _counted(progress(linked), summary, request, input_format)
    assertion = linker.pipeline.assertion
    summary.losses = write_links(stream, request.output, format=format, assertion=assertion, **options)
    _write_manifest(request, linker, summary, started)
    return summary


def _mapping_options(request: Request, linker: Linker, format: str) -> dict[str, Any]:
    """The options of a writer of mappings."""
    given: dict[str, Any] = {
        "metadata": read_metadata(request.metadata or ()),
        "has_ids": request.id_column is not None,
    }
    return {**given, "vocabulary": vocabulary_in(linker.terminologies)} if format == "omop" else given


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
        column=bool(request.column or request.id_column or request.frequency_column or request.sheet),
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
        frequency_column=request.frequency_column,
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
        records = document.extra.get("table", {}).get("records", 0)
        summary.records += records
        summary.records_linked += records * any(link.concepts for link in links)
        summary.text_kinds.update(filter(None, [document.text_kind]))
        yield Linked(document, links)
    if request.given_mentions and summary.documents and not summary.types:
        raise no_mentions(summary.documents, input_format, request.input, summary.notes.lines())


def no_mentions(documents: int, format: str, path: str | Path, notes: Sequence[str] = ()) -> DataError:
    """The error for an input without mentions to link; `notes`: what was not read."""
    not_read = f" It has {'; '.join(notes)}." if notes else ""
    lines = [Step.READ_AS(format="mentions")] if format == "jsonl" else []
    return DataError(
        f"no mentions in {counted(documents, 'documents')} (format '{format}'), and only given mentions are linked.{not_read}",
        Step.RECOGNISE(),
        *lines,
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
    if summary.text_kinds:
        record["text_kinds"] = dict(summary.text_kinds)
    if summary.skipped:
        record["skipped"] = [error.happened for error in summary.skipped]
    if summary.notes:
        record["notes"] = summary.notes.lines()
    if summary.losses:
        record["losses"] = summary.losses
    write_manifest(record, place)
