"""`linnet train`: what is said, and the exit codes."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from linnet.cli import app
from linnet.extras import clone

Linear = Callable[..., Path]


def train(*args: object) -> Result:
    return CliRunner().invoke(app, ["train", *map(str, args)])


@pytest.mark.torch
def test_it_says_how_it_goes_and_where_the_model_is(linear: Linear, tmp_path: Path) -> None:
    done = train(linear(loop={"steps": 20, "patience": 9}))
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert re.match(r"step 0 · \d+ s · fit 0\.0", lines[0])
    assert lines[0].endswith("best")
    assert re.search(r"step 20 · \d+ s · loss ", done.stderr)
    assert f"{tmp_path / 'out'} is ready after 20 steps" in done.stderr
    assert f"Metrics and settings: {tmp_path / 'out.run'}" in done.stderr


@pytest.mark.torch
def test_patience_is_given_as_the_reason(linear: Linear) -> None:
    done = train(linear(learning_rate=0.0, loop={"patience": 2, "evaluate_every": 1}))
    assert done.exit_code == 0, done.stderr
    assert re.search(r"after 2 steps and \d+ s \(no better score in 2 evaluations\)", done.stderr)


@pytest.mark.torch
def test_a_mistake_is_an_error_of_one_message(linear: Linear) -> None:
    done = train(linear(bach=3))
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: ")
    assert "did you mean 'batch'?" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.torch
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopping_says_how_to_go_on(
    linear: Linear, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int
) -> None:
    import linear_task

    loss = linear_task.LinearTask.loss

    def pressed(self: linear_task.LinearTask, step: int) -> object:
        if step == 12:
            os.kill(os.getpid(), number)
        return loss(self, step)

    file = linear()
    with monkeypatch.context() as patch:
        patch.setattr(linear_task.LinearTask, "loss", pressed)
        stopped = train(file)
    assert stopped.exit_code == code
    assert "Stopped after step 13 of 40; a checkpoint is saved." in stopped.stderr
    assert f"linnet train {file} --resume" in stopped.stderr
    resumed = train(file, "--resume")
    assert resumed.exit_code == 0
    assert "Resuming after step 13 of 40." in resumed.stderr
    assert train(file).exit_code == 1
    assert train(file, "--overwrite").exit_code == 0


def written_to(terminal: int) -> bytes:
    """All that was written to the other end of a terminal, which is closed by now; a read gives a part of it."""
    parts = []
    with suppress(OSError):
        while part := os.read(terminal, 65536):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts)


@pytest.mark.torch
def test_a_terminal_sees_a_bar(
    linear: Linear, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from linnet.cli.progress import training

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        with training("ngram", 20) as progress:
            progress.planned(30)
            progress.stepped(5, 0.5)
            progress.evaluated({"step": 5, "seconds": 1.0, "learning_rate": 1.0, "acc": 0.25}, best=True)
    shown = written_to(ours).decode()
    assert "step 5 · 1 s · acc 0.2500 · best" in shown
    assert "5/30" in shown
    assert "loss 0.5" in shown


def test_without_torch_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('task = "synonyms"')
    program = (
        "import sys; sys.modules['torch'] = None; sys.argv = ['linnet', 'train', 'run.toml']\n"
        "from linnet.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    command = f"pip install -e '{clone()}[train]'"
    assert done.stderr == f"Error: Training needs the 'train' extra. Run: {command}\n"
