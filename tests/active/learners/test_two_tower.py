"""The learner of two towers, from a tiny model that was trained for the terminology."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.torch

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytest.importorskip("onnxscript", reason="needs the train extra")

from linnet.active.learners import (  # noqa: E402
    choose_learners,
    learners,
    reindexed,
    suitable_learners,
)
from linnet.active.learners.two_tower import LearnTwoTower  # noqa: E402
from linnet.active.model import ensure_indexes, open_model, pipeline_of  # noqa: E402
from linnet.active.training_data import TrainingData  # noqa: E402
from linnet.encode.two_tower import TwoTowerEncoder  # noqa: E402
from linnet.errors import RequestError  # noqa: E402
from linnet.link.identity import models_of  # noqa: E402
from linnet.link.indexing import index_terminology  # noqa: E402
from linnet.link.learned import ENCODER, TERMINOLOGY  # noqa: E402
from linnet.terminology import Terminology, write_terminology  # noqa: E402
from linnet.train.learners.two_tower import TwoTowerLearner, TwoTowerSettings  # noqa: E402
from linnet.types import Document, Mention  # noqa: E402

QUICK = LearnTwoTower(fewest=10, steps=(2, 2), mentions=4)


@pytest.fixture(scope="module")
def towers(small_terminology: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained two-tower model."""
    place = tmp_path_factory.mktemp("towers") / "model"
    settings = TwoTowerSettings(name="towers", layers=1, width=16, heads=2, vocabulary=80, max_length=20)
    names = list(Terminology.open(small_terminology).names.take(range(8)))
    TwoTowerLearner(settings, names, seed=0).save(place, card="", training={})
    return place


@pytest.fixture
def terminology(small_terminology: Path, towers: Path, tmp_path: Path) -> Terminology:
    """The small one, indexed with the model."""
    pipeline = {"retrievers": ["exact", "dense"], "reranker": None}
    made = write_terminology(Terminology.open(small_terminology), tmp_path / "small", pipeline=pipeline)
    index_terminology(made, encoder=towers, threads=1)
    return Terminology.open(tmp_path / "small")


def _training_data(terminology: Terminology, documents: int) -> TrainingData:
    made = []
    for number in range(documents):
        name, concept = [("podagra", "X:1"), ("wheezy lungs", "X:2"), ("sailors' rot", "X:6")][number % 3]
        home = Document(str(number), f"{name} was seen")
        made.append(home.with_mentions([Mention(home, 0, len(name), name, "Disease", (concept,))]))
    return TrainingData(terminology, (), made, [], open_model(terminology, None).linker)


@pytest.mark.parametrize("better", [True, False])
def test_the_towers_are_kept_where_they_link_better(
    terminology: Terminology, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, better: bool
) -> None:
    shares = iter([0.5, 0.6 if better else 0.5])
    monkeypatch.setattr(reindexed, "linking_accuracy", lambda *_: next(shares))
    folder = tmp_path / "job"
    folder.mkdir()
    data = _training_data(terminology, 15)
    steps: list[tuple[float, str]] = []
    said = QUICK.learn(data, folder, lambda share, message: steps.append((share, message)))
    assert said.startswith("a two-tower encoder: 0.600" if better else "no two-tower encoder"), said
    assert ((folder / ENCODER).exists(), (folder / TERMINOLOGY).exists()) == (better, better)
    assert "Training the two-tower encoder: step 2 of 2" in [message for _, message in steps]
    assert [share for share, _ in steps] == sorted(share for share, _ in steps)
    assert not list(folder.rglob("*.safetensors"))
    learners["names"].learn(data, folder, lambda *_: None)
    model = open_model(terminology, folder.rename(tmp_path / "v1"))
    used = models_of(model.linker)["encoder"]["name"]
    assert used == ("learned-int8" if better else "towers")
    [link] = model.linker.link([Mention.alone("podagra", right=" was seen")])
    assert link.concepts == ("X:1",)


def test_a_version_still_opens_when_the_model_it_began_with_is_gone(
    terminology: Terminology, towers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = iter([0.0, 1.0])
    monkeypatch.setattr(reindexed, "linking_accuracy", lambda *_: next(shares))
    (tmp_path / "job").mkdir()
    own = Path(shutil.copytree(towers, tmp_path / "own"))
    index_terminology(terminology, encoder=own, threads=1)
    QUICK.learn(_training_data(terminology, 15), tmp_path / "job", lambda *_: None)
    shutil.rmtree(own)
    linker = open_model(terminology, (tmp_path / "job").rename(tmp_path / "v1")).linker
    assert linker.link([Mention.alone("lungs", left="wheezy ")])[0].candidates


def test_it_goes_on_from_the_folder_around_a_small_copy(
    terminology: Terminology, towers: Path, tmp_path: Path
) -> None:
    index_terminology(terminology, encoder=towers / "int8", threads=1)
    assert QUICK.unsuitable(pipeline_of(terminology), terminology) == ""
    bare = Path(shutil.copytree(towers / "int8", tmp_path / "small-copy"))
    TwoTowerEncoder.open(bare)
    index_terminology(terminology, encoder=bare, threads=1)
    assert "has no weights to train further" in QUICK.unsuitable(pipeline_of(terminology), terminology)


def test_from_few_mentions_nothing_is_trained(terminology: Terminology, tmp_path: Path) -> None:
    assert "too few" in QUICK.learn(_training_data(terminology, 5), tmp_path, lambda *_: None)
    one = _training_data(terminology, 15)
    one = replace(one, documents=[d for d in one.documents if d.mentions[0].concepts == ("X:1",)] * 5)
    assert "of 1 concepts" in QUICK.learn(one, tmp_path, lambda *_: None)
    assert list(tmp_path.glob("two-tower*")) == []


def test_a_terminology_without_entities_has_nothing_to_begin_with(
    small_terminology: Path, tmp_path: Path
) -> None:
    plain = Terminology.open(small_terminology)
    said = QUICK.learn(_training_data(plain, 15), tmp_path, lambda *_: None)
    assert "Index the terminology with such a model" in said
    assert "two-tower" not in suitable_learners(pipeline_of(plain), plain)


def test_a_terminology_with_entities_offers_them(terminology: Terminology) -> None:
    ensure_indexes(terminology)
    offered = suitable_learners(pipeline_of(terminology), terminology)
    assert "two-tower" in offered
    assert "encoder" not in offered


def test_a_version_has_one_encoder() -> None:
    with pytest.raises(RequestError, match="not both"):
        choose_learners(["two-tower", "encoder"])
    assert choose_learners(["names", "two-tower"]) == ["two-tower", "names"]


def test_nobody_trains_it_without_choosing_it() -> None:
    chosen: list[Any] = choose_learners([])
    assert "two-tower" not in chosen
