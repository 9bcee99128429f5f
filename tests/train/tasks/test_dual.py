"""Training a dual encoder: batches, radius, weight, what is written and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")

from linnet import corpora  # noqa: E402
from linnet.errors import DataError  # noqa: E402
from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.link.indexing import build_indexes  # noqa: E402
from linnet.rerank import open_reranker  # noqa: E402
from linnet.terminology import write_terminology  # noqa: E402
from linnet.train.tasks.dual import DualTask, ranked_first, split_documents  # noqa: E402
from linnet.train.tasks.dual_settings import DualSettings  # noqa: E402
from linnet.types import Concept, Document, Mention  # noqa: E402

CONCEPTS = [
    Concept("T:0", "common cold", ("cold",), ("Disease",)),
    Concept("T:1", "cold temperature", ("cold",), ("Phenomenon",)),
    Concept("T:2", "gout", ("podagra",), ("Disease",)),
    Concept("T:3", "gouty arthritis", (), ("Disease",)),
]
# One word means two things, told apart by the rest of the sentence only.
SENTENCES = [
    ("The patient with fever had a {} and a cough. The {} went away.", "cold", "T:0"),
    ("The samples were kept in the {} overnight. The {} was measured.", "cold", "T:1"),
    ("He has {} in his toe, and {} again.", "gout", "T:2"),
]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for one another take many times as long on busy cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A terminology `t` with a character index, and a corpus of 30 documents of two sentences."""
    folder = tmp_path_factory.mktemp("dual")
    build_indexes(write_terminology(CONCEPTS, folder / "t", sources=[]), ("char",))
    documents = []
    for number in range(30):
        form, word, concept = SENTENCES[number % 3]
        text = form.format(word, word)
        spans = [text.index(word), text.rindex(word)]
        mentions = tuple(
            Mention(Document("", text), at, at + len(word), word, "Disease", (concept,)) for at in spans
        )
        documents.append(Document(str(number), text, mentions))
    corpora.write(documents, folder / "c.jsonl", format="jsonl")
    return folder


def settings(home: Path, **sections: Any) -> DualSettings:
    encoder = {
        "kind": "transformer",
        "layers": 1,
        "width": 16,
        "heads": 2,
        "vocabulary": 120,
        "dropout": 0.0,
        "learning_rate": 0.01,
    }
    table: dict[str, Any] = {
        "task": "dual",
        "output": "out",
        "data": {
            "terminology": str(home / "t"),
            "corpora": [str(home / "c.jsonl")],
            "retrievers": ["char"],
            "candidates": 4,
            "clusters": 4,
            "held_out": 0.2,
        },
        "encoder": encoder,
        "objective": {"kind": "prototype-soft-radius"},
    }
    for section, keys in sections.items():
        table[section] = {**table[section], **keys} if section in ("data", "encoder") else keys
    return settings_from(table, DualSettings)


def train(task: DualTask, steps: range) -> list[float]:
    optimiser = task.optimiser()
    losses = []
    task.module.train()
    for step in steps:
        loss = task.loss(step)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    task.module.eval()
    return losses


@pytest.mark.parametrize(
    "kind", ["triplet-all", "triplet-down-sampled", "prototype", "prototype-soft-radius"]
)
@pytest.mark.parametrize("refresh", [1, 5])
def test_every_objective_learns_what_only_the_sentence_says(home: Path, kind: str, refresh: int) -> None:
    task = DualTask.prepare(settings(home, objective={"kind": kind}, data={"refresh": refresh}))
    with torch.no_grad():
        before = task.evaluate()
    losses = train(task, range(90))
    with torch.no_grad():
        after = task.evaluate()
    assert before["acc@1"] < 0.9
    assert after["acc@1"] > 0.95
    assert losses[-1] < losses[0]
    assert next(iter(after)) == "acc@1"
    assert ("radius" in after) == (kind == "prototype-soft-radius")


def test_a_pass_has_every_cluster_once(home: Path) -> None:
    task = DualTask.prepare(settings(home))
    steps = task.steps_of_pass()
    drawn = np.concatenate([task.clusters.batch(step, clusters=4, seed=0).mentions for step in range(steps)])
    assert steps == 6  # 24 clusters
    assert sorted(drawn.tolist()) == list(range(len(task.train)))


