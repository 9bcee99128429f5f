"""DILBERT's strategies with a transformer: each done once, the second stage from the first, and the page."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from linnet import corpora
from linnet.evaluate.gold import Gold
from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("undrawn")]

import dilbert  # noqa: E402
import dilbert_data  # noqa: E402
import paper_corpora  # noqa: E402
import transformer_runs  # noqa: E402
from dilbert_data import Asked  # noqa: E402
from dilbert_plan import Nil, Plan, Strategy, TransformerPlan  # noqa: E402
from dilbert_runs import Runs  # noqa: E402
from dilbert_transformers import TransformerTables  # noqa: E402
from harness import page_of  # noqa: E402

from linnet.train.learners.transformer import TransformerLearner, TransformerSettings  # noqa: E402
from linnet.train.sampling import TripletSampler  # noqa: E402
from linnet.train.tasks.mentions import MentionsTask  # noqa: E402

ORGANS = ["heart", "liver", "kidney", "lung", "brain", "skin"]
CONCEPTS = [
    Concept("MESH:D0", "disease", types=("Disease",)),
    *(
        Concept(f"MESH:D{n}", f"{organ} failure", (f"{organ} insufficiency", f"failing {organ}"), ("Disease",), parents=("MESH:D0",))
        for n, organ in enumerate(ORGANS, start=1)
    ),
]  # fmt: skip


def _documents(*names: str) -> Iterator[Document]:
    """One for each organ and each way of saying that it fails."""
    for number, (words, organ) in enumerate(product(names, ORGANS)):
        name = words.format(organ)
        text = f"We saw {name} in a patient."
        mention = Mention(
            Document("", text), 7, 7 + len(name), name, "Disease", (f"MESH:D{1 + ORGANS.index(organ)}",)
        )
        yield Document(str(100 + number), text, (mention,))


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Corpora and strings of our own; exports take seconds each."""
    target = "linnet.train.learners"
    monkeypatch.setattr(f"{target}.transformer.write_onnx", lambda network, file: file.write_bytes(b"wide"))
    monkeypatch.setattr(f"{target}.pretrained.quantise", lambda wide, narrow: narrow.write_bytes(b"narrow"))
    monkeypatch.setenv("LINNET_TREE", "")
    monkeypatch.setattr(paper_corpora, "DATA", tmp_path)
    folder = tmp_path / "corpora/bc5cdr"
    folder.mkdir(parents=True)
    train = _documents("severe {} insufficiency", "grave {} failure")
    corpora.write(train, folder / "CDR_TrainingSet.PubTator.txt", format="pubtator")
    dev = _documents("chronic {} failure", "late {} failure")
    corpora.write(dev, folder / "CDR_DevelopmentSet.PubTator.txt", format="pubtator")
    strings = [
        Gold(f"s-{n}", 0, 4, organ, "string", frozenset({f"MESH:D{n + 1}"})) for n, organ in enumerate(ORGANS)
    ]
    monkeypatch.setattr(dilbert_data, "_strings", lambda: Asked([gold.text for gold in strings], strings))
    for known in (dilbert_data.mentions_of, dilbert_data.asked, dilbert_data.terminology):
        known.cache_clear()
    with torch.random.fork_rng(devices=[]):
        yield
    for known in (dilbert_data.mentions_of, dilbert_data.asked, dilbert_data.terminology):
        known.cache_clear()


@pytest.fixture
def plan(tmp_path: Path) -> TransformerPlan:
    for name in ("medic", "conditions"):
        write_terminology(CONCEPTS, tmp_path / "work" / name, sources=[{"path": "ours"}])
    sizes: dict[str, Any] = {"layers": 1, "width": 16, "heads": 2, "vocabulary": 80}
    names = [name for concept in CONCEPTS for name in concept.all_names]
    learner = TransformerLearner(TransformerSettings(**sizes), names, seed=0)
    learner.save(tmp_path / "start", card="", training={})
    return TransformerPlan(
        experiment=tmp_path,
        start=tmp_path / "start",
        triplets=8,
        steps=4,
        margin=1.0,
        warm_up=0.25,
        rates=(1e-3, 1e-2),
        nearest=5,
        among=4,
        precision="fp32",
        minutes=10.0,
        seeds={"bc5cdr-disease": 1},
        transfer={"bc5cdr-disease": ("bc5cdr-disease", "strings")},
        strategies={
            "random": Strategy(strategy="random"),
            "random + 2 parents": Strategy(strategy="random+parents"),
            "resampling + 5 siblings": Strategy(strategy="resampling+siblings", k=5),
        },
        nil=Nil(corpora=("bc5cdr-disease",), removed=0.5, removals=1, splits=2, tuning=8, held_out=0.5),
        work=tmp_path / "work",
        results=tmp_path / "results",
    )


def page(plan: TransformerPlan) -> str:
    """The page, and below it all tables: what is kept beside it."""
    tables = {"run_file": "", **TransformerTables(plan).all()}
    return "\n".join((page_of("dilbert-transformer", plan, tables), *tables.values()))


