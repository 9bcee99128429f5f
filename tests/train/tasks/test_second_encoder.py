"""Training a second encoder behind a listwise reranker, and linking with what was written."""

from __future__ import annotations

import re
import shutil
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")

from tests.advised import advises  # noqa: E402
from tests.train.tasks import first_rerankers  # noqa: E402
from tests.train.tasks.first_rerankers import fill  # noqa: E402

import linnet  # noqa: E402
from linnet import corpora  # noqa: E402
from linnet.advice import Step  # noqa: E402
from linnet.errors import DamagedError, DataError, MismatchError, StoreError, UnknownNameError  # noqa: E402
from linnet.evaluate.augmented_linker import augmented_linker  # noqa: E402
from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.link.identity import identity, models_of  # noqa: E402
from linnet.link.indexing import index_terminology  # noqa: E402
from linnet.rerank import open_reranker  # noqa: E402
from linnet.rerank.listwise import ListwiseReranker  # noqa: E402
from linnet.rerank.second_stage import SecondStageReranker  # noqa: E402
from linnet.terminology import Terminology, write_terminology  # noqa: E402
from linnet.train.tasks.listwise import Examples, open_crossfit  # noqa: E402
from linnet.train.tasks.second_encoder import SecondEncoderSettings, SecondEncoderTask, second_examples  # noqa: E402
from linnet.types import Concept, Mention  # noqa: E402