def test_negatives_are_the_nearest_wrong_candidates(home: Path) -> None:
    task = DualTask.prepare(settings(home))
    batch = task.clusters.batch(0, clusters=4, seed=0)
    with torch.no_grad():
        vectors = task._mentions(batch.mentions)
        entities = task._entities(np.arange(task.concepts)).numpy()
    found = task._hardest(batch, vectors)
    for vector, mention, place in zip(vectors.numpy(), batch.mentions, found, strict=True):
        wrong = [
            task.places[row]
            for row in task.train.candidates[mention]
            if row >= 0 and row != task.train.gold[mention]
        ]
        assert place == min(wrong, key=lambda i: float(np.linalg.norm(entities[i] - vector)))


def test_candidates_near_by_old_vectors_may_be_encoded_anew(home: Path) -> None:
    current = DualTask.prepare(settings(home))
    vectors = current.concept_vectors()
    found = {}
    for count in (None, 0, 1, 3):
        changes = {} if count is None else {"refresh": 1000, "reencoded": count}
        task = DualTask.prepare(settings(home, data=changes))
        shape = len(task.train), 1
        task.train = replace(task.train, candidates=np.tile(np.arange(4), shape))
        task._bank = -vectors  # old vectors that mislead
        batch = task.clusters.batch(1, clusters=4, seed=0)
        with torch.no_grad():
            found[count] = task._hardest(batch, task._mentions(batch.mentions)).tolist()
    assert found[3] == found[None]  # three of the four candidates are wrong
    assert found[1] == found[0]  # one is no choice
    assert found[0] != found[None]


def test_the_radius_may_be_measured_and_says_what_it_excludes(home: Path) -> None:
    task = DualTask.prepare(settings(home, objective={"kind": "prototype-soft-radius", "radius": "auto"}))
    assert task.objective.radius == pytest.approx(task.mean_radius())
    tight = DualTask.prepare(
        settings(home, objective={"kind": "prototype-soft-radius", "radius": -5.0, "slack": 0.0})
    )
    train(tight, range(3))
    with torch.no_grad():
        scores = tight.evaluate()
    assert scores["excluded"] == pytest.approx(0.5)  # all but the anchor of each cluster of two
    assert scores["radius"] == -5.0  # no cluster has a radius
    with torch.no_grad():
        assert tight.evaluate()["excluded"] == 0.0  # counted anew


def test_a_run_goes_on_where_it_was_left(home: Path) -> None:
    made = settings(home, data={"refresh": 4})
    whole = DualTask.prepare(made)
    losses = train(whole, range(6))
    first = DualTask.prepare(made)
    optimiser = first.optimiser()
    for step in range(3):
        first.loss(step).backward()
        optimiser.step()
        optimiser.zero_grad()
    second = DualTask.prepare(made)
    second.module.load_state_dict(first.module.state_dict())
    second.load_state({name: tensor.clone() for name, tensor in first.state().items()})
    other = second.optimiser()
    other.load_state_dict(optimiser.state_dict())
    for step in range(3, 6):
        loss = second.loss(step)
        assert float(loss.detach()) == losses[step]
        loss.backward()
        other.step()
        other.zero_grad()


def test_the_model_written_reranks_as_the_task_measured(home: Path, tmp_path: Path) -> None:
    task = DualTask.prepare(settings(home, evaluation={"corpora": [str(home / "c.jsonl")], "weight": 2.0}))
    train(task, range(20))
    task.save(tmp_path / "m", card="# A model\n", training={"seed": 0})
    reranker = open_reranker(tmp_path / "m")
    linker = Linker.open([home / "t"], pipeline=Pipeline(retrievers=("char",)))
    dev = task.dev
    assert dev is not None
    mentions, texts = dev.linked.mentions, dev.linked.texts
    hits = reranker.rerank(mentions, texts, linker.group.search(texts, k=4), linker.group)
    expected = ranked_first(dev, task.distances(dev), 2.0)
    np.testing.assert_array_equal(hits.concepts[:, 0], expected)
    assert "# A model" in (tmp_path / "m/README.md").read_text(encoding="utf-8")


def test_the_weight_of_retrieval_is_the_best_on_what_was_held_out(home: Path) -> None:
    task = DualTask.prepare(settings(home))
    held = task.held
    assert held is not None
    assert task.dev is held
    task.held = task.dev = replace(
        held, scores=np.where(held.candidates == held.gold[:, None], 1, 0).astype(np.float32)
    )
    task._dev_mentions = {id(task.held): task._dev_mentions[id(held)]}
    assert task.weight() > 0
    distances = task.distances(task.held)
    assert task.judge(task.held, distances, task.weight())["acc@1"] == 1.0


