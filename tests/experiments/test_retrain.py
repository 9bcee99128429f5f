"""`retrain.py` does its steps in order, goes on where it stopped, and puts into the package what the package has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import retrain
from retrain import STEPS, Step


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with one shipped model, and three steps that write what they do into a log."""
    shipped, made = tmp_path / "src/linnet/models/reader", tmp_path / "experiments/models/reader"
    for folder, text in ((shipped, "old"), (made, "new")):
        folder.mkdir(parents=True)
        (folder / "weights.json").write_text(text)
    (made / "model.onnx").write_text("not shipped")
    (shipped / "first.json").write_text("no longer made")
    steps = {
        "names": Step(("echo data >> log",), after=("echo names >> log",)),
        "reader": Step(("echo data >> log", "echo strings >> log"), "reader.toml"),
        "answers": Step(after=("echo answers >> log",)),
    }
    monkeypatch.setattr(retrain, "STEPS", steps)
    monkeypatch.setattr(retrain, "ROOT", tmp_path)
    monkeypatch.setattr(retrain, "DONE", tmp_path / "experiments/models/retrained.txt")
    monkeypatch.setattr(retrain, "LINNET", "echo >> log")
    return tmp_path


def _run(root: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> list[str]:
    (root / "log").write_text("")
    monkeypatch.setattr(sys, "argv", ["retrain.py", *options])
    retrain.main()
    return (root / "log").read_text().split("\n")[:-1]


def test_steps_are_done_once_in_their_order_and_data_that_two_need_are_made_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _run(root, monkeypatch) == ["data", "names", "strings", "train experiments/reader.toml", "answers"]
    assert _run(root, monkeypatch) == []
    assert _run(root, monkeypatch, "--from", "reader", "--to", "reader")[:2] == ["data", "strings"]


def test_the_package_gets_the_files_that_it_has(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _run(root, monkeypatch)
    shipped = root / "src/linnet/models/reader"
    assert {file.name: file.read_text() for file in shipped.iterdir()} == {"weights.json": "new"}


def test_a_step_that_fails_is_done_again_and_its_training_goes_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrain, "LINNET", "false")
    with pytest.raises(subprocess.CalledProcessError):
        _run(root, monkeypatch)
    (root / "experiments/models/reader.run").mkdir()
    monkeypatch.setattr(retrain, "LINNET", "echo >> log")
    assert _run(root, monkeypatch)[2] == "train experiments/reader.toml --resume"
    assert _run(root, monkeypatch, "--from", "reader")[2] == "train experiments/reader.toml --overwrite"


def test_a_list_does_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(root, monkeypatch, "--list") == []
    assert "echo strings" in capsys.readouterr().out
    assert not (root / "experiments/models/retrained.txt").exists()


@pytest.mark.parametrize("step", STEPS.values())
def test_the_run_files_are_there(step: Step) -> None:
    assert step.run_file is None or (Path(retrain.__file__).parent / step.run_file).is_file()
