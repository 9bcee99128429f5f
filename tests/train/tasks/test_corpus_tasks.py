"""Tasks that learn from annotated mentions: an invented terminology and corpus, small encoders, some steps."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from linnet.encode import load_encoder  # noqa: E402
from linnet.encode.model import open_model  # noqa: E402
from linnet.errors import DataError, RequestError  # noqa: E402
from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.terminology import Terminology, write_terminology  # noqa: E402
from linnet.train.corpus import linked_mentions, read_mentions  # noqa: E402
from linnet.train.sampling import STRATEGIES  # noqa: E402
from linnet.train.tasks import task_class  # noqa: E402
from linnet.train.tasks.mention_synonyms import MentionSynonyms  # noqa: E402
from linnet.train.tasks.two_tower import NearestEntities  # noqa: E402
from linnet.types import Concept  # noqa: E402

PLACES = ("arm", "leg", "heart", "liver", "skin", "eye", "lung", "brain")
NGRAM = {"kind": "ngram", "buckets": 2048, "dimensions": 16, "quantisation": "float32"}
TINY = {"layers": 1, "width": 16, "heads": 2, "vocabulary": 120, "learning_rate": 0.01}
BERT = {"kind": "transformer", "pooling": "mean", **TINY}
TOWERS = {**TINY, "width": 64, "heads": 4, "max_length": 16, "learning_rate": 0.001}

Prepare = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Sites of pain: `t` with a hierarchy and some definitions, `train.jsonl`, `dev.jsonl`."""
    concepts = [Concept("T:00", "pain", ("ache",))]
    mentions = []
    for i, place in enumerate(PLACES, 1):
        definition = f"What hurts is the {place}." if i % 2 else ""
        names = (f"{place} pain", (f"pain of the {place}", f"{place} ache"))
        concepts.append(Concept(f"T:{i:02}", *names, definition=definition, parents=("T:00",)))
        mentions += [(f"painful {place}", f"T:{i:02}"), (f"the {place} hurts", f"T:{i:02}")]
    concepts.append(Concept("T:20", "gout"))
    write_terminology(concepts, tmp_path / "t")
    mentions += [("flu", "X:1"), ("nothing in particular", "")]
    for name, rows in (("train", mentions), ("dev", [(text.upper(), id) for text, id in mentions])):
        lines = [
            json.dumps({"id": str(i), "text": text, "left": "She has a", "concepts": [id] if id else []})
            for i, (text, id) in enumerate(rows)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def prepare(files: Path) -> Prepare:
    def make(task: str, encoder: dict[str, Any], *, seed: int = 0, corpus: str = "train", **data: Any) -> Any:
        cls = task_class(task)
        evaluation = {"corpora": [str(files / "dev.jsonl")]}
        if task != "two-tower":
            evaluation["terminology"] = str(files / "t")
        objective = {"objective": data.pop("objective")} if "objective" in data else {}
        table = {
            "task": task,
            "output": str(files / "model"),
            "seed": seed,
            "encoder": encoder,
            "data": {"terminology": str(files / "t"), "corpora": [str(files / f"{corpus}.jsonl")], **data},
            "evaluation": evaluation,
            **objective,
        }
        torch.manual_seed(seed)
        return cls.prepare(settings_from(table, cls.Settings))

    return make


def run(task: Any, first: int = 0, last: int = 20, optimiser: Any = None) -> list[float]:
    """Losses of some steps."""
    torch.manual_seed(first)
    optimiser = optimiser or task.optimiser()
    losses = []
    for step in range(first, last):
        task.module.train()
        loss = task.loss(step)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    task.module.eval()
    return losses


def evaluated(task: Any) -> dict[str, float]:
    task.module.eval()
    with torch.no_grad():
        return task.evaluate()


@pytest.mark.parametrize("encoder", [NGRAM, BERT], ids=["ngram", "transformer"])
@pytest.mark.parametrize(
    "task", [("mentions", {"triplets": 32, "negatives": 3}), ("mention-synonyms", {"pairs": 16})], ids=str
)
def test_losses_fall_and_mentions_are_found(prepare: Prepare, task: Any, encoder: dict[str, Any]) -> None:
    made = prepare(task[0], encoder, **task[1])
    before = evaluated(made)
    assert list(before) == ["acc@1", "acc@64"]
    losses = run(made, last=60)
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])
    assert evaluated(made)["acc@1"] >= max(0.9, before["acc@1"])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_trains(prepare: Prepare, strategy: str) -> None:
    task = prepare("mentions", NGRAM, strategy=strategy, refresh=4, negatives=2, among=8)
    losses = run(task, last=12)
    assert np.isfinite(losses).all()
    assert (task.state() != {}) == strategy.startswith("resampling")


