"""Training a listwise reranker: folds that know nothing of each other, the loss, and what is written."""

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

from linnet import corpora  # noqa: E402
from linnet.encode.named_models import SHIPPED  # noqa: E402
from linnet.errors import DataError  # noqa: E402
from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.link.indexing import build_indexes  # noqa: E402
from linnet.rerank import open_reranker  # noqa: E402
from linnet.rerank.calibrator import Calibrator  # noqa: E402
from linnet.rerank.listwise import ListwiseReranker  # noqa: E402
from linnet.terminology import Terminology, write_terminology  # noqa: E402
from linnet.train.crossfit import GROUP  # noqa: E402
from linnet.train.tasks.listwise import (  # noqa: E402
    ListScorer,
    ListwiseSettings,
    ListwiseTask,
    ScorerSettings,
    list_loss,
    open_crossfit,
)
from linnet.types import Concept, Document, Mention  # noqa: E402

CONCEPTS = [
    Concept("T:0", "common cold", ("cold",), ("Disease",)),
    Concept("T:1", "cold temperature", ("cold",), ("Phenomenon",)),
    Concept("T:2", "gout", ("podagra",), ("Disease",)),
    Concept("T:3", "gouty arthritis", (), ("Disease",)),
    Concept("T:4", "hepatitis", (), ("Disease",)),
    Concept("T:5", "cholestasis", (), ("Disease",)),
]
# What a homonym means is told by nothing but how often it has meant it; "zipperlein" is no name at all.
SENTENCES = [
    ("A patient with {} and {} went away.", "cold", ("T:0",)),
    ("He has {} in his toe, and {} again.", "zipperlein", ("T:2",)),
    ("There was {} and more {}.", "cholestatic hepatitis", ("T:4", "T:5")),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A terminology `t` and a corpus of 30 documents with two mentions each."""
    folder = tmp_path_factory.mktemp("listwise")
    build_indexes(write_terminology(CONCEPTS, folder / "t", sources=[]), ("exact", "char"))
    documents = []
    for number in range(30):
        form, word, concepts = SENTENCES[number % 3]
        text = form.format(word, word)
        mentions = tuple(
            Mention(Document("", text), at, at + len(word), word, "Disease", concepts)
            for at in (text.index(word), text.rindex(word))
        )
        documents.append(Document(str(number), text, mentions))
    corpora.write(documents, folder / "c.jsonl", format="jsonl")
    return folder


def settings(home: Path, **data: Any) -> ListwiseSettings:
    source = {"corpora": [str(home / "c.jsonl")], "terminology": str(home / "t")}
    table = {
        "task": "listwise",
        "output": "out",
        "loop": {"threads": 1},
        "scorer": {"hidden": 4, "dropout": 0.0, "learning_rate": 0.02},
        "data": {
            "sources": [source],
            "folds": 3,
            "candidates": 4,
            "retrievers": ["exact", "char"],
            "place": str(home / "folds"),
            "lists": 16,
            **data,
        },
    }
    return settings_from(table, ListwiseSettings)


@pytest.fixture(scope="module")
def trained(home: Path) -> ListwiseTask:
    torch.manual_seed(0)
    task = ListwiseTask.prepare(settings(home))
    optimiser = task.optimiser()
    for step in range(60):
        optimiser.zero_grad()
        task.loss(step).backward()
        optimiser.step()
    task.module.eval()
    return task


def test_the_loss_is_that_of_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(size=(5, 4)).astype(np.float32))
    logits[1, 2] = -torch.inf
    right = torch.tensor([[1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=torch.bool)
    total = 0.0
    for row, marks in zip(logits.tolist(), right.tolist(), strict=True):
        wanted = [*marks, not any(marks)]
        good = sum(math.exp(value) for value, is_right in zip(row, wanted, strict=True) if is_right)
        total -= math.log(good / sum(map(math.exp, row)))
    assert list_loss(logits, right).item() == pytest.approx(total / 5, rel=1e-5)


def test_what_serves_scores_as_what_was_trained(trained: ListwiseTask) -> None:
    module = trained.module
    assert isinstance(module, ListScorer)
    rng = np.random.default_rng(1)
    features = rng.normal(size=(3, 4, len(module.centre))).astype(np.float32)
    there = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]], bool)
    features[~there] = 0
    with torch.no_grad():
        expected = module(torch.from_numpy(features), torch.from_numpy(there)).softmax(dim=1).numpy()
    found = module.scorer().probabilities(features, there)
    np.testing.assert_allclose(found, expected[:, :-1], atol=1e-6)


def test_a_document_is_linked_by_what_has_not_seen_it(home: Path) -> None:
    crossfit = open_crossfit(settings(home).data)
    ids = [{document.id for document in crossfit.in_fold(0, fold)} for fold in range(3)]
    assert [len(fold) for fold in ids] == [10, 10, 10]
    assert len(set.union(*ids)) == 30
    # Every word stands in several folds, so that the other folds make it a name; a single document's would be none.
    names = crossfit.terminology(0, 0).names.array.to_pylist()
    assert "zipperlein" in names
    assert "zipperlein" not in crossfit.terminology(0, None).names.array.to_pylist()
    lists = list(crossfit.lists())
    assert [(one.fold, one.augmented) for one in lists] == [(f, a) for f in range(3) for a in (False, True)]
    for one in lists:
        assert {mention.document.id for mention in one.mentions} == ids[one.fold]
        assert all(mention.concepts == () for mention in one.mentions)
        assert [bool(usable) for usable in one.usable] == [
            mention.text != "cholestatic hepatitis" for mention in one.mentions
        ]


def test_documents_of_one_group_are_dealt_together(home: Path, tmp_path: Path) -> None:
    alone = list(corpora.read(home / "c.jsonl", annotated=True))
    paired = [
        replace(document, extra={**document.extra, GROUP: f"{number // 2}"})
        for number, document in enumerate(alone)
    ]
    corpora.write(paired, tmp_path / "c.jsonl", format="jsonl")
    source = {"corpora": [str(tmp_path / "c.jsonl")], "terminology": str(home / "t")}
    crossfit = open_crossfit(settings(home, sources=[source]).data)
    folds = [[int(document.id) // 2 for document in crossfit.in_fold(0, fold)] for fold in range(3)]
    assert [len(fold) for fold in folds] == [10, 10, 10]
    assert len({pair for fold in folds for pair in fold}) == sum(len(set(fold)) for fold in folds) == 15


def test_memory_leaves_a_fold_out(home: Path) -> None:
    crossfit = open_crossfit(settings(home).data)
    priors = [crossfit.mention_priors(fold) for fold in (None, 0, 1, 2)]
    counts = [float(memory.concepts.values.sum()) for memory in priors]
    assert counts[0] > max(counts[1:])
    assert sum(counts[1:]) == 2 * counts[0]
    assert priors[0].composite("cholestatic hepatitis") == ("T:4", "T:5")
    assert priors[0].composite("cold") == ()


def test_it_learns_what_a_homonym_means_and_how_sure_it_is(trained: ListwiseTask, home: Path) -> None:
    with torch.no_grad():
        scores = trained.evaluate()
    # Without the other folds' mentions nothing finds what "zipperlein" means.
    assert scores["acc@1 augmented"] == 1.0 > scores["acc@1 plain"] > 0
    trained.save(home / "model", card="# A card\n", training={"seed": 0})
    reranker = open_reranker(home / "model")
    assert isinstance(reranker, ListwiseReranker)
    assert set(Calibrator.open(home / "model").curves) <= {"retrieved", "reranked", "composite"}
    pipeline = Pipeline(retrievers=("exact", "char"), reranker=str(home / "model"))
    linker = Linker.open([Terminology.open(home / "t")], pipeline=pipeline)
    cold, both = linker.link(["cold", "Cholestatic hepatitis"])
    assert cold.concepts == ("T:0",)
    assert cold.probability is not None
    assert both.concepts == ("T:4", "T:5")
    assert [part.concepts for part in both.parts] == [("T:4",), ("T:5",)]
    # Where its concepts may not be linked to, what it remembers does not count.
    strict = Linker.open([Terminology.open(home / "t")], pipeline=pipeline, deny=["T:5"])
    assert strict.link(["cholestatic hepatitis"])[0].concepts in ((), ("T:4",))


def test_a_batch_depends_on_nothing_but_seed_and_step(trained: ListwiseTask) -> None:
    with torch.no_grad():
        assert trained.loss(7).item() == trained.loss(7).item()
        assert trained.loss(7).item() != trained.loss(8).item()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"folds": 1}, "expected 2 or more"),
        ({"held_out": 3}, "the number of a fold"),
        ({"held_out": 1, "left_out": 1}, "different folds"),
        ({"folds": 2, "left_out": 1}, "otherwise no fold is left"),
        ({"lists": 0}, "expected 1 or more"),
        ({"sources": []}, "'sources' is empty"),
        ({"sources": [{"corpora": [], "terminology": "t"}]}, "neither 'corpora' nor 'names'"),
        ({"fodls": 3}, "did you mean 'data.folds'"),
    ],
)
def test_what_makes_no_sense_is_refused(home: Path, data: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        settings(home, **data)


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        ({"hidden": -1}, "'hidden' is -1"),
        ({"dropout": 1.0}, "'dropout' is 1.0"),
        ({"learning_rate": 0.0}, "'learning_rate' is 0.0"),
        ({"weight_decay": -1.0}, "'weight_decay' is -1.0"),
    ],
)
def test_a_scorer_that_cannot_be_is_refused(scorer: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ScorerSettings(**scorer)


def test_an_encoder_named_by_its_path_comes_along(home: Path) -> None:
    encoder = shutil.copytree(SHIPPED / "ngram", home / "my-encoder")
    # As a run file gives it: absolute, and not told from a shipped one by its name.
    task = ListwiseTask.prepare(settings(home, encoder=str(encoder)))
    task.save(home / "with-encoder", card="# A card\n", training={})
    shutil.rmtree(encoder)
    assert (home / "with-encoder" / "encoder" / "model.toml").is_file()
    assert open_reranker(home / "with-encoder").kind == "listwise"
    ListwiseTask.prepare(settings(home)).save(home / "without", card="# A card\n", training={})
    assert not (home / "without" / "encoder").exists()


def test_more_folds_than_documents_are_refused(home: Path) -> None:
    with pytest.raises(DataError, match="cannot be dealt into 31 folds"):
        ListwiseTask.prepare(settings(home, folds=31))