def test_corpora_of_several_terminologies_are_learnt_together(home: Path) -> None:
    build_indexes(write_terminology([Concept("S:0", "sea"), *CONCEPTS], home / "s", sources=[]), ("char",))
    also = [
        {"terminology": str(home / "s"), "corpora": [str(home / "c.jsonl")]},
        {"terminology": str(home / "t"), "corpora": [str(home / "c.jsonl")]},
    ]
    alone = DualTask.prepare(settings(home))
    task = DualTask.prepare(settings(home, data={"also": also}))
    assert (len(task.train), task.concepts) == (3 * len(alone.train), 2 * alone.concepts)
    count, first = len(alone.train), len(CONCEPTS)
    np.testing.assert_array_equal(task.train.gold[:count], alone.train.gold)
    np.testing.assert_array_equal(
        task.train.gold[count : 2 * count], first + 1 + alone.train.gold
    )  # after S:0
    np.testing.assert_array_equal(task.train.candidates[2 * count :], alone.train.candidates)
    train(task, range(200))
    with torch.no_grad():
        assert task.evaluate()["acc@1"] > 0.95


def test_documents_are_held_out_whole() -> None:
    documents = [Document(str(i), "ab") for i in range(10)]
    mentions = [Mention(d, at, at + 1, "a") for d in documents for at in (0, 1)]
    own, held = split_documents(mentions, share=0.3, seed=0)
    assert (len(own), len(held)) == (14, 6)
    assert not {m.document.id for m in own} & {m.document.id for m in held}
    assert split_documents(mentions, share=0, seed=0) == (mentions, [])


def test_settings_that_cannot_be_are_refused(home: Path) -> None:
    with pytest.raises(DataError, match="'info-nce' is not for this task"):
        settings(home, objective={"kind": "info-nce"})
    with pytest.raises(DataError, match=r"evaluation\.weight' is missing"):
        settings(home, data={"held_out": 0})
    with pytest.raises(DataError, match="'candidates' is 0"):
        settings(home, data={"candidates": 0})
    with pytest.raises(DataError, match=r"did you mean 'data\.refresh'"):
        settings(home, data={"refesh": 3})


def test_only_concepts_that_are_candidates_are_encoded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = DualTask.prepare(settings(home, data={"refresh": 5}))
    held = task.held
    assert held is not None
    task.held = task.dev = narrow = replace(
        held, candidates=held.candidates[:, :1], scores=held.scores[:, :1]
    )
    task._dev_mentions = {id(narrow): task._dev_mentions[id(held)]}
    encoded: list[int] = []
    encode = task._entities
    monkeypatch.setattr(task, "_entities", lambda places: encoded.extend(places.tolist()) or encode(places))
    with torch.no_grad():
        distances = task.distances(narrow)
    assert sorted(encoded) == np.unique(task.places[narrow.candidates]).tolist()
    whole = task.concept_vectors()[task.places[narrow.candidates[:, 0]]]
    expected = (whole - task.mention_vectors(narrow)).norm(dim=1)
    np.testing.assert_allclose(distances[:, 0], expected.numpy(), atol=1e-5)


def test_a_model_reads_contexts_as_it_was_trained(home: Path, tmp_path: Path) -> None:
    text = "In the common room (CR) it was cold. He left the CR with a cold."
    mentions = tuple(
        Mention(Document("", text), at, at + 4, "cold", "Disease", ("T:0",))
        for at in (text.index("cold"), text.rindex("cold"))
    )
    documents = [Document(str(number), text, mentions) for number in range(4)]
    corpora.write(documents, tmp_path / "c.jsonl", format="jsonl")
    given = {"corpora": [str(tmp_path / "c.jsonl")], "held_out": 0.5}
    plain, expanded = (
        DualTask.prepare(settings(home, data={**given, "expand_context": expand})) for expand in (False, True)
    )
    assert plain.train.contexts[1].left == "he left the cr with a"
    assert expanded.train.contexts[1].left == "he left the common room with a"
    expanded.save(tmp_path / "m", card="", training={})
    reranker = open_reranker(tmp_path / "m")
    read = []
    towers = reranker._towers  # type: ignore[attr-defined]
    encode = towers.mentions
    towers.mentions = lambda contexts: read.extend(contexts) or encode(contexts)
    linker = Linker.open([home / "t"], pipeline=Pipeline(retrievers=("char",)))
    linked = expanded.train.linked
    reranker.rerank(linked.mentions, linked.texts, linker.group.search(linked.texts, k=4), linker.group)
    assert tuple(read) == expanded.train.contexts