def test_a_batch_follows_from_seed_and_step_alone(prepare: Prepare) -> None:
    for name, options in (("mentions", {"refresh": 3, "triplets": 8}), ("mention-synonyms", {"pairs": 8})):
        one, other, third = (prepare(name, NGRAM, seed=seed, **options) for seed in (1, 1, 2))
        with torch.no_grad():
            forwards = [float(one.loss(step)) for step in range(9)]
            backwards = [float(other.loss(step)) for step in reversed(range(9))][::-1]
            assert forwards == backwards
            assert forwards != [float(third.loss(step)) for step in range(9)]


def test_resampled_triplets_survive_a_restart(prepare: Prepare) -> None:
    options = {"strategy": "resampling", "refresh": 6, "triplets": 8}
    whole = prepare("mentions", NGRAM, **options)
    optimiser = whole.optimiser()
    run(whole, 0, 4, optimiser)
    kept = {key: value.clone() for key, value in whole.state().items()}
    weights = {key: value.clone() for key, value in whole.module.state_dict().items()}
    learnt = deepcopy(optimiser.state_dict())
    again = prepare("mentions", NGRAM, **options)
    again.module.load_state_dict(weights)
    again.load_state(kept)
    second = again.optimiser()
    second.load_state_dict(learnt)
    assert run(again, 4, 9, second) == run(whole, 4, 9, optimiser)


def test_resampling_takes_names_that_are_near_now(prepare: Prepare, files: Path) -> None:
    task = prepare("mentions", NGRAM, strategy="resampling", refresh=1, negatives=1, positives=1)
    with torch.no_grad():
        task.loss(0)
    terminology = Terminology.open(files / "t")
    linked = linked_mentions(read_mentions([files / "train.jsonl"])[0], terminology)
    with torch.no_grad():
        names = task.module([terminology.names[row].lower() for row in range(len(terminology.names))]).numpy()
        mentions = task.module(list(linked.texts)).numpy()
    triplets = task.state()["triplets"].tolist()
    assert {mention for mention, _, _ in triplets} == set(range(len(linked.concepts)))
    for mention, near, _ in triplets:
        own = terminology.name_rows(int(linked.concepts[mention]))
        away = np.linalg.norm(names[own.start : own.stop] - mentions[mention], axis=1)
        assert near - own.start == away.argmin()


def test_pairs_join_a_mention_with_each_name_of_its_concept(files: Path) -> None:
    terminology = Terminology.open(files / "t")
    linked = linked_mentions(read_mentions([files / "train.jsonl"])[0], terminology)
    synonyms = MentionSynonyms(terminology, linked)
    arms = {(synonyms.texts[a], synonyms.texts[b]) for a, b in synonyms.pairs if "arm" in synonyms.texts[a]}
    mentions, names = ("painful arm", "the arm hurts"), ("arm pain", "pain of the arm", "arm ache")
    assert arms == {(mention, name) for mention in mentions for name in names}
    assert len(synonyms.pairs) == 8 * 2 * 3


def test_the_encoder_is_saved_with_what_it_learnt_from(prepare: Prepare, files: Path) -> None:
    task = prepare("mentions", NGRAM)
    run(task, last=2)
    task.save(files / "model", card="# Pain\n", training={"seed": 0})
    training = open_model(files / "model").training
    assert training["mentions"] == (
        "16 mentions (left out: 1 without a concept, 1 unknown to the terminology)"
    )
    with torch.no_grad():
        expected = task.module(["arm pain"]).numpy()
    np.testing.assert_allclose(load_encoder(files / "model").encode(["arm pain"]), expected, rtol=1e-4)


