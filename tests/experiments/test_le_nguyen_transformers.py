"""The runs of Le & Nguyen's objectives with a transformer: each done once, continued after an interruption, and repeatable."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from linnet import corpora
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("undrawn")]

from linnet.encode.session import Session  # noqa: E402
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings  # noqa: E402
from linnet.train.tasks.dual import DualTask  # noqa: E402

PART = ("ncbi", "sparse")
ORGANS = ["heart", "liver", "kidney", "lung"]
CONCEPTS = [
    Concept(f"X:{i}", f"{organ} failure", (f"{organ} insufficiency",), ("Disease",))
    for i, organ in enumerate(ORGANS)
]


@pytest.fixture(autouse=True)
def _experiments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scripts import their neighbours; corpora lie below LINNET_DATA."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "experiments"))
    monkeypatch.setenv("LINNET_TREE", "")
    monkeypatch.setenv("LINNET_DATA", str(tmp_path))
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path / "cache"))
    import paper_corpora

    monkeypatch.setattr(paper_corpora, "DATA", tmp_path)
    # Exports take seconds each.
    monkeypatch.setattr("linnet.train.learners.transformer_dual.write_onnx", torch.save)
    monkeypatch.setattr(
        "linnet.train.learners.transformer.write_onnx", lambda network, file: file.write_bytes(b"wide")
    )
    monkeypatch.setattr(
        "linnet.train.learners.pretrained.quantise", lambda wide, narrow: narrow.write_bytes(b"narrow")
    )
    monkeypatch.setattr("linnet.rerank.dual_towers.Session.open", _open)
    with torch.random.fork_rng(devices=[]):
        yield


class Graph:
    """A network instead of its graph."""

    def __init__(self, file: Path) -> None:
        self.network = torch.load(file, weights_only=False).eval()

    @torch.no_grad()
    def run(self, _: None, given: dict[str, Any]) -> list[Any]:
        return [self.network(input_ids=torch.from_numpy(given["input_ids"])).last_hidden_state.numpy()]


def _open(file: Path, *, dimensions: int, precision: str, threads: int | None) -> Session:
    return Session(Graph(file), dimensions=dimensions, precision=precision, threads=1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two work directories with the same terminology, a tiny transformer, and the NCBI corpus's files, invented."""
    for work in ("one", "two"):
        place = runs(tmp_path, work).experiment.terminology("ncbi")
        build_indexes(write_terminology(CONCEPTS, place), ("sparse", "dense"), encoder="ngram")
    sizes: dict[str, Any] = {"layers": 1, "width": 16, "heads": 2, "vocabulary": 80}
    names = [name for concept in CONCEPTS for name in concept.all_names]
    TransformerLearner(TransformerSettings(**sizes), names, seed=0).save(
        tmp_path / "start", card="", training={}
    )
    folder = tmp_path / "corpora/ncbi-disease"
    folder.mkdir(parents=True)
    for part, count in (("train", 16), ("develop", 8)):
        corpora.write(_documents(count), folder / f"NCBI{part}set_corpus.txt", format="pubtator")
    return tmp_path


def _documents(count: int) -> Iterator[Document]:
    for number in range(count):
        organ = ORGANS[number % len(ORGANS)]
        text = f"Severe failing {organ} was seen. The {organ} failure was treated."
        spans = [(text.index(words), words) for words in (f"failing {organ}", f"{organ} failure")]
        concepts = (f"X:{number % len(ORGANS)}",)
        mentions = tuple(
            Mention(Document("", text), at, at + len(words), words, "Disease", concepts)
            for at, words in spans
        )
        yield Document(str(1000 + number), text, mentions)


