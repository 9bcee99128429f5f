"""Linking one part: short memory, sources that change, parts that kill their worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DataError, RequestError
from linnet.link import Linker
from linnet.link.identity import identity
from linnet.link.linker import Linked
from linnet.link.linker_config import LinkerConfig
from linnet.link.pipeline import Pipeline
from linnet.scale.plan import Chunk, plan
from linnet.scale.request import Request
from linnet.scale.retries import MAX_ATTEMPTS, cap_attempts, counted_attempt
from linnet.scale.rows import ReadOptions
from linnet.scale.scan import scan_file
from linnet.scale.sources import find_sources
from linnet.scale.worker import Job, Worker, link_chunk
from linnet.types import Document


class Cramped:
    """A linker with memory for so many characters."""

    def __init__(self, linker: Linker, characters: int, error: type[Exception] = MemoryError) -> None:
        self._linker, self._characters = linker, characters
        self._error = error("Failed to allocate memory for requested buffer of size 2147483648")
        self.refused = 0
        self.pipeline = linker.pipeline

    def link_documents(self, documents: Sequence[Document], **options: Any) -> Iterator[Linked]:
        if sum(len(document.text) for document in documents) > self._characters:
            self.refused += 1
            raise self._error
        return self._linker.link_documents(documents, **options)


@pytest.fixture
def linker(opening: LinkerConfig) -> Linker:
    return opening.open()


@pytest.fixture
def job(opening: LinkerConfig, linker: Linker, tmp_path: Path) -> Job:
    (tmp_path / "out/_linnet/attempts").mkdir(parents=True)
    return Job(
        config=opening, identity=identity(linker), read_options=ReadOptions(), output=str(tmp_path / "out"), format="jsonl",
        recognise=True, request=Request(input="a.jsonl", output="out", chunk_bytes=10**6),
    )  # fmt: skip


@pytest.fixture
def chunk(tmp_path: Path, tools: Any) -> Chunk:
    file = tools.write_lines(
        tmp_path / "a.jsonl", [*tools.documents(9), {"id": "long", "text": "gout " * 3000}]
    )
    [source] = find_sources(str(file))
    [made] = plan(
        [scan_file(source, ReadOptions(), chunk_bytes=10**6, on_error="stop")],
        {},
        settings="",
        ending=".jsonl",
    )
    return made


@pytest.mark.parametrize("error", [MemoryError, RuntimeException])
def test_a_batch_that_does_not_fit_is_halved(
    job: Job, chunk: Chunk, linker: Linker, tmp_path: Path, error: type[Exception]
) -> None:
    link_chunk(chunk, linker, job)
    expected = (tmp_path / "out" / chunk.name).read_bytes()
    cramped = Cramped(linker, 15000, error)
    done = link_chunk(chunk, cramped, job)  # type: ignore[arg-type]
    assert cramped.refused
    assert done["documents"] == 10
    assert (tmp_path / "out" / chunk.name).read_bytes() == expected


def test_a_document_that_does_not_fit_is_named(
    job: Job, chunk: Chunk, linker: Linker, tmp_path: Path
) -> None:
    cramped: Any = Cramped(linker, 14000)
    with pytest.raises(
        DataError,
        match=r"document 'long' of 15,000 characters did not fit into memory",
        check=advises(Step.SPLIT_DOCUMENT),
    ):
        link_chunk(chunk, cramped, job)
    assert not (tmp_path / "out" / chunk.name).exists()
    skipping = replace(job, request=replace(job.request, on_error="skip"))
    done = link_chunk(chunk, cramped, skipping)
    assert (done["documents"], len(done["refused"])) == (9, 1)


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_short_document_that_does_not_fit_ends_the_run_instead_of_being_left_out(
    job: Job, chunk: Chunk, linker: Linker, on_error: str
) -> None:
    job = replace(job, request=replace(job.request, on_error=on_error))
    cramped: Any = Cramped(linker, 1)
    with pytest.raises(
        RequestError, match="Not enough memory to link document", check=advises(Step.FEWER_JOBS)
    ):
        link_chunk(chunk, cramped, job)


def test_other_errors_are_not_taken_for_short_memory(job: Job, chunk: Chunk) -> None:
    class Broken:
        pipeline = Pipeline()

        def link_documents(self, documents: Sequence[Document], **options: Any) -> Iterator[Linked]:
            raise RuntimeError("something else")

    broken: Any = Broken()
    with pytest.raises(RuntimeError, match="something else"):
        link_chunk(chunk, broken, job)


def test_a_source_that_changed_is_refused(
    job: Job, chunk: Chunk, linker: Linker, tmp_path: Path, tools: Any
) -> None:
    tools.write_lines(tmp_path / "a.jsonl", tools.documents(3))
    with pytest.raises(DataError, match="has changed during linking", check=advises(Step.RESUME)):
        link_chunk(chunk, linker, job)
    (tmp_path / "a.jsonl").unlink()
    with pytest.raises(DataError, match="cannot be read"):
        link_chunk(chunk, linker, job)


def test_what_was_linked_from_a_source_that_changed_meanwhile_is_not_left(
    job: Job, chunk: Chunk, linker: Linker, tmp_path: Path, tools: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from linnet.scale import worker

    writing = worker.write_links

    def slow(*args: Any, **options: Any) -> None:
        writing(*args, **options)
        tools.write_lines(tmp_path / "a.jsonl", tools.documents(3))

    monkeypatch.setattr(worker, "write_links", slow)
    with pytest.raises(DataError, match="has changed during linking"):
        link_chunk(chunk, linker, job)
    assert not (tmp_path / "out" / chunk.name).exists()


def test_another_terminology_than_the_runs_is_refused(job: Job, chunk: Chunk) -> None:
    other = Job(**{name: getattr(job, name) for name in Job.__slots__} | {"identity": {}})
    with pytest.raises(Exception, match="Give every node the same files"):
        Worker(other)(chunk)


def test_a_chunk_that_ends_its_worker_again_and_again_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "_linnet/attempts").mkdir(parents=True)

    def die() -> None:
        with counted_attempt(tmp_path, "a"):
            (file,) = (tmp_path / "_linnet/attempts").iterdir()
            noted.append(file.read_text())

    noted: list[str] = []
    for number in range(MAX_ATTEMPTS):
        die()  # which ends well and leaves no trace; the note is put back as a killed process leaves it
        (tmp_path / "_linnet/attempts" / _only_name("a")).write_text(
            noted[0].replace("1", str(number + 1), 1)
        )
    with pytest.raises(
        RequestError,
        match=f"^a: the process that linked this chunk died {MAX_ATTEMPTS} times, the last time on",
    ):
        die()
    cap_attempts(tmp_path)
    with counted_attempt(tmp_path, "a") as before:
        assert before == 2
    with counted_attempt(tmp_path, "a") as before:
        assert before == 0


def _only_name(part: str) -> str:
    from linnet.io import artifact

    return artifact.digest(part)