def test_two_towers_learn_which_concept_is_meant(prepare: Prepare) -> None:
    task = prepare("two-tower", TOWERS, mentions=16)
    before = evaluated(task)
    losses = run(task, last=160)
    assert np.mean(losses[-5:]) < 0.5 * np.mean(losses[:5])
    assert evaluated(task)["acc@1"] > max(0.9, before["acc@1"])
    assert task.state() == {}


def test_towers_are_saved_with_the_coverage_of_definitions(prepare: Prepare) -> None:
    task = prepare("two-tower", {**TINY, "max_length": 16})
    written: dict[str, Any] = {}
    task.module.save = lambda directory, *, card, training: written.update(training)
    task.save(Path("unused"), card="", training={"seed": 0})
    assert written["seed"] == 0
    assert (written["concepts"], written["with_definition"]) == (8, 4)


def test_entities_that_are_all_alike_are_not_found(files: Path) -> None:
    class Alike:
        def encode_mentions(self, mentions: Any) -> Any:
            return np.ones((len(mentions), 3), np.float32)

        def encode_entities(self, names: Any, definitions: Any) -> Any:
            return np.ones((len(names), 3), np.float32)

    terminology = Terminology.open(files / "t")
    linked = linked_mentions(read_mentions([files / "dev.jsonl"])[0], terminology)
    nearest = NearestEntities(terminology, linked, concepts=1, seed=0)
    assert nearest(Alike()) == {"acc@1": 0.0, "acc@64": 1.0}


def write(path: Path, *rows: tuple[str, str]) -> None:
    lines = [json.dumps({"text": text, "concepts": [id]}) for text, id in rows]
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("name", ["mentions", "mention-synonyms", "two-tower"])
def test_a_corpus_that_cannot_be_learnt_from_is_refused(prepare: Prepare, files: Path, name: str) -> None:
    encoder = TINY if name == "two-tower" else BERT
    (files / "empty.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match=r"empty\.jsonl"):
        prepare(name, encoder, corpus="empty")
    write(files / "strange.jsonl", ("gout", "MESH:D006073"), ("ague", "MESH:D008288"))
    with pytest.raises(DataError, match=r"2 unknown to the terminology.*T:00.*MESH:D006073"):
        prepare(name, encoder, corpus="strange")


def test_one_name_and_one_concept_are_too_little(prepare: Prepare, files: Path) -> None:
    write(files / "gout.jsonl", ("Gout", "T:20"))
    with pytest.raises(DataError, match="written as the only name of its concept"):
        prepare("mention-synonyms", NGRAM, corpus="gout")
    with pytest.raises(RequestError, match="are of one concept"):
        prepare("two-tower", TINY, corpus="gout")
    # A triplet needs one name and another concept's.
    assert np.isfinite(run(prepare("mentions", NGRAM, corpus="gout"), last=2)).all()


def test_objectives_of_other_families_are_refused(prepare: Prepare) -> None:
    for name, encoder, kind in (
        ("mentions", NGRAM, "in-batch"),
        ("mention-synonyms", NGRAM, "name-triplet"),
        ("two-tower", TINY, "name-triplet"),
    ):
        with pytest.raises(DataError, match=f"'{kind}' is not for this task. Choose the kind from"):
            prepare(name, encoder, objective={"kind": kind})
    task = prepare("mentions", NGRAM, objective={"preset": "dilbert-release", "distance": "cosine"})
    assert task._objective.margin == 5
    assert task._nearest.metric == "cosine"


def test_a_missing_start_is_named(prepare: Prepare, files: Path) -> None:
    from linnet.errors import StoreError

    for name, encoder in (("mentions", BERT), ("two-tower", TINY)):
        with pytest.raises(StoreError, match="absent is not a model to start from: no such directory"):
            prepare(name, {**encoder, "start": str(files / "absent")})