def runs(home: Path, work: str, **changes: Any) -> Any:
    from le_nguyen_plan import Choice, Plan, Repeated, TransformerPlan
    from le_nguyen_runs import Runs

    experiment = Plan(
        work=home / work,
        results=home,
        corpora=("ncbi",),
        objectives=("triplet-all", "prototype", "prototype-soft-radius"),
        candidates=4,
        clusters=4,
        held_out=0.25,
        refresh=10,
        seeds={"sparse": 1},
        margins={"ncbi": 1.6},
        rates={"ncbi": 0.01},
        epochs={"ncbi": 6},
        names={},
        encoder={},
        variants={},
        variant_corpora=(),
        variant_seeds=0,
    )
    plan = TransformerPlan(
        experiment=home / "unused.toml",
        start=home / "start",
        parts=(PART,),
        length=32,
        names=3,
        mention_pooling="markers",
        entity_pooling="cls",
        dropout=0.1,
        refresh=3,
        reencoded=2,
        warm_up=1,
        precision="fp32",
        passes={"ncbi": 2.0},
        choice=Choice(rates=(0.01, 0.02), part=PART, objectives=("prototype",), passes=0.5),
        repeated=Repeated(part=PART, objective="prototype-soft-radius", passes=1.0),
        seeds=1,
        minutes=10.0,
    )
    return Runs(replace(plan, **changes), experiment)


def page(made: Any) -> str:
    from harness import page_of
    from le_nguyen_transformers import texts

    """The page, and below it all tables: what is kept beside it."""
    tables = {**texts(made), "machine": "", "run_file": ""}
    return "\n".join((page_of("le-nguyen-transformer", made.plan, tables), *tables.values()))


def test_every_run_is_done_once_goes_on_where_it_was_stopped_and_repeats_exactly(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = runs(home, "one")
    whole.all()
    rate = whole.rate()
    assert rate in (0.01, 0.02)
    keys = [whole.planned(PART, objective, 0).key for objective in whole.experiment.objectives]
    assert {file.stem for file in whole.folder.glob("*.npz")} == {
        "names-ncbi-sparse",
        "base-ncbi-sparse",
        *(one.key for one in (*whole.choices(), *whole.repetitions())),
        *keys,
    }
    assert len(whole.kept.arrays(keys[0])["alone"]) == 16
    assert whole.kept.facts(keys[2])["radius"][0] > 0
    assert [folder.name for folder in (whole.folder / "models").glob("*/model.toml")] == ["model.toml"]

    cut = runs(home, "two")
    loss = DualTask.loss

    def pressed(task: DualTask, step: int) -> Any:
        if step == 4:  # only the runs of the tables have as many and are not yet evaluated
            monkeypatch.setattr(DualTask, "loss", loss)
            os.kill(os.getpid(), signal.SIGINT)
        return loss(task, step)

    monkeypatch.setattr(DualTask, "loss", pressed)
    with pytest.raises(SystemExit, match=r"Go on with the same command"):
        cut.all()
    assert not cut.kept.has(keys[0])
    cut.all()
    assert cut.kept.facts(keys[0])["sessions"] == 2
    for key in keys:
        for fact in ("distances", "steps", "weight", "scores"):
            assert cut.kept.facts(key)[fact] == whole.kept.facts(key)[fact]
        assert cut.kept.arrays(key)["combined"].tolist() == whole.kept.arrays(key)["combined"].tolist()
    first, again = (whole.kept.facts(one.key)["distances"] for one in whole.repetitions())
    assert first == again

    text = page(whole)
    assert "Not done yet" not in text
    assert "equal bit for bit" in text
    assert "NOT equal" not in text
    assert "| NCBI disease | sparse | 6 | 2 | 33 |" in text
    for title in ("TLA", "PTL + SRN − PTL", "MiniLM, before training", "λ at the end", f"{rate:g}, chosen"):
        assert title in text

    monkeypatch.setattr("transformer_runs.run", lambda *args, **options: pytest.fail("again"))
    whole.all()


def test_the_page_names_the_parts_that_are_not_done(home: Path) -> None:
    made = runs(home, "one", parts=(PART, ("ncbi", "dense")))
    text = page(made)
    assert "left out of all tables: NCBI disease sparse, NCBI disease dense." in text
    assert "Not chosen yet." in text


def test_another_plan_begins_anew_and_more_seeds_or_parts_do_not(home: Path) -> None:
    folder = runs(home, "one").folder
    assert runs(home, "one", seeds=3, minutes=1.0, parts=(PART, ("ncbi", "dense"))).folder == folder
    assert runs(home, "one", start=Path("/elsewhere/start")).folder == folder
    assert runs(home, "one", reencoded=1).folder != folder
