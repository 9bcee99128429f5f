"""Child processes that report, die, are replaced, and outlive nobody."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from linnet.system import child_process
from linnet.system.child_process import ChildProcess, KeptRunning

CHILD = """
import os, sys, time
from linnet.errors import LinnetError
from linnet.system.child_process import read_settings, report_error, report_started

settings = read_settings(str, orphaned=lambda: settings == "stays" or os._exit(7))
print("a line that is no report")
if settings == "broken":
    report_error(LinnetError("the folder is missing"))
    sys.exit(3)
report_started({"settings": settings, "arguments": sys.argv[1:], "pid": os.getpid()})
time.sleep(60)
"""
LOG = logging.getLogger("linnet.tests")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., ChildProcess]]:
    """Starts children, which end with the test."""
    (tmp_path / "a_child.py").write_text(CHILD)
    made: list[ChildProcess] = []

    def begin(settings: str = "fine", *arguments: str) -> ChildProcess:
        path = os.pathsep.join([str(tmp_path), *sys.path])
        made.append(ChildProcess("a_child", *arguments, settings=settings, environment={"PYTHONPATH": path}))
        return made[-1]

    yield begin
    for child in made:
        child.close()


def wait_for(condition: Callable[[], Any]) -> Any:
    """Its value, once it is true."""
    deadline = time.monotonic() + 30
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return value


def test_a_child_gets_its_settings_and_reports_that_it_started(start: Callable[..., ChildProcess]) -> None:
    child = start("a line", "one", "two")
    report = wait_for(lambda: child.started)
    assert report == {"settings": "a line", "arguments": ["one", "two"], "pid": child.pid}
    assert child.exit_code() is None


def test_a_child_that_cannot_start_reports_why(start: Callable[..., ChildProcess]) -> None:
    child = start("broken")
    wait_for(lambda: child.exit_code() is not None)
    child.close()
    assert (child.started, str(child.error), child.exit_code()) == (None, "the folder is missing", 3)


def test_a_child_that_is_let_go_ends_and_one_that_is_closed_is_killed(
    start: Callable[..., ChildProcess],
) -> None:
    child, other = start(), start()
    wait_for(lambda: child.started and other.started)
    child.let_go()
    assert wait_for(child.exit_code) == 7
    other.close(seconds=30)
    assert other.exit_code() == 7


def test_a_child_that_does_not_end_in_time_is_killed(start: Callable[..., ChildProcess]) -> None:
    child = start("stays")
    wait_for(lambda: child.started)
    child.close(seconds=0.1)
    assert child.exit_code() == (-signal.SIGKILL if sys.platform != "win32" else 1)


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs Linux: looks into /proc")
def test_children_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "a_child.py").write_text(CHILD)
    parent = (
        "import time; from linnet.system.child_process import ChildProcess\n"
        "child = ChildProcess('a_child', settings='fine')\n"
        "while child.started is None: time.sleep(0.02)\n"
        "print(child.pid, flush=True); time.sleep(60)"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert Path(f"/proc/{pid}").exists()
        process.kill()
    wait_for(lambda: not Path(f"/proc/{pid}").exists())


def test_a_child_that_dies_is_replaced_after_pauses_that_grow(
    start: Callable[..., ChildProcess], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child_process, "_PAUSE", 0.05)
    dead: list[int] = []
    kept = KeptRunning(
        lambda: start("broken"), name="worker", log=LOG, died=lambda child: dead.append(child.pid)
    )
    pids = [kept.start().pid]
    deadline = time.monotonic() + 30
    while len(dead) < 3 and time.monotonic() < deadline:
        kept.check()
        if kept.child is not None and kept.child.pid != pids[-1]:
            pids.append(kept.child.pid)
        time.sleep(0.01)
    assert dead == pids
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [
        f"worker {pid} ended with code 3 (the folder is missing); another starts in {pause:g} s"
        for pid, pause in zip(pids, (0.05, 0.1, 0.2), strict=True)
    ]


def test_a_child_that_lived_long_is_replaced_after_the_shortest_pause(
    start: Callable[..., ChildProcess], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child_process, "_YOUNG", 0.0)
    kept = KeptRunning(lambda: start("broken"), name="worker", log=LOG)
    kept._pause = 16.0
    child = kept.start()
    wait_for(lambda: child.exit_code() is not None)
    kept.check()
    assert "another starts in 0.5 s" in caplog.text


def test_a_child_that_the_system_cannot_start_is_tried_again(
    start: Callable[..., ChildProcess], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_process, "_PAUSE", 0.01)
    outcomes = [OSError("no memory"), None]

    def begin() -> ChildProcess:
        if (error := outcomes.pop(0)) is not None:
            raise error
        return start()

    kept = KeptRunning(begin, name="worker", log=LOG)
    kept.check()
    assert "worker cannot be started (no memory); next attempt in 0.01 s" in caplog.text
    time.sleep(0.02)
    kept.check()
    assert wait_for(lambda: kept.child and kept.child.started)
