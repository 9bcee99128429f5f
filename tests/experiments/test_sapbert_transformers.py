"""The runs of a transformer: each done once, and continued within a run after an interruption."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept, Mention

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytestmark = pytest.mark.torch

from experiments.sapbert_transformers import ADAPTERS, BASE, PASS, Runs, Transformer  # noqa: E402

from linnet.train.learners.transformer import TransformerLearner, TransformerSettings  # noqa: E402
from linnet.train.tasks.synonyms import SynonymsTask  # noqa: E402
from linnet.train.validation import NearestNames  # noqa: E402

CONCEPTS = [
    Concept(f"X:{i}", f"{organ} failure", (f"{organ} insufficiency", f"failing {organ}"))
    for i, organ in enumerate(["heart", "liver", "kidney", "lung", "brain", "skin", "bone", "eye"])
]


@pytest.fixture(autouse=True)
def _without_exports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Exports take seconds each."""
    target = "linnet.train.learners"
    monkeypatch.setattr(f"{target}.transformer.write_onnx", lambda network, file: file.write_bytes(b"wide"))
    monkeypatch.setattr(f"{target}.pretrained.quantise", lambda wide, narrow: narrow.write_bytes(b"narrow"))
    monkeypatch.setenv("LINNET_TREE", "")
    with torch.random.fork_rng(devices=[]):
        yield


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "organs")


@pytest.fixture
def plan(tmp_path: Path, terminology: Terminology) -> Transformer:
    sizes: dict[str, Any] = {"layers": 1, "width": 16, "heads": 2, "vocabulary": 60}
    names = [name for concept in CONCEPTS for name in concept.all_names]
    learner = TransformerLearner(TransformerSettings(**sizes), names, seed=0)
    learner.save(tmp_path / "start", card="", training={})
    return Transformer(
        start=tmp_path / "start",
        terminologies=(terminology.path,),
        passes=2.0,
        sample=0.7,
        pairs=4,
        hard=0.5,
        refresh=2,
        precision="fp32",
        dropout=0.0,
        warm_up=1,
        rates={"full": [0.01, 0.02], "adapters": [0.01]},
        seeds=2,
        objectives=("info-nce",),
        adapters=("pfeiffer-small",),
        minutes=10.0,
    )


def runs(plan: Transformer, work: Path, terminology: Terminology) -> Runs:
    def questions(part: str) -> dict[str, NearestNames]:
        organs = ["heart", "lung", "eye"] if part == "train" else ["liver", "skin"]
        ids = {concept.name.split()[0]: concept.id for concept in CONCEPTS}
        mentions = [replace(Mention.alone(organ), concepts=(ids[organ],)) for organ in organs]
        return {"ours": NearestNames(terminology, mentions)}

    return Runs(plan, work, questions)


def test_every_run_is_done_once_and_goes_on_where_it_was_stopped(
    plan: Transformer, tmp_path: Path, terminology: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = runs(plan, tmp_path / "whole", terminology)
    whole.all()
    rate = whole.rate("full")
    assert rate in (0.01, 0.02)
    assert {file.stem for file in whole.folder.glob("*.npz")} == {
        BASE,
        "mining-on-0.01-1000",
        "mining-on-0.02-1000",
        *(f"{name}-{rate:g}-0" for name in (PASS, "mining-on", "mining-off", "neighbours-off", "info-nce")),
        f"mining-on-{rate:g}-1",
        f"mining-off-{rate:g}-1",
        "pfeiffer-small-0.01-0",
    }
    assert [folder.name for folder in (whole.folder / "models").glob("*/model.toml")] == ["model.toml"]

    cut = runs(plan, tmp_path / "cut", terminology)
    loss = SynonymsTask.loss

    def pressed(task: SynonymsTask, step: int) -> Any:
        if step == 5:  # only the pass has as many
            os.kill(os.getpid(), signal.SIGINT)
        return loss(task, step)

    monkeypatch.setattr(SynonymsTask, "loss", pressed)
    with pytest.raises(SystemExit, match=r"Go on with the same command"):
        cut.all()
    monkeypatch.setattr(SynonymsTask, "loss", loss)
    assert not list(cut.folder.glob(f"{PASS}*"))
    (tmp_path / "cut").rename(tmp_path / "moved")
    again = runs(plan, tmp_path / "moved", terminology)
    again.all()
    facts = again.result(PASS)["facts"]
    assert (facts["sessions"], facts["steps"], facts["ending"]) == (2, 8, "steps")
    for name in (PASS, *again.compared()):
        assert again.result(name)["ours"].tolist() == whole.result(name)["ours"].tolist()
    model = Path("models") / f"{PASS}-{rate:g}-0" / "model.safetensors"
    assert (again.folder / model).read_bytes() == (whole.folder / model).read_bytes()

    from sapbert_transformer_tables import TransformerTables

    tables = TransformerTables(again, {"ours": "Ours"}, {"ours": ["1", "2"]})
    rows = tables.gains().splitlines()
    assert [row.split(" | ")[0] for row in rows[2:]] == [
        "| as it is",
        "| full, the pass",
        "| full, the sample",
        "| pfeiffer, small",
    ]
    assert rows[3].split(" | ")[2] == "8"
    assert "±" in tables.mining()
    assert tables.sessions().startswith("8 batches in 0.0 hours of 2 session(s)")
    for text in (tables.gain_differences(), tables.mining_differences(), tables.objective_differences()):
        assert "p = " in text
    assert "`info-nce`" in tables.objectives()

    monkeypatch.setattr("transformer_runs.run", lambda *args, **options: pytest.fail("again"))
    again.all()


def test_another_plan_begins_anew_and_another_number_of_seeds_does_not(
    plan: Transformer, tmp_path: Path, terminology: Terminology
) -> None:
    folder = runs(plan, tmp_path, terminology).folder
    assert runs(replace(plan, seeds=5, minutes=1.0), tmp_path, terminology).folder == folder
    assert runs(replace(plan, start=Path("/elsewhere/start")), tmp_path, terminology).folder == folder
    assert runs(replace(plan, hard=0.0), tmp_path, terminology).folder != folder


def test_results_say_what_was_learnt(plan: Transformer, tmp_path: Path, terminology: Terminology) -> None:
    made = runs(replace(plan, rates={"full": [0.01], "adapters": [0.01]}), tmp_path, terminology)
    made.base()
    made.do(made._planned("pfeiffer-small", 0))
    base, adapters = made.result(BASE), made.result("pfeiffer-small")
    assert base["ours"].shape == adapters["ours"].shape == (2,)
    assert base["facts"]["learnt"] == base["facts"]["parameters"]
    assert 0 < adapters["facts"]["learnt"] < 0.1 * adapters["facts"]["parameters"]
    assert np.all(base["ours"] >= 1)
    assert set(plan.adapters) <= ADAPTERS.keys()
