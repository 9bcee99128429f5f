"""Which files of a folder are linked: links are followed, each file is read once, and what cannot be read is counted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from linnet.errors import DataError, RequestError
from linnet.link.linker_config import LinkerConfig
from linnet.scale.job import run
from linnet.scale.request import Request
from linnet.scale.sources import find_sources


@pytest.fixture
def corpus(tmp_path: Path, tools: Any) -> Path:
    """A folder with one file, beside a folder with another."""
    tools.write_lines(tmp_path / "in" / "a.jsonl", tools.documents(1))
    tools.write_lines(tmp_path / "elsewhere" / "b.jsonl", tools.documents(1, first=1))
    return tmp_path / "in"


def names(corpus: Path) -> list[str]:
    return [source.name for source in find_sources(str(corpus))]


def refusals(corpus: Path) -> tuple[list[str], list[str]]:
    """What is read, and why the rest is not; the first of these ends a run unless it skips them."""
    refused: list[DataError] = []
    sources = find_sources(str(corpus), refuse=refused.append)
    if refused:
        with pytest.raises(DataError):
            find_sources(str(corpus))
    return [source.name for source in sources], [str(error) for error in refused]


def test_links_to_folders_and_files_are_followed(corpus: Path, tmp_path: Path) -> None:
    (corpus / "linked").symlink_to(tmp_path / "elsewhere")
    assert names(corpus) == ["a.jsonl", "linked/b.jsonl"]
    (corpus / "linked").unlink()
    (corpus / "c.jsonl").symlink_to(tmp_path / "elsewhere" / "b.jsonl")
    assert names(corpus) == ["a.jsonl", "c.jsonl"]


@pytest.mark.parametrize("target", [".", "..", "linked", "sub"])
def test_links_in_a_circle_are_refused_by_name(corpus: Path, tools: Any, target: str) -> None:
    tools.write_lines(corpus / "sub" / "c.jsonl", tools.documents(1))
    (corpus / "linked").symlink_to(target)
    read, [reason] = refusals(corpus)
    assert read == ["a.jsonl", "sub/c.jsonl"]
    assert reason.startswith(f"{corpus / 'linked'}: is a link to ")


def test_a_link_from_a_linked_folder_back_to_the_corpus_is_refused(corpus: Path, tmp_path: Path) -> None:
    (corpus / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(corpus)
    read, [reason] = refusals(corpus)
    assert read == ["a.jsonl", "linked/b.jsonl"]
    assert reason.startswith(f"{corpus / 'linked' / 'back'}: is a link to {corpus}")


def test_documents_are_not_read_twice_through_a_link(corpus: Path) -> None:
    (corpus / "again.jsonl").symlink_to("a.jsonl")
    read, [reason] = refusals(corpus)
    assert read == ["a.jsonl"]
    assert (
        reason
        == f"{corpus / 'again.jsonl'}: is a link to {corpus / 'a.jsonl'}, which is already read. Remove it."
    )


@pytest.mark.parametrize("name", ["c.jsonl", "2024"])
def test_a_link_that_leads_nowhere_is_refused_by_name(corpus: Path, name: str) -> None:
    (corpus / name).symlink_to("gone")
    read, [reason] = refusals(corpus)
    assert read == ["a.jsonl"]
    assert reason == f"{corpus / name}: is a link to gone: No such file or directory. Remove it."


def test_a_pipe_is_refused_and_not_waited_for(corpus: Path) -> None:
    os.mkfifo(corpus / "pipe.jsonl")
    read, [reason] = refusals(corpus)
    assert read == ["a.jsonl"]
    assert "pipe.jsonl: is not a regular file" in reason


def test_a_run_that_skips_errors_goes_on_without_a_link_that_leads_nowhere(
    corpus: Path, tmp_path: Path, opening: LinkerConfig
) -> None:
    (corpus / "gone.jsonl").symlink_to("nowhere")
    output = tmp_path / "out"
    with pytest.raises(DataError, match=r"gone\.jsonl: is a link to nowhere"):
        run(Request(input=str(corpus), output=str(output)), opening)
    summary = run(Request(input=str(corpus), output=str(output), on_error="skip"), opening)
    assert (summary.documents, summary.counts()["skipped"]) == (1, 1)
    assert "gone.jsonl: is a link to nowhere" in str(summary.skipped[0])


def test_an_output_that_a_link_leads_to_is_not_read(
    corpus: Path, tmp_path: Path, opening: LinkerConfig
) -> None:
    (corpus / "linked").symlink_to(tmp_path / "elsewhere")
    request = Request(input=str(corpus), output=str(tmp_path / "elsewhere"))
    with pytest.raises(RequestError, match="lies in the output"):
        run(request, opening)
