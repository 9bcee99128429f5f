"""Fixtures shared by all tests."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

# A drawn test that takes long on a busy machine has not failed.
hypothesis.settings.register_profile("linnet", deadline=None)
hypothesis.settings.load_profile("linnet")

# A test run in the background may have been told to ignore Ctrl-C, and what it starts would, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_BESIDE = Path(__file__).parents[1].parent / "shared" / "data"


_SLOW = frozenset(Path(__file__).with_name("slow.txt").read_text(encoding="utf-8").split("\n"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that slow.txt names."""
    for item in items:
        if item.nodeid.split("[")[0] in _SLOW:
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Leave what is imported out of the search for garbage, which would go through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora and terminologies; the test is skipped where there is none."""
    named = os.environ.get("LINNET_DATA")
    folder = Path(named) if named else _BESIDE
    if not folder.is_dir():
        pytest.skip("real data absent: set LINNET_DATA to the folder with corpora/ and terminologies/")
    return folder


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training runs draw no picture, which takes a fifth of a second, far longer than a small run's steps."""
    pytest.importorskip("torch", reason="needs the train extra")
    monkeypatch.setattr("linnet.train.loop.draw_metrics", lambda path, rows, **_: path.touch())


@pytest.fixture
def linear(tmp_path: Path, undrawn: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes a run file of the small task in `train/linear_task.py` and returns its path.

    Top-level keys are keyword arguments, `loop` is a dict. The output is `tmp_path / "out"`.
    """
    from linnet.train.tasks import tasks

    monkeypatch.syspath_prepend(str(Path(__file__).parent / "train"))
    monkeypatch.setitem(tasks, "linear", "linear_task:LinearTask")
    names = "gout rickets asthma anaemia migraine eczema influenza measles mumps scurvy"
    (tmp_path / "names.txt").write_text(names, encoding="utf-8")

    def literal(value: object) -> str:
        return f'"{value}"' if isinstance(value, str) else str(value).lower()

    def write(name: str = "run", *, loop: dict[str, object] | None = None, **keys: object) -> Path:
        top = {"task": "linear", "output": "out", "names": "names.txt", **keys}
        section = {"steps": 40, "evaluate_every": 10, "threads": 1, **(loop or {})}
        lines = [f"{key} = {literal(value)}" for key, value in top.items()]
        lines += ["[loop]", *(f"{key} = {literal(value)}" for key, value in section.items())]
        file = tmp_path / f"{name}.toml"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return file

    return write


class _NoSkips:
    """With LINNET_NO_SKIPS=1 (as on the build machine) a skipped test fails the run, unless it needs a GPU."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.found:
            terminalreporter.write_line(f"SKIPPED, which LINNET_NO_SKIPS=1 forbids: {line}", red=True)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and "gpu" not in getattr(report, "keywords", ()):
            self.found.append(report.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    # Workers of pytest-xdist hand their reports to the one controller, which judges.
    if os.environ.get("LINNET_NO_SKIPS") == "1" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_NoSkips(), "linnet-no-skips")


@pytest.fixture(autouse=True)
def no_running_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lets a test run an event loop after the browser's tests: Playwright's counts as running until its process ends."""
    running = asyncio._get_running_loop()
    if running is None or Path(__file__).parent / "web" in request.path.parents:
        yield
        return
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)
