"""Linking one part: its rows are read, linked and written by one process, a batch at a time, into a file that appears whole.

Text and links never leave that process; between processes go descriptions of parts and counts. So the memory of a
worker is that of a linker and a batch, whatever the size of the corpus, of its files and of their parts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linnet import artifact
from linnet.batches import CHARACTERS, DOCUMENTS, batches
from linnet.errors import DataError, MismatchError, RequestError
from linnet.link.linker import Linked, Linker
from linnet.link.linker_config import LinkerConfig
from linnet.link.manifest import identity
from linnet.link.outputs import write_links
from linnet.memory_errors import short_of_memory
from linnet.scale.journal import Done
from linnet.scale.plan import Part
from linnet.scale.retries import attempt
from linnet.scale.rows import Reading, read_rows
from linnet.scale.scan import Survey, survey
from linnet.scale.sources import Source
from linnet.types import Document

__all__ = ["Job", "Task", "Worker", "link_part"]

Task = Source | Part
# Characters of a document that may be too long for a machine on which a batch of abstracts fits.
_LONG = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """All that workers need to know; can be pickled.

    identity  of the linker they are to have; a node with other files refuses
    """

    opening: LinkerConfig
    identity: dict[str, Any]
    reading: Reading
    output: str
    format: str
    recognise: bool
    types: tuple[str, ...] | None
    k: int
    on_error: str
    part_bytes: int


@dataclass(slots=True)
class _Counts:
    documents: int = 0
    mentions: int = 0
    linked: int = 0
    types: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)


class Worker:
    """Does tasks of a job, one after the other. The linker is opened for the first part, and kept."""

    def __init__(self, job: Job, linker: Linker | None = None) -> None:
        self._job, self._linker = job, linker

    def __call__(self, task: Task) -> Survey | Done:
        """The survey of a source, or the notes on a part, whose file is then in place. Raises LinnetError."""
        job = self._job
        if isinstance(task, Source):
            return survey(task, job.reading, part_bytes=job.part_bytes, on_error=job.on_error)
        if self._linker is None:
            self._linker = _open(job)
        return link_part(task, self._linker, job)


def link_part(part: Part, linker: Linker, job: Job) -> Done:
    """Link a part and write its file; the notes on it.

    A batch for which memory is short is halved, down to one document. A long one is then refused (DataError, or left out
    with `on_error` "skip"); a short one ends the run (RequestError). Raises DataError where the source is not what it was.
    """
    started, worked = time.perf_counter(), time.process_time()
    output = Path(job.output)
    file = output / part.name
    file.parent.mkdir(parents=True, exist_ok=True)
    counts = _Counts()
    part.source.check()
    with attempt(output, part.name) as before:
        linked = _linked(_documents(part, job.reading), linker, job, counts, smaller=before)
        write_links(linked, file, format=job.format)
        try:
            _check(part, counts)
        except DataError:
            file.unlink()
            raise
    return {
        "part": part.name,
        "key": part.key,
        "bytes": file.stat().st_size,
        "digest": artifact.digest(file),
        "documents": counts.documents,
        "mentions": counts.mentions,
        "linked": counts.linked,
        "types": dict(counts.types),
        "refused": counts.refused,
        "seconds": round(time.perf_counter() - started, 3),
        "cpu": round(time.process_time() - worked, 3),
    }


def _check(part: Part, counts: _Counts) -> None:
    """Raises DataError where what was linked is not what was to be linked."""
    part.source.check()
    if counts.documents + len(counts.refused) != part.documents:
        raise DataError(
            f"held {part.documents:,} documents in this part, now {counts.documents:,}. Run it again with --resume.",
            path=part.source.path,
        )


def _open(job: Job) -> Linker:
    linker = job.opening.open()
    if identity(linker) != job.identity:
        raise MismatchError(
            f"{', '.join(job.opening.terminologies)}: the terminology, an index or a model differs from the one that the "
            "run was started with. Give every node the same files, or a folder they share."
        )
    return linker


def _documents(part: Part, reading: Reading) -> Iterator[Document]:
    rows = read_rows(part.source, reading, start=part.start, stop=part.stop, line=part.line)
    for row in rows:
        if row.document is not None and row.line not in part.left_out:
            yield row.document


def _linked(
    documents: Iterable[Document], linker: Linker, job: Job, counts: _Counts, *, smaller: int
) -> Iterator[Linked]:
    """The linked documents in their order, counted. smaller: halve the usual batches so many times."""
    for batch in batches(documents, most=DOCUMENTS >> smaller, characters=CHARACTERS >> smaller):
        for linked in _link(batch, linker, job, counts):
            counts.documents += 1
            counts.mentions += len(linked.links)
            counts.linked += sum(bool(link.concepts) for link in linked.links)
            yield linked


def _link(batch: Sequence[Document], linker: Linker, job: Job, counts: _Counts) -> list[Linked]:
    seen = Counter[str]()
    try:
        linked = list(
            linker.link_documents(batch, recognise=job.recognise, k=job.k, types=job.types, types_seen=seen)
        )
    except Exception as error:
        if not short_of_memory(error):
            raise
    else:
        counts.types += seen
        return linked
    if len(batch) > 1:
        middle = len(batch) // 2
        return _link(batch[:middle], linker, job, counts) + _link(batch[middle:], linker, job, counts)
    if len(batch[0].text) < _LONG:  # it is not to blame, and others would not fit either
        raise RequestError(
            f"Not enough memory to link document '{batch[0].id}' of {len(batch[0].text):,} characters. Close other programs, "
            "link with fewer --jobs, or on a larger machine: --resume goes on."
        )
    refused = DataError(
        f"document '{batch[0].id}' of {len(batch[0].text):,} characters did not fit into memory. "
        "Cut it into several, link with fewer --jobs, or leave such documents out: --on-error skip."
    )
    if job.on_error == "stop":
        raise refused
    counts.refused.append(str(refused))
    return []
