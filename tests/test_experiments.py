"""The run files in `experiments/` are run files: every key is known, every card is there, and what is shipped came from one of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from linnet.encode.model import open_model
from linnet.encode.named_models import SHIPPED

ROOT = Path(__file__).parents[1]
RUN_FILES = sorted((ROOT / "experiments").glob("*.toml"))


@pytest.mark.torch
@pytest.mark.parametrize("path", RUN_FILES, ids=lambda path: path.stem)
def test_a_run_file_can_be_read(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    from linnet.train.run import read_run

    monkeypatch.setenv("LINNET_DATA", str(tmp_path))
    settings, task = read_run(path)
    assert settings.task
    assert task.batch_key
    assert settings.card is None or settings.card.is_file()


# What the scripts that run files name in their first lines write.
BUILT = {
    "experiments/open_terminologies.py experiments/data": {"open", "diseases", "mentions"},
    "benchmarks/bench.py --build": {"medic", "chemicals"},
    "experiments/recogniser_data.py experiments/data": {"chemicals", "proteins", "phenotypes"},
}


@pytest.mark.parametrize("path", RUN_FILES, ids=lambda path: path.stem)
def test_the_commands_of_a_run_file_build_the_terminologies_that_it_reads(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    commands = " ".join(line for line in text.splitlines() if line.startswith("#"))
    built = set(re.findall(r"-o experiments/data/(\w+)", commands))
    built |= {name for command, names in BUILT.items() if command in commands for name in names}
    table = re.sub(r"#.*", "", text)
    read = set(re.findall(r'"(?:\.\./bench-out|data)/(\w+)"', table)) - {"folds"}
    assert read <= built


@pytest.mark.parametrize("name", sorted(folder.name for folder in SHIPPED.iterdir() if folder.is_dir()))
def test_a_shipped_model_is_whole_and_says_what_it_was_made_of(name: str) -> None:
    model = open_model(SHIPPED / name, checked=True)
    assert model.name == name
    if script := model.training.get("script"):
        assert (ROOT / script).is_file()
    else:
        run_file = tomllib.loads((ROOT / "experiments" / f"{name}.toml").read_text(encoding="utf-8"))
        assert model.training["settings"]["task"] == run_file["task"]
        assert model.training["settings"]["seed"] == run_file["seed"]
    assert all(len(digest) == 32 for digest in model.training["data"].values())
    card = (SHIPPED / name / "README.md").read_text(encoding="utf-8")
    assert "Learnt from" in card


def test_all_weights_together_stay_small() -> None:
    files = [file for file in SHIPPED.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 60e6
