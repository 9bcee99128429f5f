"""The command line as a whole: help, lazy imports, messages and exit codes."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner, Result

from linnet.cli import COMMANDS, app
from linnet.errors import DataError

HEAVY = {"pyarrow", "numpy", "scipy", "faiss", "onnxruntime", "rich", "torch", "lxml"}


@pytest.fixture
def attempt(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., None]], Result]:
    """Run a function as the command `linnet attempt`."""

    def attempt(function: Callable[..., None], *args: str) -> Result:
        monkeypatch.setitem(COMMANDS, "attempt", ("attempts:run", "Invented."))
        monkeypatch.setitem(sys.modules, "attempts", SimpleNamespace(run=function))  # type: ignore[arg-type]
        return CliRunner().invoke(app, ["attempt", *args])

    return attempt


def start(tmp_path: Path, body: str, **settings: Any) -> subprocess.Popen[bytes]:
    """A process that runs `body` as the command `linnet attempt`."""
    (tmp_path / "attempts.py").write_text(f"import sys, time\ndef run():\n  {body}\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from linnet.cli import COMMANDS, main\n"
        "COMMANDS['attempt'] = ('attempts:run', 'Invented.')\n"
        "main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, "attempt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings
    )


def raising(error: BaseException) -> Callable[[], None]:
    def run() -> None:
        raise error

    return run


def test_the_overview_lists_every_command_with_what_it_does() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    for name, (_, summary) in COMMANDS.items():
        assert name in shown.stdout
        assert summary in shown.stdout


def test_the_overview_imports_no_command_and_no_heavy_library() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from linnet.cli import app\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} | "
        "{name for name in sys.modules if name.startswith('linnet.')}))"
    )
    loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("linnet.cli.")} == {
        "linnet.cli.failures",
        "linnet.cli.lazy",
        "linnet.cli.option_groups",
        "linnet.cli.raw_arguments",
        "linnet.cli.panels",
        "linnet.cli.streams",
    }


def test_options_that_may_be_repeated_take_several_values_in_a_row(attempt: Callable[..., Result]) -> None:
    def run(
        first: str,
        types: Annotated[list[str] | None, typer.Option()] = None,
        k: Annotated[int, typer.Option()] = 1,
    ) -> None:
        typer.echo(f"{first} {types} {k}")

    assert attempt(run, "a", "--types", "b", "c", "--k", "2").stdout == "a ['b', 'c'] 2\n"
    assert "--types VALUE..." in attempt(run, "--help").stdout


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout == "linnet 0.1.0\n"


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "linnet", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("linnet ")


def test_an_unknown_command_is_wrong_usage_and_suggests_one() -> None:
    shown = CliRunner().invoke(app, ["terminolgy"])
    assert shown.exit_code == 2
    assert "terminology" in shown.stderr


def test_examples_keep_their_lines_in_the_help(attempt: Callable[..., Result]) -> None:
    def run() -> None:
        """Do it.

        Examples:
          linnet attempt one
          linnet attempt two
        """

    assert "  Examples:\n    linnet attempt one\n    linnet attempt two\n" in attempt(run, "--help").stdout


def test_a_refusal_is_a_message_on_standard_error_and_exit_code_1(attempt: Callable[..., Result]) -> None:
    shown = attempt(raising(DataError("no such row.", path="names.tsv", line=7)))
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert shown.stderr == "Error: names.tsv:7: no such row.\n"


def test_a_traceback_is_shown_only_when_asked_for(
    attempt: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINNET_DEBUG", "1")
    shown = attempt(raising(DataError("no such row.")))
    assert shown.exit_code == 1
    assert shown.stderr.startswith("Traceback")
    assert shown.stderr.endswith("Error: no such row.\n")


def test_a_full_disk_is_said_so(attempt: Callable[..., Result]) -> None:
    shown = attempt(raising(OSError(errno.ENOSPC, "No space left on device", "out/names.arrow")))
    assert shown.exit_code == 1
    assert "out/names.arrow: the disk is full" in shown.stderr


def test_another_error_of_the_system_names_the_file(attempt: Callable[..., Result]) -> None:
    shown = attempt(raising(PermissionError(errno.EACCES, "Permission denied", "/secret")))
    assert (shown.exit_code, shown.stderr) == (1, "Error: /secret: Permission denied.\n")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_unwinds_and_ends_with_its_code(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    body = "try: print('ready', flush=True); time.sleep(60)\n  finally: print('cleaned', file=sys.stderr, flush=True)"
    process = start(tmp_path, body)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(sent)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == code
    assert stderr.startswith(b"cleaned")
    assert b"Traceback" not in stderr


def test_a_pipe_closed_early_ends_quietly(tmp_path: Path) -> None:
    process = start(tmp_path, "for number in range(10**6): print(number)")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"0\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=20) == 141
    process.stderr.close()


def test_a_pipe_closed_before_little_output_ends_quietly(tmp_path: Path) -> None:
    process = start(tmp_path, "sys.stdin.readline(); print('little')", stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(b"\n")
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=20) == 141
    process.stderr.close()
