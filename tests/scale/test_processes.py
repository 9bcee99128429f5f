"""`linnet link --jobs`: processes of this machine, one of them or the one that started them killed on the way."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.link.linker_config import LinkerConfig
from linnet.scale import Request
from linnet.scale.engines import ProcessPool
from linnet.scale.job import run
from linnet.scale.sources import find_sources

COMMAND = ("corpus", "-o", "out", "--jobs", "2", "--part-size", "0.008")


@pytest.fixture
def expected(tmp_path: Path, opening: LinkerConfig, tools: Any) -> dict[str, bytes]:
    """What one process makes of a corpus of some thirty parts."""
    long = [{"id": one["id"], "text": " ".join([one["text"]] * 8)} for one in tools.documents(180)]
    tools.write_lines(tmp_path / "corpus" / "a.jsonl", long)
    run(Request(input=str(tmp_path / "corpus"), output=str(tmp_path / "one"), chunk_bytes=8_000), opening)
    parts: dict[str, bytes] = tools.contents(tmp_path / "one")
    assert len(parts) > 20
    return parts


def test_the_parts_of_a_killed_process_are_linked_by_others(
    start: Any, tmp_path: Path, tools: Any, expected: dict[str, bytes]
) -> None:
    output = tmp_path / "out"
    driver = start(*COMMAND)
    tools.wait_for(lambda: tools.finished(output) or driver.poll() is not None)
    os.kill(tools.wait_for(lambda: tools.busy_worker(output)), signal.SIGKILL)
    assert tools.finished(output) < len(expected)
    begun_again: set[str] = set()
    while driver.poll() is None:
        begun_again |= tools.begun_again(output)
        time.sleep(0.005)
    said = driver.communicate()
    assert driver.returncode == 0, said
    assert tools.contents(output) == expected
    assert not list(output.glob(".*.part")), "the killed process left what it was writing"
    assert len(begun_again) <= 1, "an attempt was counted against a part that another process had in hand"


class Deadly:
    """In the place of a job: it ends the process that it is sent to."""

    output = "out"

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (9,)


def test_processes_that_die_before_they_begin_are_not_started_for_ever(tmp_path: Path, tools: Any) -> None:
    file = tools.write_lines(tmp_path / "a.jsonl", tools.documents(1))
    [source] = find_sources(str(file))
    job: Any = Deadly()
    with pytest.raises(
        RequestError, match=r"a\.jsonl: 5 processes died .* exit code 9", check=advises(Step.FEWER_JOBS)
    ):
        list(ProcessPool(2).run(job, [source]))


def test_a_killed_driver_takes_its_processes_along_and_a_run_goes_on(
    start: Any, tmp_path: Path, tools: Any, expected: dict[str, bytes]
) -> None:
    output = tmp_path / "out"
    driver = start(*COMMAND)
    tools.wait_for(lambda: tools.finished(output) >= 2 or driver.poll() is not None)
    worker = tools.wait_for(lambda: tools.busy_worker(output))
    driver.kill()
    driver.wait()
    tools.wait_for(lambda: not tools.running(worker), seconds=10)
    done = tools.finished(output)
    assert 2 <= done < len(expected)
    tools.make_old(output)

    again = start(*COMMAND, "--resume")
    said = again.communicate()
    assert again.returncode == 0, said
    assert tools.contents(output) == expected
    assert len(tools.old(output)) >= done


def test_ctrl_c_leaves_what_is_finished(
    start: Any, tmp_path: Path, tools: Any, expected: dict[str, bytes]
) -> None:
    output = tmp_path / "out"
    driver = start(*COMMAND)
    tools.wait_for(lambda: tools.finished(output) >= 2 or driver.poll() is not None)
    os.killpg(driver.pid, signal.SIGINT)
    _, said = driver.communicate()
    assert driver.returncode == 130
    assert "Traceback" not in said
    for line in (output / "_linnet/journal.jsonl").read_text().splitlines():
        name = line.split('"')[3]
        assert (output / name).read_bytes() == expected[name]
    assert not list(output.glob(".*.part"))


class Cramped:
    """In the place of a job: memory does not suffice for it."""

    output = "out"

    def __reduce__(self) -> tuple[Any, ...]:
        return _short, ()


def _short() -> None:
    raise MemoryError


def test_processes_that_are_short_of_memory_are_told_with_what_to_do(tmp_path: Path, tools: Any) -> None:
    file = tools.write_lines(tmp_path / "a.jsonl", tools.documents(1))
    job: Any = Cramped()
    with pytest.raises(
        RequestError, match="Not enough memory for 2 processes", check=advises(Step.FEWER_JOBS)
    ):
        list(ProcessPool(2).run(job, find_sources(str(file))))
