"""What is left out for each dev set: sources that the run file has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the train extra")

from benchmarks.generalisation.left_out import LEFT_OUT, RUN_FILE
from benchmarks.generalisation.sets import sets
from linnet.train.run import read_run
from linnet.train.tasks.listwise import ListwiseSettings


@pytest.fixture(autouse=True)
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINNET_DATA", os.environ.get("LINNET_DATA", str(tmp_path)))


def test_every_source_that_is_not_a_training_set_is_left_out_somewhere() -> None:
    settings, _ = read_run(RUN_FILE)
    assert isinstance(settings, ListwiseSettings)
    names = {
        f"names of {source.terminology.name}" if source.names else source.corpora[0].stem
        for source in settings.data.sources
        if source.names or not source.remembered
    }
    assert names == {name for left in LEFT_OUT.values() for name in left}


def test_only_sets_without_sources_keep_the_shipped_reranker() -> None:
    assert set(sets) - set(LEFT_OUT) == {"registry-tune", "registry-score", "hospital", "mixed-strings"}
