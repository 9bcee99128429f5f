"""Linking a chunk: one process reads, links and writes its rows, batch by batch, into a file that appears whole.

Only descriptions of chunks and counts pass between processes, never texts or links. So a worker needs the memory of a linker
and a batch, whatever the size of the corpus, its files and its chunks.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.batches import CHARACTERS, DOCUMENTS, batches
from linnet.errors import DataError, MismatchError, RequestError
from linnet.io import artifact
from linnet.jobs.outputs import write_links
from linnet.link.identity import identity
from linnet.link.linker import Linked, Linker
from linnet.link.linker_config import LinkerConfig
from linnet.scale.journal import ChunkRecord
from linnet.scale.plan import Chunk
from linnet.scale.request import Request
from linnet.scale.retries import counted_attempt
from linnet.scale.rows import ReadOptions, read_rows
from linnet.scale.scan import Scan, scan_file
from linnet.scale.sources import Source
from linnet.system.memory_errors import short_of_memory
from linnet.types import Document

__all__ = ["Job", "Task", "Worker", "link_chunk"]

Task = Source | Chunk
# Characters from which a document, not the machine, is blamed for a lack of memory.
_LONG = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """All that workers need; can be pickled.

    identity  of the linker; a node with other files refuses
    output    absolute path
    """

    config: LinkerConfig
    identity: dict[str, Any]
    read_options: ReadOptions
    output: str
    format: str
    recognise: bool
    request: Request


@dataclass(slots=True)
class _Counts:
    documents: int = 0
    mentions: int = 0
    linked: int = 0
    types: Counter[str] = field(default_factory=Counter)
    text_kinds: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)


class Worker:
    """Does tasks of a job, one after the other. The linker is opened for the first chunk, and kept."""

    def __init__(self, job: Job, linker: Linker | None = None) -> None:
        self._job, self._linker = job, linker

    def __call__(self, task: Task) -> Scan | ChunkRecord:
        """The scan of a source, or the record of a chunk, whose file is then in place. Raises LinnetError."""
        job = self._job
        if isinstance(task, Source):
            return scan_file(
                task, job.read_options, chunk_bytes=job.request.chunk_bytes, on_error=job.request.on_error
            )
        if self._linker is None:
            self._linker = _open(job)
        return link_chunk(task, self._linker, job)


def link_chunk(chunk: Chunk, linker: Linker, job: Job) -> ChunkRecord:
    """Link a chunk and write its file.

    A batch that does not fit into memory is halved, down to one document. A long document is then refused (DataError, or
    left out with `on_error` "skip"); a short one ends the run (RequestError). Raises DataError where the source has changed.
    """
    started, worked = time.perf_counter(), time.process_time()
    output = Path(job.output)
    file = output / chunk.name
    file.parent.mkdir(parents=True, exist_ok=True)
    counts = _Counts()
    chunk.source.check()
    with counted_attempt(output, chunk.name) as earlier:
        linked = _linked(_documents(chunk, job.read_options), linker, job, counts, halvings=earlier)
        write_links(linked, file, format=job.format, assertion=linker.pipeline.assertion)
        try:
            _check(chunk, counts)
        except DataError:
            file.unlink()
            raise
    return {
        "part": chunk.name,
        "key": chunk.key,
        "bytes": file.stat().st_size,
        "digest": artifact.digest(file),
        "documents": counts.documents,
        "mentions": counts.mentions,
        "linked": counts.linked,
        "types": dict(counts.types),
        "text_kinds": dict(counts.text_kinds),
        "refused": counts.refused,
        "seconds": round(time.perf_counter() - started, 3),
        "cpu": round(time.process_time() - worked, 3),
    }


def _check(chunk: Chunk, counts: _Counts) -> None:
    """Raise DataError where the source has changed."""
    chunk.source.check()
    if counts.documents + len(counts.refused) != chunk.documents:
        raise DataError(
            f"had {chunk.documents:,} documents in this chunk, now {counts.documents:,}.",
            Step.RESUME(),
            path=chunk.source.path,
        )


def _open(job: Job) -> Linker:
    linker = job.config.open()
    if identity(linker) != job.identity:
        raise MismatchError(
            f"{', '.join(job.config.terminologies)}: the terminology, an index or a model differs from that at the start of "
            "the run. Give every node the same files, or a shared folder."
        )
    return linker


def _documents(chunk: Chunk, options: ReadOptions) -> Iterator[Document]:
    rows = read_rows(chunk.source, options, start=chunk.start, stop=chunk.stop, line=chunk.line)
    for row in rows:
        if row.document is not None and row.line not in chunk.left_out:
            yield row.document


def _linked(
    documents: Iterable[Document], linker: Linker, job: Job, counts: _Counts, *, halvings: int
) -> Iterator[Linked]:
    """The linked documents in their order, counted. halvings: of the usual batches."""
    for batch in batches(documents, most=DOCUMENTS >> halvings, characters=CHARACTERS >> halvings):
        for linked in _link(batch, linker, job, counts):
            counts.documents += 1
            counts.mentions += len(linked.links)
            counts.linked += sum(bool(link.concepts) for link in linked.links)
            counts.text_kinds.update(filter(None, [linked.document.text_kind]))
            yield linked


def _link(batch: Sequence[Document], linker: Linker, job: Job, counts: _Counts) -> list[Linked]:
    types = Counter[str]()
    request = job.request
    try:
        linked = list(
            linker.link_documents(
                batch, recognise=job.recognise, k=request.k, types=request.types, types_seen=types
            )
        )
    except Exception as error:
        if not short_of_memory(error):
            raise
    else:
        counts.types += types
        return linked
    if len(batch) > 1:
        middle = len(batch) // 2
        return _link(batch[:middle], linker, job, counts) + _link(batch[middle:], linker, job, counts)
    if len(batch[0].text) < _LONG:  # other documents would not fit either
        raise RequestError(
            f"Not enough memory to link document '{batch[0].id}' of {len(batch[0].text):,} characters.",
            Step.FEWER_JOBS(),
        )
    refused = DataError(
        f"document '{batch[0].id}' of {len(batch[0].text):,} characters did not fit into memory.",
        Step.SPLIT_DOCUMENT(),
    )
    if request.on_error == "stop":
        raise refused
    counts.refused.append(refused.happened)
    return []
