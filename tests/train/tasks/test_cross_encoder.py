"""Training a cross-encoder beside a listwise reranker, and linking with what was written."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytest.importorskip("onnxscript", reason="needs the train extra")

from tests.train.tasks import first_rerankers  # noqa: E402
from tests.train.tasks.first_rerankers import fill  # noqa: E402

from linnet.errors import DamagedError, DataError, MismatchError  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.rerank import open_reranker  # noqa: E402
from linnet.rerank.cross_encoder import CrossEncoderReranker  # noqa: E402
from linnet.rerank.cross_inputs import describe_candidates  # noqa: E402
from linnet.rerank.dual_inputs import mentions_in_context  # noqa: E402
from linnet.rerank.listwise import ListwiseReranker  # noqa: E402
from linnet.settings_files import settings_from  # noqa: E402
from linnet.terminology import Terminology  # noqa: E402
from linnet.train.crossfit import Crossfit  # noqa: E402
from linnet.train.tasks.cross_encoder import CrossEncoderTask, CrossEncoderTaskSettings  # noqa: E402
from linnet.train.tasks.listwise import open_crossfit  # noqa: E402
from linnet.train.unsure_lists import unsure_lists  # noqa: E402
from linnet.types import Concept, Mention  # noqa: E402

CONCEPTS = [
    Concept("T:0", "common cold", ("cold",), ("Disease",), definition="a viral infection of the nose"),
    Concept("T:1", "cold temperature", ("cold",), ("Phenomenon",), definition="low heat of the air"),
    Concept("T:2", "gout", ("podagra",), ("Disease",)),
    Concept("T:3", "gouty arthritis", (), ("Disease",)),
]
# What a homonym means is told by its sentence alone.
SENTENCES = [
    ("A virus gave him a cold and a running nose.", "cold", "T:0"),
    ("The wind brought a cold winter into town.", "cold", "T:1"),
    ("His toe showed gout again.", "gout", "T:2"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """See `fill`."""
    folder = tmp_path_factory.mktemp("cross")
    fill(folder, CONCEPTS, SENTENCES, data(folder))
    return folder


def data(home: Path) -> dict[str, Any]:
    return first_rerankers.data(home, candidates=4)


def settings(home: Path, **changed: Any) -> CrossEncoderTaskSettings:
    table = {
        "task": "cross-encoder",
        "output": "out",
        "loop": {"threads": 1},
        "encoder": {"layers": 1, "width": 16, "heads": 2, "vocabulary": 150, "learning_rate": 3e-3},
        "data": {**data(home), "first": str(home / "first"), "surest": 1.0, "ask_below": 1.0, **changed},
    }
    return settings_from(table, CrossEncoderTaskSettings)


@pytest.fixture(scope="module")
def trained(home: Path) -> CrossEncoderTask:
    task = CrossEncoderTask.prepare(settings(home))
    optimiser = task.optimiser()
    task.module.train()
    for step in range(120):
        optimiser.zero_grad()
        task.loss(step).backward()
        optimiser.step()
    task.module.eval()
    return task


@pytest.fixture(scope="module")
def model(trained: CrossEncoderTask, home: Path) -> Path:
    trained.save(home / "model", card="# A card\n", training={"seed": 0})
    return home / "model"


def linker(home: Path, reranker: Path | None) -> Linker:
    pipeline = Pipeline(
        retrievers=("exact", "char"), reranker=None if reranker is None else str(reranker), memory=False
    )
    return Linker.open([Terminology.open(home / "t")], pipeline=pipeline)


def test_untrained_it_changes_nothing_and_its_loss_is_the_first_rerankers(home: Path) -> None:
    task = CrossEncoderTask.prepare(settings(home))
    task.module.eval()
    with torch.no_grad():
        scores = task.evaluate()
    assert scores["acc@1"] == scores["acc@1 first"]
    crossfit = open_crossfit(settings(home).data)
    lists = unsure_lists(crossfit, ListwiseReranker.open(home / "first"), surest=1.0)
    losses = []
    for probabilities, right in [(each.probabilities, each.right) for each in lists if each.fold == 0]:
        found = sum(p for p, is_right in zip(probabilities, right, strict=True) if is_right)
        losses.append(-math.log(found if any(right) else 1 - sum(probabilities)))
    assert scores["log-likelihood"] == pytest.approx(-sum(losses) / len(losses), rel=1e-3)


def test_it_reads_what_a_homonym_means(trained: CrossEncoderTask, model: Path, home: Path) -> None:
    with torch.no_grad():
        scores = trained.evaluate()
    assert scores["acc@1"] == 1.0 > scores["acc@1 first"]
    mentions = first_rerankers.mentions(SENTENCES[:2])
    links = linker(home, model).link(mentions)
    assert [link.concepts for link in links] == [("T:0",), ("T:1",)]
    assert all(link.probability is not None for link in links)
    one_by_one = [linker(home, model).link([mention])[0] for mention in mentions]
    assert [(link.concepts, link.probability) for link in one_by_one] == [
        (link.concepts, link.probability) for link in links
    ]


def test_what_links_scores_as_what_was_trained(trained: CrossEncoderTask, home: Path) -> None:
    wide = replace(trained.module.settings, precision="fp32")
    before, trained.module.settings = trained.module.settings, wide
    try:
        trained.save(home / "wide", card="", training={})
    finally:
        trained.module.settings = before
    reranker = open_reranker(home / "wide")
    assert isinstance(reranker, CrossEncoderReranker)
    mention = Mention.alone("cold", left="A virus gave him a", right="and a running nose.")
    opened = linker(home, None)
    choice = opened.retrieve([mention], k=4)
    ranked = reranker.first.reranker.rerank([mention], choice.texts, choice.hits, opened.group)
    scores = reranker.scores([mention], choice.texts, ranked, opened.group)[0]
    [described] = describe_candidates(ranked, opened.group)
    [part] = trained.module.tokens.mentions(mentions_in_context([mention], choice.texts))
    with torch.no_grad():
        expected = trained.module([[*part, *side] for side in trained.module.tokens.candidates(described)])
    asked = ~np.isnan(scores)
    assert asked.any()
    np.testing.assert_allclose(scores[asked], expected.numpy()[asked[: len(expected)]], atol=1e-3)


def test_it_is_asked_only_where_the_first_is_unsure(trained: CrossEncoderTask, home: Path) -> None:
    never = settings(home, ask_below=0.0)
    before, trained.settings = trained.settings, never
    try:
        trained.save(home / "never", card="", training={})
    finally:
        trained.settings = before
    mention = Mention.alone("cold", left="The wind brought a", right="winter into town.")
    [silent], [first] = (linker(home, home / name).link([mention]) for name in ("never", "first"))
    assert [c.concept for c in silent.candidates] == [c.concept for c in first.candidates]
    assert [c.score for c in silent.candidates] == [c.score for c in first.candidates]


def test_lists_are_kept_and_read_again_as_they_were(home: Path, tmp_path: Path) -> None:
    wanted = settings(home).data
    crossfit = Crossfit(wanted.sources, folds=3, depth=4, retrievers=("exact", "char"), place=tmp_path)
    first = ListwiseReranker.open(home / "first")
    made = unsure_lists(crossfit, first, surest=1.0, place=tmp_path)
    [file] = tmp_path.glob("unsure-*.arrow")
    stamp = file.stat().st_mtime_ns
    assert unsure_lists(crossfit, first, surest=1.0, place=tmp_path) == made
    assert file.stat().st_mtime_ns == stamp
    fewer = unsure_lists(crossfit, first, surest=0.0, place=tmp_path)
    assert fewer == []
    assert {one.kind for one in made} == {0, 1, 2}
    cold = next(one for one in made if one.mention.text == "cold" and "virus" in one.mention.left)
    assert [
        c.names.split(" ; ")[0] for c, right in zip(cold.candidates, cold.right, strict=True) if right
    ] == ["common cold"]


def test_lists_of_other_retrievers_are_not_taken_for_these(home: Path, tmp_path: Path) -> None:
    first = ListwiseReranker.open(home / "first")
    for retrievers in (("exact", "char"), ("exact",)):
        crossfit = Crossfit(
            settings(home).data.sources, folds=3, depth=4, retrievers=retrievers, place=tmp_path / "folds"
        )
        unsure_lists(crossfit, first, surest=1.0, place=tmp_path)
    assert len(list(tmp_path.glob("unsure-*.arrow"))) == 2


def test_another_first_reranker_is_refused(model: Path, home: Path, tmp_path: Path) -> None:
    other = shutil.copytree(model, tmp_path / "model")
    manifest = other / "model.toml"
    first = (model / "first" / "model.toml").read_text().split('digest = "')[1][:32]
    manifest.write_text(
        manifest.read_text().replace(f'first_digest = "{first}"', f'first_digest = "{"0" * 32}"')
    )
    with pytest.raises(MismatchError, match="was trained with reranker"):
        open_reranker(other)


def test_a_graph_that_is_none_is_said_to_be_damaged(model: Path, tmp_path: Path) -> None:
    other = shutil.copytree(model, tmp_path / "model")
    (other / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(DamagedError):
        open_reranker(other)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"surest": 2.0}, "'surest' is 2.0"),
        ({"ask_below": -1.0}, "'ask_below' is -1.0"),
        ({"surest": 0.0}, "nothing is left to learn from"),
    ],
)
def test_what_makes_no_sense_is_refused(home: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        CrossEncoderTask.prepare(settings(home, **changed))
