"""Linking a large corpus: survey, plan, link part by part, and the manifest beside the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linnet import artifact
from linnet.corpora.refusal import stop
from linnet.errors import DataError, LinnetError, RequestError
from linnet.link.job import Summary, no_mentions, write_manifest
from linnet.link.linker import Linker
from linnet.link.linker_config import LinkerConfig
from linnet.link.manifest import identity, manifest
from linnet.recognise import check_types
from linnet.scale.duplicates import Repeated, find_duplicates
from linnet.scale.engines import Engine, Here, Processes
from linnet.scale.journal import Done, Journal, open_journal
from linnet.scale.plan import Part, plan
from linnet.scale.request import FORMATS, Request
from linnet.scale.retries import forgive
from linnet.scale.scan import Survey
from linnet.scale.settings import for_workers, reading_of, settings_of
from linnet.scale.sources import Source, find_sources, others
from linnet.scale.work import Job, Worker

__all__ = ["run"]

# Looked at in the time it takes to start processes.
_LOOKED_AT_HERE = 100_000_000
Progress = Callable[[Iterable[Done], int], Iterable[Done]]


def run(
    request: Request, opening: LinkerConfig, *, progress: Progress = lambda parts, total: parts
) -> Summary:
    """Link the input into a folder of parts, with a manifest beside it.

    progress  wraps the stream of finished parts, of which there will be `total`, to show how far it is

    What an earlier run finished is kept with `resume`. Raises LinnetError; what is finished by then stays, and a
    run with `resume` goes on from there. The manifest is written when all is done.
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
    reading = reading_of(request, sources)
    opening = for_workers(opening)
    linker = opening.open()
    recognise = not (request.given_mentions or reading.format == "mentions")
    if recognise:
        check_types(request.types or (), linker.recogniser)
    format = request.format or ("mentions" if reading.format == "mentions" else sources[0].kind)
    told = identity(linker)
    settings = settings_of(request, opening, reading, format, told)
    job = Job(
        opening=opening,
        identity=told,
        reading=reading,
        output=str(Path(request.output).resolve()),
        format=format,
        recognise=recognise,
        types=request.types,
        k=request.k,
        on_error=request.on_error,
        part_bytes=request.part_bytes,
    )
    with (
        open_journal(Path(job.output), settings, resume=request.resume) as journal,
        _engine(request, linker) as engine,
    ):
        forgive(Path(job.output))
        surveys = _surveys(engine, job, sources, journal)
        repeated = find_duplicates(surveys, reading)
        _refuse(surveys, repeated, request, reading.format)
        parts = plan(surveys, repeated, settings=artifact.digest(repr(settings)), ending=FORMATS[format])
        left = [part for part in parts if journal.finished(part) is None]
        # What lies there at any time is part of the result: not what an input gave that has changed or gone since.
        journal.clear({part.name for part in parts} - {part.name for part in left})
        for done in progress(_notes(engine.run(job, left)), len(left)) if left else ():
            journal.add(done)
        journal.clear([part.name for part in parts])
        notes = [_finished(journal, part) for part in parts]
        workers = engine.workers
    summary = _summary(notes, unreadable, surveys, repeated)
    for what, count in others(request.input).items():
        summary.notes.add(what, count)
    record = manifest(
        linker, input=request.input, flags=_flags(request), counts=summary.counts(), started=started
    )
    record["parts"] = {"all": len(parts), "linked by this run": len(left), "workers": workers}
    if summary.skipped:
        record["skipped"] = [str(error) for error in summary.skipped]
    if summary.notes:
        record["notes"] = summary.notes.lines()
    write_manifest(record, request.manifest or f"{Path(request.output)}.manifest.json")
    return summary


@contextmanager
def _engine(request: Request, linker: Linker) -> Iterator[Engine]:
    if request.engine == "ray":
        from linnet.scale.engines.ray_data import RayData

        with RayData.connected(request.address, request.workers) as engine:
            yield engine
    elif (request.workers or 1) == 1:
        yield Here(linker)
    else:
        yield Processes(request.workers or 1)


def _surveys(engine: Engine, job: Job, sources: list[Source], journal: Journal) -> list[Survey]:
    known = {source.name: journal.survey_of(source) for source in sources}
    unknown = [source for source in sources if known[source.name] is None]
    small = sum(source.bytes for source in unknown) < _LOOKED_AT_HERE
    for found in map(Worker(job), unknown) if small else engine.run(job, unknown):
        assert isinstance(found, Survey)
        journal.keep(found)
        known[found.source.name] = found
    return [survey for source in sources if (survey := known[source.name]) is not None]


def _notes(results: Iterable[Survey | Done]) -> Iterator[Done]:
    for result in results:
        assert not isinstance(result, Survey)
        yield result


def _refuse_own_output(sources: list[Source], request: Request) -> None:
    """Raise RequestError where a link in the input leads to what an earlier run wrote to the output."""
    output = Path(request.output).resolve()
    for source in sources:
        if Path(source.path).resolve().is_relative_to(output):
            raise RequestError(
                f"{source.path} lies in the output {request.output}. Remove the link to it, or name another folder with -o."
            )


def _refuse(surveys: list[Survey], repeated: Repeated, request: Request, format: str) -> None:
    if repeated and request.on_error == "stop":
        raise next(iter(next(iter(repeated.values())).values()))
    if not any(survey.documents for survey in surveys):
        first = next((error for survey in surveys for error in survey.errors), None)
        raise DataError(
            f"no document in it{f' that can be read: {first}' if first else '. Check the files'}",
            path=request.input,
        )
    if request.given_mentions and not any(survey.mentions for survey in surveys):
        raise no_mentions(sum(survey.documents for survey in surveys), format, request.input)


def _finished(journal: Journal, part: Part) -> Done:
    done = journal.finished(part)
    if done is None:
        raise DataError(
            "was linked, and is gone or altered. Is another program writing there? Run it again with --resume.",
            path=journal.output / part.name,
        )
    return done


def _summary(
    notes: list[Done], unreadable: list[DataError], surveys: list[Survey], repeated: Repeated
) -> Summary:
    summary = Summary()
    for done in notes:
        summary.documents += done["documents"]
        summary.mentions += done["mentions"]
        summary.linked += done["linked"]
        summary.types.update(done["types"])
    for survey in surveys:
        for what, count in survey.notes.items():
            summary.notes.add(what, count)
    skipped: list[LinnetError] = [*unreadable, *(error for survey in surveys for error in survey.errors)]
    skipped += [error for lines in repeated.values() for error in lines.values()]
    skipped += [DataError(message) for done in notes for message in done["refused"]]
    summary.skipped = skipped
    return summary


def _flags(request: Request) -> dict[str, Any]:
    return {name: value for name, value in asdict(request).items() if value not in (None, False)}