CONCEPTS = [
    Concept("T:0", "kidney failure", (), ("Disease",)),
    Concept("T:1", "renal cyst", (), ("Disease",)),
    Concept("T:2", "heart attack", (), ("Disease",)),
    Concept("T:3", "myocardial bridge", (), ("Disease",)),
    Concept("T:4", "gout", ("podagra",), ("Disease",)),
    Concept("T:5", "gouty arthritis", (), ("Disease",)),
]
# What has no characters in common with its concept is found by an encoder that knows synonyms alone.
SENTENCES = [
    ("She died of renal insufficiency at last.", "renal insufficiency", "T:0"),
    ("He had a myocardial infarction in May.", "myocardial infarction", "T:2"),
    ("His toe showed gout again.", "gout", "T:4"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """See `fill`."""
    folder = tmp_path_factory.mktemp("second")
    fill(folder, CONCEPTS, SENTENCES, data(folder))
    return folder


def data(home: Path) -> dict[str, Any]:
    return {**first_rerankers.data(home, candidates=2), "encoder": "ngram"}


def settings(home: Path, **changed: Any) -> SecondEncoderSettings:
    table = {
        "task": "second-encoder",
        "output": str(home / "model"),
        "loop": {"threads": 1},
        "scorer": {"hidden": 0, "learning_rate": 0.05},
        "data": {
            **data(home),
            "first": str(home / "first"),
            "second": str(home / "encoder"),
            "found": 3,
            "ask_below": 1.0,
            **changed,
        },
    }
    return settings_from(table, SecondEncoderSettings)


@pytest.fixture(scope="module")
def model(home: Path) -> Path:
    """Trained, and written to `model`; its encoder is linnet's own."""
    from linnet.encode.named_models import SHIPPED

    shutil.copytree(SHIPPED / "ngram", home / "encoder")
    task = SecondEncoderTask.prepare(settings(home))
    optimiser = task.optimiser()
    task.module.train()
    for step in range(150):
        optimiser.zero_grad()
        task.loss(step).backward()
        optimiser.step()
    task.module.eval()
    with torch.no_grad():
        assert task.evaluate()["acc@1"] == 1.0
    task.save(home / "model", card="# A card\n", training={"seed": 0})
    return home / "model"


def linker(home: Path, reranker: Path | None, **fields: Any) -> Linker:
    pipeline = Pipeline(
        retrievers=("exact", "char"),
        reranker=None if reranker is None else str(reranker),
        memory=False,
        min_score=0,
        min_probability=0,
        **fields,
    )
    return Linker.open([Terminology.open(home / "t")], pipeline=pipeline)


def mentions() -> list[Mention]:
    return first_rerankers.mentions(SENTENCES)


def test_it_finds_what_the_first_retriever_does_not(model: Path, home: Path) -> None:
    first = linker(home, home / "first", depth=2).link(mentions(), k=2)
    both = linker(home, model, depth=2).link(mentions(), k=2)
    assert "T:2" not in [candidate.concept for candidate in first[1].candidates]
    assert [link.candidates[0].concept for link in both] == ["T:0", "T:2", "T:4"]
    assert all(link.probability is not None for link in both)
    assert all(len(link.candidates) <= 2 for link in both)


def test_links_do_not_depend_on_the_batch(model: Path, home: Path) -> None:
    together = linker(home, model, depth=2).link(mentions(), k=2)
    alone = [linker(home, model, depth=2).link([mention], k=2)[0] for mention in mentions()]
    assert [(link.concepts, link.probability, link.candidates) for link in together] == [
        (link.concepts, link.probability, link.candidates) for link in alone
    ]


def test_what_it_found_itself_is_not_repeated_behind_its_list(model: Path, home: Path) -> None:
    asked = [Mention.alone("heart: myocardial infarction")]
    [first] = linker(home, home / "first", depth=1).link(asked, k=6)
    [both] = linker(home, model, depth=1).link(asked, k=6)
    before, after = ([candidate.concept for candidate in link.candidates] for link in (first, both))
    assert after[0] == "T:2" == before[1]
    assert len(after) == len(set(after))


def test_it_is_asked_only_where_the_first_is_unsure(model: Path, home: Path) -> None:
    opened = open_reranker(model)
    assert isinstance(opened, SecondStageReranker)
    never = copy(opened)
    never._ask_below = 0.0
    with_index = linker(home, model)
    choice = with_index.retrieve(mentions(), k=2)
    expected = opened.first.rerank(mentions(), choice.texts, choice.hits, with_index.group)
    silent = never.rerank(mentions(), choice.texts, choice.hits, with_index.group)
    asked = opened.rerank(mentions(), choice.texts, choice.hits, with_index.group)
    np.testing.assert_array_equal(silent.concepts, expected.concepts)
    np.testing.assert_array_equal(silent.scores, expected.scores)
    assert (asked.concepts != expected.concepts).any()


def test_without_its_index_the_command_is_named(model: Path, home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "t", tmp_path / "t")
    shutil.rmtree(tmp_path / "t" / "index" / "model")
    with pytest.raises(StoreError, match="no index 'model'", check=advises(Step.BUILD_INDEX, update=True)):
        linker(tmp_path, model)
    (tmp_path / "mine.toml").write_text(f'reranker = "{model}"\n')
    index_terminology(
        Terminology.open(tmp_path / "t"), retrievers=("exact", "char"), pipeline=tmp_path / "mine.toml"
    )
    assert Pipeline.from_manifest(Terminology.open(tmp_path / "t").pipeline).reranker == "context"
    [link, *_] = linker(tmp_path, model, depth=2).link(mentions())
    assert link.candidates[0].concept == "T:0"


def test_it_can_be_made_the_default_of_a_terminology(model: Path, home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "t", tmp_path / "t")
    shutil.rmtree(tmp_path / "t" / "index" / "model")
    index_terminology(
        Terminology.open(tmp_path / "t"), retrievers=("exact", "char"), reranker=model, update=True
    )
    assert linnet.load(tmp_path / "t").reranking.reranker.name == "model"  # type: ignore[union-attr]
    index_terminology(Terminology.open(tmp_path / "t"), reranker="none", update=True)
    assert linnet.load(tmp_path / "t").reranking.reranker is None
    with pytest.raises(UnknownNameError, match="Unknown reranker 'contxt'"):
        index_terminology(Terminology.open(tmp_path / "t"), reranker="contxt")


def test_its_encoder_and_index_are_part_of_the_provenance(model: Path, home: Path) -> None:
    opened = linker(home, model)
    assert models_of(opened)["reranker"]["name"] == "model"
    assert "encoder" in models_of(opened)
    assert "model" in identity(opened)["terminologies"][0]["indexes"]


def test_forbidden_concepts_stay_forbidden(model: Path, home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "t", tmp_path / "t")
    (tmp_path / "t" / "overrides.tsv").write_text("renal insufficiency\tT:0\tforbid\n")
    [link, *_] = linker(tmp_path, model, depth=2).link(mentions(), k=6)
    assert "T:0" not in [candidate.concept for candidate in link.candidates]


def test_restrictions_hold_for_both_encoders(model: Path, home: Path) -> None:
    opened = Linker.open(
        [Terminology.open(home / "t")],
        pipeline=Pipeline(retrievers=("exact", "char"), reranker=str(model), min_score=0, min_probability=0),
        deny=["T:0"],
    )
    assert all(
        "T:0" not in [candidate.concept for candidate in link.candidates]
        for link in opened.link(mentions(), k=6)
    )


def test_a_dictionary_with_training_mentions_gets_its_index_too(model: Path, home: Path) -> None:
    with augmented_linker(linker(home, model, depth=2), list(corpora.read(home / "c.jsonl"))) as augmented:
        [member] = augmented.group.members
        assert member.second is not None
        assert [link.concept for link in augmented.link(mentions())] == ["T:0", "T:2", "T:4"]


@pytest.mark.parametrize("name", ["dense", "spelling", "parts"])
def test_its_index_never_takes_the_name_of_another_kind(home: Path, name: str) -> None:
    with pytest.raises(ValueError, match=f"'output' is named '{name}'"):
        replace(settings(home), output=home / name)


def test_training_does_not_replace_the_index_of_another_encoder(
    home: Path, model: Path, tmp_path: Path
) -> None:
    shutil.copytree(home / "encoder", tmp_path / "encoder")
    manifest = tmp_path / "encoder" / "model.toml"
    manifest.write_text(re.sub('(?m)^digest = ".*"', f'digest = "{"0" * 32}"', manifest.read_text()))
    stamp = (home / "t/index/model/index.json").read_text()
    wanted = settings(home, second=str(tmp_path / "encoder"))
    with pytest.raises(MismatchError, match=r"index/model is of encoder 'ngram'.*Give 'output' another name"):
        second_examples(wanted, open_crossfit(wanted.data, threads=1))
    assert (home / "t/index/model/index.json").read_text() == stamp


@pytest.mark.parametrize("damage", ["content", "stamp"])
def test_an_index_that_cannot_be_used_is_rebuilt_by_the_command_that_is_named(
    model: Path, home: Path, tmp_path: Path, damage: str
) -> None:
    shutil.copytree(home / "t", tmp_path / "t")
    if damage == "content":
        concepts = [*CONCEPTS, Concept("T:6", "ague", (), ("Disease",))]
        write_terminology(concepts, tmp_path / "t", sources=[])
        index_terminology(Terminology.open(tmp_path / "t"), retrievers=("exact", "char"), update=True)
    else:
        (tmp_path / "t/index/model/index.json").write_text("{}")
    with pytest.raises(StoreError, match="index/model", check=advises(Step.BUILD_INDEX, update=True)):
        linker(tmp_path, model)
    index_terminology(Terminology.open(tmp_path / "t"), reranker=model, update=True)
    assert linker(tmp_path, model, depth=2).link(mentions())[0].candidates[0].concept == "T:0"


def test_lists_that_the_first_is_sure_of_are_not_learnt_from(home: Path, model: Path) -> None:
    all_lists, unsure, none = (
        sum(len(part.right) for parts in examples.values() for part in parts)
        for surest in (1.0, 0.45, 0.0)
        for examples in [_examples(home, surest=surest)]
    )
    assert all_lists > unsure > none == 0


def _examples(home: Path, **changed: Any) -> dict[int, list[Examples]]:
    wanted = settings(home, **changed)
    return second_examples(wanted, open_crossfit(wanted.data, threads=1))


def test_the_first_forgets_the_fold_that_is_left_out(home: Path, model: Path, tmp_path: Path) -> None:
    wanted = replace(settings(home, left_out=1), output=tmp_path / "model")
    task = SecondEncoderTask.prepare(wanted)
    task.save(tmp_path / "model", card="", training={})
    knowing, forgetting = (
        ListwiseReranker.open(place).priors for place in (model / "first", tmp_path / "model" / "first")
    )
    counted = open_crossfit(wanted.data).mention_priors(1)
    np.testing.assert_array_equal(forgetting.concepts.values, counted.concepts.values)
    assert forgetting.concepts.values.sum() < knowing.concepts.values.sum()


def test_another_first_reranker_is_refused(model: Path, tmp_path: Path) -> None:
    other = shutil.copytree(model, tmp_path / "model")
    manifest = other / "model.toml"
    first = (model / "first" / "model.toml").read_text().split('digest = "')[1][:32]
    manifest.write_text(
        manifest.read_text().replace(f'first_digest = "{first}"', f'first_digest = "{"0" * 32}"')
    )
    with pytest.raises(MismatchError, match="was trained with reranker"):
        open_reranker(other)


def test_a_model_that_does_not_say_when_it_is_asked_is_damaged(model: Path, tmp_path: Path) -> None:
    other = shutil.copytree(model, tmp_path / "model")
    manifest = other / "model.toml"
    manifest.write_text(manifest.read_text().replace("ask_below = 1.0", "", 1))
    with pytest.raises(DamagedError, match="ask_below"):
        open_reranker(other)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"surest": 2.0}, "'surest' is 2.0"),
        ({"ask_below": -1.0}, "'ask_below' is -1.0"),
        ({"found": 0}, "'found' is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(home: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        settings(home, **changed)
