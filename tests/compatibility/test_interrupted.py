"""Work that an earlier linnet was killed at goes on in this one, where it was."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.compatibility.answers import differences, files_of, linnet, read_answers, unpack, written


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All that is needed to go on, as working directory."""
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path / "cache"))
    place = unpack("interrupted", unpack("home", tmp_path / "home"))
    monkeypatch.chdir(place)
    return place


@pytest.mark.skipif(find_spec("torch") is None, reason="needs the train extra")
@pytest.mark.torch
def test_a_training_goes_on_from_its_last_checkpoint(folder: Path) -> None:
    metrics = Path("models/resumed.run/metrics.csv")
    before = _without_seconds(written(metrics))
    linnet("train", "resumed.toml", "--resume")
    after = _without_seconds(written(metrics))
    assert before == after[: len(before)]
    assert list(differences(_without_seconds(read_answers("training")["metrics"]), after)) == []
    assert Path("models/resumed/model.toml").is_file()


def test_a_linking_goes_on_after_its_last_part(folder: Path) -> None:
    finished = {
        name: digest
        for name, digest in files_of(Path("parts")).items()
        if name.endswith(".jsonl") and "_linnet" not in name
    }
    times = {name: Path("parts", name).stat().st_mtime_ns for name in finished}
    linnet(
        "link", "many.jsonl", "-t", "diseases", "--format", "jsonl", "-o", "parts", "--jobs", "1", "--part-size", "0.02",
        "--resume",
    )  # fmt: skip
    assert finished.items() <= files_of(Path("parts")).items()
    assert {name: Path("parts", name).stat().st_mtime_ns for name in finished} == times
    old, new = (
        [record for file in sorted(Path(name).glob("*.jsonl")) for record in written(file)]
        for name in ("many", "parts")
    )
    assert len(new) == 600
    assert list(differences(old, new)) == []
    manifest = json.loads(Path("parts.manifest.json").read_text(encoding="utf-8"))
    assert manifest["parts"]["linked by this run"] == manifest["parts"]["all"] - len(finished)


def test_a_finished_linking_that_is_resumed_links_nothing(folder: Path) -> None:
    before = _parts_and_journal()
    linnet(
        "link", "many.jsonl", "-t", "diseases", "--format", "jsonl", "-o", "many", "--jobs", "1", "--part-size", "0.02",
        "--resume",
    )  # fmt: skip
    assert _parts_and_journal() == before


def _parts_and_journal() -> dict[str, str]:
    """Without surveys, which note the input's inode."""
    return {name: digest for name, digest in files_of(Path("many")).items() if "surveys" not in name}


def _without_seconds(rows: list[list[Any]]) -> list[list[Any]]:
    place = rows[0].index("seconds")
    return [row[:place] + row[place + 1 :] for row in rows]
