"""Linking a large corpus: scan, plan, link chunk by chunk, and write the manifest beside the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.errors import DataError, LinnetError, RequestError
from linnet.formats.refusal import stop
from linnet.io import artifact
from linnet.jobs.job import Summary, no_mentions
from linnet.jobs.manifest import manifest, write_manifest
from linnet.link.identity import identity
from linnet.link.linker import Linker
from linnet.link.linker_config import LinkerConfig
from linnet.recognise import check_types
from linnet.scale.duplicates import Duplicates, find_duplicates
from linnet.scale.engines import Engine, InProcess, ProcessPool
from linnet.scale.journal import ChunkRecord, Journal, open_journal
from linnet.scale.plan import Chunk, plan
from linnet.scale.request import FORMATS, Request
from linnet.scale.retries import cap_attempts
from linnet.scale.scan import Scan
from linnet.scale.settings import for_workers, read_options, run_settings
from linnet.scale.sources import Source, count_unread, find_sources
from linnet.scale.worker import Job, Worker

__all__ = ["run"]

# Input bytes that are scanned in the time it takes to start processes.
_SCANNED_HERE = 100_000_000
Progress = Callable[[Iterable[ChunkRecord], int], Iterable[ChunkRecord]]


def run(
    request: Request, config: LinkerConfig, *, progress: Progress = lambda chunks, total: chunks
) -> Summary:
    """Link the input into a folder, one file for each chunk, with a manifest beside it.

    progress  wraps the stream of finished chunks, of which there will be `total`

    With `resume`, the chunks of an earlier run are kept. Raises LinnetError; finished chunks stay, and `resume` continues
    from there. The manifest is written last.
    """
    started = datetime.now(UTC)
    request.check()
    if request.engine == "ray":
        from linnet.scale.engines.ray_data import check

        check(request.address)
    unreadable: list[DataError] = []
    sources = find_sources(
        request.input,
        column=request.column is not None,
        refuse=stop if request.on_error == "stop" else unreadable.append,
    )
    _refuse_own_output(sources, request)
    options = read_options(request, sources)
    config = for_workers(config)
    linker = config.open()
    recognise = not (request.given_mentions or options.format == "mentions")
    if recognise:
        check_types(request.types or (), linker.recogniser)
    format = request.format or ("mentions" if options.format == "mentions" else sources[0].kind)
    job = Job(
        config=config,
        identity=identity(linker),
        read_options=options,
        output=str(Path(request.output).resolve()),
        format=format,
        recognise=recognise,
        request=request,
    )
    settings = run_settings(job)
    with (
        open_journal(Path(job.output), settings, resume=request.resume) as journal,
        _engine(request, linker) as engine,
    ):
        cap_attempts(Path(job.output))
        scans = _scans(engine, job, sources, journal)
        duplicates = find_duplicates(scans, options)
        _refuse_input(scans, duplicates, request, options.format)
        chunks = plan(scans, duplicates, settings=artifact.digest(repr(settings)), ending=FORMATS[format])
        unfinished = [chunk for chunk in chunks if journal.record_of(chunk) is None]
        # The folder never holds results of input that has changed or gone.
        journal.remove_others({chunk.name for chunk in chunks} - {chunk.name for chunk in unfinished})
        for record in progress(_records(engine.run(job, unfinished)), len(unfinished)) if unfinished else ():
            journal.add(record)
        journal.remove_others([chunk.name for chunk in chunks])
        records = [_present(journal, chunk) for chunk in chunks]
        workers = engine.workers
    summary = _summary(records, unreadable, scans, duplicates)
    for note, count in count_unread(request.input).items():
        summary.notes.add(note, count)
    table = manifest(
        linker, input=request.input, flags=_flags(request), counts=summary.counts(), started=started
    )
    if summary.text_kinds:
        table["text_kinds"] = dict(summary.text_kinds)
    table["parts"] = {"all": len(chunks), "linked by this run": len(unfinished), "workers": workers}
    if summary.skipped:
        table["skipped"] = [error.happened for error in summary.skipped]
    if summary.notes:
        table["notes"] = summary.notes.lines()
    write_manifest(table, request.manifest or f"{Path(request.output)}.manifest.json")
    return summary


@contextmanager
def _engine(request: Request, linker: Linker) -> Iterator[Engine]:
    if request.engine == "ray":
        from linnet.scale.engines.ray_data import RayEngine

        with RayEngine.connected(request.address, request.workers) as engine:
            yield engine
    elif (request.workers or 1) == 1:
        yield InProcess(linker)
    else:
        yield ProcessPool(request.workers or 1)


def _scans(engine: Engine, job: Job, sources: list[Source], journal: Journal) -> list[Scan]:
    scans = {source.name: journal.scan_of(source) for source in sources}
    unknown = [source for source in sources if scans[source.name] is None]
    small = sum(source.bytes for source in unknown) < _SCANNED_HERE
    for result in map(Worker(job), unknown) if small else engine.run(job, unknown):
        assert isinstance(result, Scan)
        journal.add_scan(result)
        scans[result.source.name] = result
    return [scan for source in sources if (scan := scans[source.name]) is not None]


def _records(results: Iterable[Scan | ChunkRecord]) -> Iterator[ChunkRecord]:
    for result in results:
        assert not isinstance(result, Scan)
        yield result


def _refuse_own_output(sources: list[Source], request: Request) -> None:
    """Raise RequestError where a link in the input leads into the output."""
    output = Path(request.output).resolve()
    for source in sources:
        if Path(source.path).resolve().is_relative_to(output):
            raise RequestError(
                f"{source.path} lies in the output {request.output}. Remove the link to it, or name another folder with -o."
            )


def _refuse_input(scans: list[Scan], duplicates: Duplicates, request: Request, format: str) -> None:
    """Raise DataError or RequestError for duplicates (unless they are skipped), and where there is nothing to link."""
    if duplicates and request.on_error == "stop":
        raise next(iter(next(iter(duplicates.values())).values()))
    if not any(scan.documents for scan in scans):
        first = next((error for scan in scans for error in scan.errors), None)
        raise DataError(
            f"holds no readable document{f': {first}' if first else '. Check the files'}", path=request.input
        )
    if request.given_mentions and not any(scan.mentions for scan in scans):
        raise no_mentions(sum(scan.documents for scan in scans), format, request.input)


def _present(journal: Journal, chunk: Chunk) -> ChunkRecord:
    record = journal.record_of(chunk)
    if record is None:
        raise DataError(
            "was linked, but is now missing or altered. Is another program writing there?",
            Step.RESUME(),
            path=journal.output / chunk.name,
        )
    return record


def _summary(
    records: list[ChunkRecord], unreadable: list[DataError], scans: list[Scan], duplicates: Duplicates
) -> Summary:
    summary = Summary()
    for record in records:
        summary.documents += record["documents"]
        summary.mentions += record["mentions"]
        summary.linked += record["linked"]
        summary.types.update(record["types"])
        summary.text_kinds.update(record.get("text_kinds", {}))  # not in those of earlier versions
    for scan in scans:
        for note, count in scan.notes.items():
            summary.notes.add(note, count)
    skipped: list[LinnetError] = [*unreadable, *(error for scan in scans for error in scan.errors)]
    skipped += [error for lines in duplicates.values() for error in lines.values()]
    skipped += [DataError(message) for record in records for message in record["refused"]]
    summary.skipped = skipped
    return summary


def _flags(request: Request) -> dict[str, Any]:
    flags = asdict(request)
    flags["part_bytes"] = flags.pop("chunk_bytes")  # the manifest's name
    return {name: value for name, value in flags.items() if value not in (None, False)}
