"""`linnet link --engine ray` on a real cluster of this machine: the same output, whoever dies on the way."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.link.linker_config import LinkerConfig
from linnet.scale import Request
from linnet.scale.engines.ray_data import _ray_errors_as_requests
from linnet.scale.job import run

pytest.importorskip("ray", reason="needs the ray extra")

PARTS = ("--part-size", "0.008")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, tools: Any) -> Iterator[str]:
    """Address of a cluster with two cores on the loopback; ended with all its processes. One at a time on a machine."""
    shared = tmp_path_factory.getbasetemp().parent / "ray.lock"
    with shared.open("w") as lock:
        _wait_for_turn(lock)
        with contextlib.ExitStack() as running:
            for attempt in range(3):  # the port may be somebody else's by now, or the machine too busy
                head, address, log = running.enter_context(_head())
                tools.wait_for(partial(_decided, head, log))
                if head.poll() is None:
                    break
                assert attempt < 2, log.read_text()
                running.close()
            yield address


def _decided(head: subprocess.Popen[bytes], log: Path) -> bool:
    """Whether the cluster runs or has failed to start."""
    return "Ray runtime started" in log.read_text() or head.poll() is not None


@contextlib.contextmanager
def _head() -> Iterator[tuple[subprocess.Popen[bytes], str, Path]]:
    """A cluster that is being started, its address and the log of its start."""
    # Sockets lie there, whose paths may have 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="ray"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--num-cpus=2",
               f"--port={port}", "--node-ip-address=127.0.0.1", "--include-dashboard=false",
               "--disable-usage-stats", f"--temp-dir={folder}", "--object-store-memory=80000000"]  # fmt: skip
    log = folder / "start.log"
    with log.open("w") as output:
        head = subprocess.Popen(
            command, stdout=output, stderr=output, start_new_session=True, env=_environment()
        )
    try:
        yield head, f"127.0.0.1:{port}", log
    finally:
        head.kill()
        head.wait()
        for process in _left(str(folder)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for_turn(lock: TextIO, *, seconds: float = 30) -> None:
    """Take the lock, or after so long go on without: two clusters are slow, not wrong."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.2)


def _environment() -> dict[str, str]:
    # Its own token, which a client on this machine must have too, is not what is tried here.
    return {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}


def _left(mark: str) -> list[int]:
    """Processes whose command line or environment holds a word."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            if mark.encode() in told and int(process.name) != os.getpid():
                found.append(int(process.name))
    return found


@pytest.fixture
def corpus(tmp_path: Path, tools: Any) -> Path:
    """Three files, which are cut into some thirty parts."""
    folder = tmp_path / "corpus"
    for number in range(3):
        records = tools.documents(60, first=1000 * number)
        long = [{"id": one["id"], "text": " ".join([one["text"]] * 8)} for one in records]
        tools.write_lines(folder / f"{number}.jsonl", long)
    return folder


@pytest.fixture
def expected(corpus: Path, opening: LinkerConfig, tmp_path: Path, tools: Any) -> dict[str, bytes]:
    """What the local engine makes of it."""
    run(Request(input=str(corpus), output=str(tmp_path / "local"), chunk_bytes=8_000), opening)
    parts: dict[str, bytes] = tools.contents(tmp_path / "local")
    assert len(parts) > 20
    return parts


def test_the_output_is_the_local_engines_though_a_worker_was_killed(
    cluster: str, start: Any, tmp_path: Path, tools: Any, expected: dict[str, bytes]
) -> None:
    output = tmp_path / "out"
    driver = start(
        "corpus", "-o", "out", "--engine", "ray", "--address", cluster, *PARTS, RAY_AUTH_MODE="disabled"
    )
    tools.wait_for(lambda: tools.finished(output) or driver.poll() is not None)
    killed = tools.wait_for(lambda: tools.busy_worker(output) or driver.poll())
    os.kill(killed, signal.SIGKILL)
    assert tools.finished(output) < len(expected), "killed when all was done"
    said = driver.communicate()
    assert driver.returncode == 0, said
    assert tools.contents(output) == expected
    notes = [json.loads(line) for line in (output / "_linnet/journal.jsonl").read_text().splitlines()]
    assert sorted(note["part"] for note in notes) == sorted(expected)
    assert sum(note["documents"] for note in notes) == 180
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert (manifest["counts"]["documents"], manifest["parts"]["workers"]) == (180, 2)


def test_a_run_goes_on_where_its_driver_was_killed(
    cluster: str, start: Any, tmp_path: Path, tools: Any, expected: dict[str, bytes]
) -> None:
    output = tmp_path / "out"
    command = ["corpus", "-o", "out", "--engine", "ray", "--address", cluster, *PARTS]
    first = start(*command, RAY_AUTH_MODE="disabled")
    tools.wait_for(lambda: tools.finished(output) >= 3 or first.poll() is not None)
    first.kill()
    first.wait()
    tools.make_old(output)
    done = tools.finished(output)
    assert 3 <= done < len(expected)
    assert not (tmp_path / "out.manifest.json").exists()

    second = start(*command, "--resume", RAY_AUTH_MODE="disabled")
    said = second.communicate()
    assert second.returncode == 0, said
    assert tools.contents(output) == expected
    notes = [json.loads(line) for line in (output / "_linnet/journal.jsonl").read_text().splitlines()]
    assert len({note["part"] for note in notes}) == len(notes) == len(expected)
    assert {note["part"] for note in notes[:done]} <= tools.old(output)


def test_an_error_in_the_data_is_said_as_without_ray(cluster: str, start: Any, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.jsonl").write_text('{"id": "1", "text": "gout"}\n{"id": "2", "text": \n')
    driver = start("bad", "-o", "out", "--engine", "ray", "--address", cluster, RAY_AUTH_MODE="disabled")
    _, said = driver.communicate()
    assert driver.returncode == 1
    assert "a.jsonl:2: not valid JSON" in said
    assert "Traceback" not in said


def test_without_an_address_ray_is_started_and_ended(start: Any, tmp_path: Path, tools: Any) -> None:
    tools.write_lines(tmp_path / "in" / "a.jsonl", tools.documents(8))
    folder = tempfile.mkdtemp(prefix="ray")
    driver = start(
        "in", "-o", "out", "--engine", "ray", "--jobs", "1", RAY_AUTH_MODE="disabled", RAY_TMPDIR=folder
    )
    _, said = driver.communicate()
    assert driver.returncode == 0, said
    assert said.splitlines()[-1].startswith("8 documents")
    assert [record["id"] for record in tools.read_parts(tmp_path / "out")] == [f"d{n}" for n in range(8)]
    tools.wait_for(lambda: not _left(folder))
    shutil.rmtree(folder, ignore_errors=True)


def test_a_cluster_that_is_not_there_is_said_at_once(start: Any, tmp_path: Path, tools: Any) -> None:
    tools.write_lines(tmp_path / "in" / "a.jsonl", tools.documents(1))
    driver = start("in", "-o", "out", "--engine", "ray", "--address", "127.0.0.1:1")
    _, said = driver.communicate(timeout=240)
    assert "No Ray cluster can be reached at 127.0.0.1:1" in said
    assert "ray start --head" in said
    assert driver.returncode == 1
    assert not (tmp_path / "out").exists()


def test_what_ray_raises_says_how_to_go_on() -> None:
    import ray

    with (
        pytest.raises(RequestError, match=r"Ray ended the run: ActorDiedError", check=advises(Step.RESUME)),
        _ray_errors_as_requests(ray),
    ):
        raise ray.exceptions.ActorDiedError()
