"""A run: what it leaves behind, resuming to the bit after SIGKILL, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from tests.advised import advises  # noqa: E402

from linnet.advice import Step  # noqa: E402
from linnet.encode.model import open_model  # noqa: E402
from linnet.errors import (  # noqa: E402
    DamagedError,
    DataError,
    MismatchError,
    RequestError,
    StoreError,
    TrainingError,
    UnknownNameError,
)
from linnet.io.settings_files import read_table  # noqa: E402
from linnet.train.loop import LAST, Progress  # noqa: E402
from linnet.train.metrics import draw_metrics  # noqa: E402
from linnet.train.run import run  # noqa: E402

Linear = Callable[..., Path]

_PROGRAM = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from linnet.train.tasks import tasks
tasks["linear"] = "linear_task:LinearTask"
from linnet.cli import main
from tests.advised import advises  # noqa: E402
main()
"""


class StopAt(Progress):
    """Presses Ctrl-C after so many steps."""

    def __init__(self, step: int) -> None:
        self.step = step

    def stepped(self, step: int, loss: float) -> None:
        if step == self.step:
            os.kill(os.getpid(), signal.SIGINT)


class Notes(Progress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.said_: list[str] = []

    def notify(self, message: str) -> None:
        self.said_.append(message)


@pytest.fixture(autouse=True)
def _generators_restored() -> Iterator[None]:
    """A run seeds torch's generator; other tests need not notice."""
    with torch.random.fork_rng(devices=[]):
        yield


def weights(output: Path) -> bytes:
    return (output / "weights.safetensors").read_bytes()


def history(output: Path) -> list[list[str]]:
    """metrics.csv without the column of seconds, which no two runs share."""
    lines = (output.with_name(f"{output.name}.run") / "metrics.csv").read_text().splitlines()
    return [line.split(",")[:1] + line.split(",")[2:] for line in lines]


def test_a_run_can_be_repeated_from_what_lies_beside_the_model(
    linear: Linear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = linear(card="about.md")
    monkeypatch.setattr("linnet.train.loop.draw_metrics", draw_metrics)
    (tmp_path / "about.md").write_text("# Lengths\n\nFor people who count.\n", encoding="utf-8")
    done = run(file)
    assert done.settings.output == tmp_path / "out"
    folder = tmp_path / "out.run"
    assert {found.name for found in folder.iterdir()} == {
        "run.toml",
        "provenance.json",
        "metrics.csv",
        "metrics.png",
        "last.safetensors",
        "best.safetensors",
    }
    assert (folder / "metrics.png").read_bytes().startswith(b"\x89PNG")
    facts = json.loads((folder / "provenance.json").read_text())
    assert facts["settings"]["loop"]["schedule"] == "linear"
    assert facts["data"].keys() == {"names", "../names.txt"}
    assert {"linnet", "python", "torch", "numpy"} <= facts["packages"].keys()
    assert {"cpu", "cores", "threads", "device"} <= facts["hardware"].keys()
    assert facts["result"]["scores"] == done.trained.scores
    training = open_model(tmp_path / "out").training
    assert training["data"] == facts["data"]
    assert training["settings"] == facts["settings"]
    assert str(tmp_path) not in (tmp_path / "out" / "model.toml").read_text()
    card = (tmp_path / "out" / "README.md").read_text()
    assert card.startswith("# Lengths\n\nFor people who count.\n\n## Training")
    assert str(tmp_path) not in card
    first = weights(tmp_path / "out")
    (tmp_path / "out").rename(tmp_path / "first")
    run(folder / "run.toml", overwrite=True)
    assert weights(tmp_path / "out") == first


@pytest.mark.parametrize("at", [7, 10, 25])
def test_an_interrupted_run_ends_as_if_it_had_not_been(linear: Linear, tmp_path: Path, at: int) -> None:
    run(linear("whole", output="whole"))
    file = linear("cut", output="cut")
    assert run(file, progress=StopAt(at)).trained.ending == "interrupted"
    assert not (tmp_path / "cut").exists()
    assert run(file, resume=True).trained.ending == "steps"
    assert weights(tmp_path / "cut") == weights(tmp_path / "whole")
    assert history(tmp_path / "cut") == history(tmp_path / "whole")
    assert len(json.loads((tmp_path / "cut.run" / "provenance.json").read_text())["sessions"]) == 2


def test_a_run_killed_again_and_again_ends_as_if_it_had_not_been(linear: Linear, tmp_path: Path) -> None:
    loop = {"steps": 90, "evaluate_every": 15, "checkpoint_every": 4, "warm_up": 10, "schedule": "cosine"}
    run(linear("whole", output="whole", loop=loop, delay=0.02))
    file = linear("killed", output="killed", loop=loop, delay=0.02)
    checkpoint = tmp_path / "killed.run" / LAST
    command = [sys.executable, "-c", _PROGRAM, str(Path(__file__).parent), "train", str(file)]
    for kill in range(2):
        resumed = ["--resume"] if kill else []
        started = subprocess.Popen([*command, *resumed], stderr=subprocess.PIPE, text=True)
        _wait_for_checkpoints(checkpoint, started, number=5)
        time.sleep(0.01 + 0.03 * kill)  # some steps after the checkpoint
        started.kill()
        assert started.wait() == -signal.SIGKILL
        assert started.stderr is not None
        started.stderr.close()
    assert not (tmp_path / "killed").exists()
    run(file, resume=True)
    assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
    assert history(tmp_path / "killed") == history(tmp_path / "whole")


def _wait_for_checkpoints(checkpoint: Path, process: subprocess.Popen[str], *, number: int) -> None:
    """Until the process has written so many."""

    def written() -> int:
        return checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0

    until = time.monotonic() + 120
    for _ in range(number):
        before = written()
        while written() == before:
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < until
            time.sleep(0.005)


def test_a_run_killed_before_its_first_checkpoint_begins_again(linear: Linear, tmp_path: Path) -> None:
    file = linear()
    run(file)
    whole = weights(tmp_path / "out")
    (tmp_path / "out.run" / LAST).unlink()
    notes = Notes()
    run(file, resume=True, progress=notes)
    assert notes.said_ == ["The run has no checkpoint yet; starting with the first step."]
    assert weights(tmp_path / "out") == whole


def test_a_model_that_could_not_be_saved_is_saved_when_the_run_is_resumed(
    linear: Linear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import linear_task

    file = linear()
    with monkeypatch.context() as patch:

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr(linear_task, "save_file", full)
        with pytest.raises(StoreError, match=r"cannot be written: No space left"):
            run(file)
    assert not (tmp_path / "out").exists()
    run(file, resume=True)
    assert open_model(tmp_path / "out").kind == "linear"


def test_a_finished_run_can_be_resumed_to_no_effect(linear: Linear, tmp_path: Path) -> None:
    file = linear(loop={"patience": 2, "steps": 400})
    first = run(file).trained
    whole = weights(tmp_path / "out")
    again = run(file, resume=True).trained
    assert (again.ending, again.step, again.rows) == (first.ending, first.step, first.rows)
    assert weights(tmp_path / "out") == whole


def test_other_settings_or_data_are_not_resumed(linear: Linear, tmp_path: Path) -> None:
    run(linear(), progress=StopAt(12))
    with pytest.raises(MismatchError) as caught:
        run(linear(batch=9, loop={"clip": 1.0}), resume=True)
    assert "batch: 8 → 9\n  loop.clip: not set → 1.0" in str(caught.value)
    assert advises(Step.START_AGAIN)(caught.value)
    file = linear()
    (tmp_path / "names.txt").write_text("gout rickets", encoding="utf-8")
    with pytest.raises(MismatchError, match=r"data have changed.*\n  \.\./names\.txt: \w+ → \w+\n  names: "):
        run(file, resume=True)


def test_a_run_that_started_from_other_weights_is_not_resumed(
    linear: Linear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.nn.Sequential, "digest", "0a", raising=False)
    run(linear(), progress=StopAt(12))
    monkeypatch.setattr(torch.nn.Sequential, "digest", "0b", raising=False)
    with pytest.raises(MismatchError, match=r"data have changed.*\n  start: 0a → 0b"):
        run(linear(), resume=True)


def test_the_run_may_move_with_its_data(linear: Linear, tmp_path: Path) -> None:
    run(linear(), progress=StopAt(12))
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("run.toml", "names.txt", "out.run"):
        (tmp_path / name).rename(moved / name)
    assert run(moved / "run.toml", resume=True).trained.ending == "steps"


def test_other_versions_are_mentioned(linear: Linear, tmp_path: Path) -> None:
    file = linear()
    run(file, progress=StopAt(12))
    provenance = tmp_path / "out.run" / "provenance.json"
    facts = json.loads(provenance.read_text())
    facts["sessions"][-1]["packages"]["torch"] = "2.0"
    provenance.write_text(json.dumps(facts))
    notes = Notes()
    run(file, resume=True, progress=notes)
    assert "Changed since the last session: torch." in notes.said_[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [(LAST, b"nonsense"), ("provenance.json", b"{}"), ("provenance.json", b"["), ("run.toml", b"task = ")],
)
def test_what_is_damaged_is_not_resumed(linear: Linear, tmp_path: Path, name: str, content: bytes) -> None:
    file = linear()
    run(file, progress=StopAt(12))
    (tmp_path / "out.run" / name).write_bytes(content)
    with pytest.raises((DamagedError, DataError), match=name):
        run(file, resume=True)


def test_what_is_there_is_not_replaced_unless_asked_for(linear: Linear, tmp_path: Path) -> None:
    file = linear()
    with pytest.raises(RequestError, match=r"no run in .*out\.run to resume", check=advises(Step.START_RUN)):
        run(file, resume=True)
    run(file, progress=StopAt(12))
    with pytest.raises(RequestError, match="unfinished run", check=advises(Step.RESUME_RUN)):
        run(file)
    run(file, resume=True)
    with pytest.raises(RequestError, match=r"out is already trained", check=advises(Step.REPLACE_RUN)):
        run(file)
    with pytest.raises(RequestError, match="Leave one of them out"):
        run(file, resume=True, overwrite=True)
    before = open_model(tmp_path / "out").digest
    run(linear(seed=1), overwrite=True)
    assert open_model(tmp_path / "out").digest != before


@pytest.mark.parametrize("name", ["out", "out.run"])
def test_somebody_elses_folder_is_never_replaced(linear: Linear, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.tex").write_text("x")
    for keys in ({}, {"overwrite": True}):
        with pytest.raises(RequestError, match="Choose another `output`"):
            run(linear(), **keys)
    assert (tmp_path / name / "thesis.tex").exists()


def test_data_that_cannot_be_learnt_from_leave_the_run_before_alone(linear: Linear, tmp_path: Path) -> None:
    file = linear()
    run(file)
    before = weights(tmp_path / "out")
    (tmp_path / "names.txt").write_text("")
    with pytest.raises(DataError, match="no names to learn from"):
        run(file, overwrite=True)
    assert weights(tmp_path / "out") == before
    assert (tmp_path / "out.run" / LAST).exists()


def test_a_failed_run_keeps_its_checkpoint_and_the_model_before(linear: Linear, tmp_path: Path) -> None:
    run(linear())
    before = weights(tmp_path / "out")
    with pytest.raises(TrainingError, match="is not finite"):
        run(linear(trouble="loss", trouble_at=25), overwrite=True)
    assert weights(tmp_path / "out") == before
    assert read_table(tmp_path / "out.run" / "run.toml")["trouble"] == "loss"


@pytest.mark.parametrize(
    ("keys", "error", "message"),
    [
        ({"task": "linaer"}, UnknownNameError, "Unknown task 'linaer'. Did you mean 'linear'"),
        ({"task": 3}, DataError, "names no task"),
        (
            {"task": "cross-encoder"},
            MismatchError,
            r"task 'cross-encoder', which linnet no longer has\..*'accurate'",
        ),
        ({"bach": 3}, DataError, "'bach' is not a key; did you mean 'batch'"),
        ({"loop": {"step": 3}}, DataError, "'loop.step' is not a key; did you mean 'loop.steps'"),
        ({"loop": {"warm_up": 99}}, DataError, r"in \[loop\]: 'warm_up' is 99; expected 0 to 40"),
        ({"loop": {"schedule": "cosin"}}, DataError, "expected one of 'constant', 'linear', 'cosine'"),
        ({"seed": -1}, DataError, "'seed' is -1; expected 0 or more"),
        ({"names": "none.txt"}, DataError, "none.txt: no such file"),
        ({"card": "none.md"}, DataError, "none.md: no such file"),
        ({"names": "${LINNET_NOWHERE}/x"}, DataError, "LINNET_NOWHERE is not set"),
    ],
)
def test_mistakes_in_a_run_file_are_named(
    linear: Linear, tmp_path: Path, keys: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(linear(**keys))
    assert not (tmp_path / "out.run").exists()


def test_checkpoints_elsewhere_go_on_after_an_interruption(linear: Linear, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    run(linear("whole", output="whole"))
    file = linear("cut", output="cut", loop={"checkpoints": "disk"})
    run(file, progress=StopAt(7))
    assert (tmp_path / "disk" / "cut.run" / LAST).is_file()
    with pytest.raises(RequestError, match="holds an unfinished run"):
        run(file)
    run(file, resume=True)
    assert weights(tmp_path / "cut") == weights(tmp_path / "whole")


def test_checkpoints_of_others_are_not_replaced_and_missing_ones_are_named(
    linear: Linear, tmp_path: Path
) -> None:
    file = linear("cut", output="cut", loop={"checkpoints": "disk"})
    with pytest.raises(StoreError, match=r"disk, the 'loop.checkpoints' of .*does not exist"):
        run(file)
    own = tmp_path / "disk" / "cut.run"
    own.mkdir(parents=True)
    (own / LAST).write_bytes(b"of another run")
    with pytest.raises(RequestError, match="holds checkpoints of an earlier run"):
        run(file)
    (own / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RequestError, match=r"other files than checkpoints \(notes.txt\)"):
        run(file, overwrite=True)
    (own / "notes.txt").unlink()
    run(file, overwrite=True, progress=StopAt(7))
    for checkpoint in own.iterdir():
        checkpoint.unlink()
    own.rmdir()
    with pytest.raises(StoreError, match="held the checkpoints of this run, does not exist"):
        run(file, resume=True)


def test_a_task_without_passes_asks_for_steps(linear: Linear) -> None:
    with pytest.raises(RequestError, match=r"'linear' has no passes.*'loop.steps'"):
        run(linear(loop={"passes": 1.0}))