def test_every_strategy_is_trained_in_two_stages_once(
    plan: TransformerPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(plan)
    runs.all()
    folder = plan.folder / "runs"
    # Named for what was removed, too.
    assert {re.sub("^(nil-.*)-[0-9a-f]{8}-", r"\1-", file.stem) for file in folder.glob("*.toml")} == {
        "choice-0.001",
        "choice-0.01",
        *(f"bc5cdr-disease-{name}-0-{stage}" for name in ("random", "random+2parents") for stage in (1, 2)),
        "bc5cdr-disease-resampling+5siblings-0-2",
        "nil-bc5cdr-disease-0-1",
        "nil-bc5cdr-disease-0-2",
    }
    second = (folder / "bc5cdr-disease-resampling+5siblings-0-2.toml").read_text(encoding="utf-8")
    assert "bc5cdr-disease-random-0-1" in second
    assert "all_above = true" in second
    # Only what another run begins with is kept.
    models = {file.parent.name for file in plan.folder.glob("models/*/model.toml")}
    assert models == {"bc5cdr-disease-random-0-1"}
    made = plan.kept.facts("bc5cdr-disease", "random", 0)
    assert made["steps"] == 8
    assert set(made["answers"]) == {"bc5cdr-disease", "strings"}
    assert runs.rate() in plan.rates

    monkeypatch.setattr(transformer_runs, "run", lambda *args, **options: pytest.fail("trained again"))
    Runs(plan).all()
    text = page(plan)
    assert "### Trained on BC5CDR disease, linked bare strings" in text
    assert text.count("| resampling + 5 siblings |") == 5
    minutes = r"\d+\.\d"
    for row in (
        rf"\| BC5CDR disease, resampling \+ 5 siblings \| 8 \| 64 \| 36 % \| 36 % \| {minutes} \| 2 \|",
        rf"\| BC5CDR disease, `random`, for NIL \| 8 \| 64 \|  \|  \| {minutes} \| 2 \|",
    ):
        assert re.search(row, text)
    assert "3: FP · (1) + TP · (2)" in text


def test_the_second_stage_draws_triplets_of_its_own(
    plan: TransformerPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[list[list[int]]] = []
    draw = TripletSampler.triplets

    def seen(*args: Any, **options: Any) -> Any:
        triplets = draw(*args, **options)
        drawn.append(triplets.tolist())
        return triplets

    monkeypatch.setattr(TripletSampler, "triplets", seen)
    Runs(replace(plan, rates=(1e-2,))).compare("bc5cdr-disease", "random", 0)
    first, second = drawn
    assert first != second


def test_a_stopped_run_goes_on_in_another_directory(
    plan: TransformerPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(plan, rates=(1e-2,))
    shutil.copytree(plan.work, tmp_path / "cut")
    whole = Runs(plan)
    whole.compare("bc5cdr-disease", "random", 0)

    cut = Runs(replace(plan, work=tmp_path / "cut"))
    loss, batches = MentionsTask.loss, iter(range(100))

    def pressed(task: MentionsTask, step: int) -> Any:
        if next(batches) == plan.steps + 1:  # in the second stage
            os.kill(os.getpid(), signal.SIGINT)
        return loss(task, step)

    monkeypatch.setattr(MentionsTask, "loss", pressed)
    with pytest.raises(SystemExit, match=r"Go on with the same command.*random-0-2"):
        cut.compare("bc5cdr-disease", "random", 0)
    assert not cut.kept.has("bc5cdr-disease", "random", 0)
    (tmp_path / "cut").rename(tmp_path / "moved")
    moved = Runs(replace(plan, work=tmp_path / "moved"))
    moved.compare("bc5cdr-disease", "random", 0)
    assert next(batches) == 2 * plan.steps

    made, again = (runs.kept.facts("bc5cdr-disease", "random", 0) for runs in (whole, moved))
    assert (made["sessions"], again["sessions"]) == (2, 3)
    assert again["answers"] == made["answers"]


def test_a_result_of_another_plan_is_refused(plan: TransformerPlan) -> None:
    Runs(plan).all()
    more = replace(plan, transfer={"bc5cdr-disease": ("bc5cdr-disease",)})
    with pytest.raises(
        SystemExit, match=r"untrained-0\.json was made with .*'strings'.*Change the plan back"
    ):
        Runs(more).all()
    with pytest.raises(SystemExit, match=r"nil-bc5cdr-disease-0\.json was made with .*0\.5"):
        Runs(replace(plan, nil=replace(plan.nil, removed=0.4))).all()


def test_a_page_says_what_is_not_trained_yet(plan: TransformerPlan) -> None:
    Runs(plan).all()
    more = replace(plan, seeds={**plan.seeds, "bc5cdr-chemical": 1})
    assert "Not trained yet: BC5CDR chemical." in page(more)


def test_a_page_has_the_seeds_that_are_done_of_each_strategy(plan: TransformerPlan) -> None:
    more = replace(plan, seeds={"bc5cdr-disease": 2})
    first, *others = more.strategies
    runs = Runs(more)
    runs.all()
    for name in others:
        plan.kept.file("bc5cdr-disease", name, 1).unlink()
    text = page(more)
    undone = "; ".join(f"{name} with 1 more seed on BC5CDR disease" for name in others)
    assert f"Not trained yet: {undone}." in text
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in text.splitlines() if " (" in row}
    assert "±" in rows[first]
    assert "±" not in rows[others[-1]]


def test_the_static_encoder_answers_after_each_strategy(plan: TransformerPlan) -> None:
    shared = ("work", "results", "seeds", "transfer", "strategies", "triplets", "nil")
    static = Plan(
        **{name: getattr(plan, name) for name in shared},
        encoder={"kind": "ngram", "buckets": 256, "dimensions": 16, "learning_rate": 0.02, "quantisation": "float32"},
        steps=2,
        margin=16.0,
        choices={"margin": (16.0,), "learning_rate": (0.02,)},
        folds=1,
    )  # fmt: skip
    (plan.work / "hierarchy.json").write_text("[]", encoding="utf-8")  # the terminologies are there
    dilbert.run_all(static)
    for name in (dilbert.UNTRAINED, *static.strategies):
        assert static.kept.facts("bc5cdr-disease", name, 0)["answers"]["strings"].keys() == set(ORGANS)
    tables = dilbert.StaticTables(static).all(plan.results)
    assert "| resampling + 5 siblings |" in tables["in_domain"]
    assert (plan.results / "dilbert-nil.png").is_file()
