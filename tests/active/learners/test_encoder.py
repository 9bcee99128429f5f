from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from linnet.active.learners import encoder, learners, reindexed
from linnet.active.model import ensure_indexes, open_model
from linnet.active.training_data import TrainingData
from linnet.link.learned import ENCODER, TERMINOLOGY
from linnet.terminology import Terminology, write_terminology
from linnet.types import Document, Mention

PIPELINE: dict[str, Any] = {"retrievers": ["exact", "dense"], "reranker": None}


@pytest.fixture
def terminology(small_terminology: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminology:
    """The small one with an index of vectors, named from the working directory."""
    write_terminology(Terminology.open(small_terminology), tmp_path / "dense", pipeline=PIPELINE)
    monkeypatch.chdir(tmp_path)
    made = Terminology.open("dense")
    ensure_indexes(made)
    return made


def _training_data(terminology: Terminology, documents: int) -> TrainingData:
    made = []
    for number in range(documents):
        name, concept = [("podagra", "X:1"), ("wheezy lungs", "X:2"), ("sailors' rot", "X:6")][number % 3]
        home = Document(str(number), f"{name} was seen")
        made.append(home.with_mentions([Mention(home, 0, len(name), name, "Disease", (concept,))]))
    return TrainingData(terminology, (), made, [], open_model(terminology, None).linker)


@pytest.mark.torch
@pytest.mark.parametrize(("better", "as_strings"), [(True, False), (True, True), (False, False)])
def test_an_encoder_is_kept_where_it_links_better(
    terminology: Terminology, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, better: bool, as_strings: bool
) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    monkeypatch.setattr(encoder, "_STEPS", 4)
    monkeypatch.setattr(encoder, "_FEWEST", 10)
    shares = iter([0.5, 0.6 if better else 0.5])
    monkeypatch.setattr(reindexed, "linking_accuracy", lambda *_: next(shares))
    folder = tmp_path / "job"
    folder.mkdir()
    data = _training_data(terminology, 15)
    if as_strings:  # of a mapping
        data = replace(data, documents=[], strings=data.documents)
    said = learners["encoder"].learn(data, folder, lambda *_: None)
    assert said.startswith("an encoder" if better else "no encoder"), said
    assert ((folder / ENCODER).exists(), (folder / TERMINOLOGY).exists()) == (better, better)
    learners["names"].learn(data, folder, lambda *_: None)
    model = open_model(terminology, folder.rename(tmp_path / "v1"))
    if better:
        assert model.linker.pipeline.encoder == str(tmp_path / "v1" / ENCODER)
    [link] = model.linker.link(["podagra"])
    assert link.concepts == ("X:1",)
    assert terminology.digest == model.linker.terminologies[-1].digest


def test_from_few_mentions_no_encoder_is_trained(terminology: Terminology, tmp_path: Path) -> None:
    assert "too few" in learners["encoder"].learn(_training_data(terminology, 5), tmp_path, lambda *_: None)


def test_a_pipeline_without_vectors_has_no_encoder_to_train(small_terminology: Path, tmp_path: Path) -> None:
    data = _training_data(Terminology.open(small_terminology), 5)
    assert "no n-gram encoder" in learners["encoder"].learn(data, tmp_path, lambda *_: None)


def test_an_encoder_named_by_a_relative_path_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.toml").write_text('kind = "ngram"')
    monkeypatch.chdir(tmp_path)
    assert encoder._started_from("mine") == tmp_path / "mine"
