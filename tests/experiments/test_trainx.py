"""TrainX's table: a bi-encoder trained once, searched, and its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytestmark = pytest.mark.torch

import trainx  # noqa: E402
import trainx_data  # noqa: E402
import trainx_tables  # noqa: E402
import transformer_runs  # noqa: E402
from harness import page_of  # noqa: E402

from linnet.train.learners.two_tower import TwoTowerLearner, TwoTowerSettings  # noqa: E402

CONCEPTS = [
    Concept(
        "MESH:1", "Hypertension", ("high blood pressure",), ("Disease",), "Blood pressure that is too high."
    ),
    Concept("MESH:2", "Gout", ("podagra",), ("Disease",)),
    Concept("MESH:3", "Asthma", ("wheezing disease",), ("Disease",), "Wheezing."),
    Concept("MESH:4", "Malaria", ("marsh fever",), ("Disease",)),
]
TEXTS = {
    "train": [("Hypertension", "MESH:1"), ("podagra", "MESH:2"), ("Asthma", "MESH:3"), ("gout", "MESH:2")],
    "dev": [("hypertension", "MESH:1"), ("malaria", "MESH:4")],
}


def documents(part: str) -> list[Document]:
    made = []
    for number, (name, id) in enumerate(TEXTS[part]):
        text = f"We saw {name} in a patient."
        document = Document(f"{part}-{number}", text)
        mention = Mention(document, 7, 7 + len(name), name, "Disease", (id,))
        made.append(document.with_mentions((mention,)))
    return made


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[trainx_data.Plan]:
    monkeypatch.setenv("LINNET_TREE", "")
    monkeypatch.setattr(
        trainx_data, "mentions_of", lambda corpus, part: [m for d in documents(part) for m in d.mentions]
    )
    monkeypatch.setattr(trainx, "documents", lambda corpus: documents("dev"))
    monkeypatch.setattr(trainx, "THREADS", 1)
    write_terminology(CONCEPTS, tmp_path / "work" / "medic", sources=[{"path": "ours"}])
    names = [name for concept in CONCEPTS for name in concept.all_names]
    with torch.random.fork_rng(devices=[]):
        settings = TwoTowerSettings(layers=1, width=16, heads=2, vocabulary=60, shared=True, max_length=16)
        TwoTowerLearner(settings, names, seed=0).save(tmp_path / "start", card="", training={})
        yield trainx_data.Plan(
            work=tmp_path / "work",
            results=tmp_path / "results",
            seeds=1,
            start=tmp_path / "start",
            models={"medic": ("ncbi",)},
            training=trainx_data.Training(
                mentions=2, max_length=16, passes=1.0, choosing=1.0, warm_up=1, rates=(1e-3, 1e-2), held_out=0.25,
                concepts=2, precision="fp32", minutes=10.0,
            ),
        )  # fmt: skip


def test_a_model_is_trained_once_and_everything_is_asked_of_it(
    plan: trainx_data.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainx.run(plan)

    bm25 = plan.kept.arrays("ncbi", "bm25")
    assert bm25["bm25-full"].tolist() == [1, 1]  # both are names as they are written
    found = plan.kept.arrays("ncbi", "bi-encoder", 0)
    for system in ("exact-own", "exact-full", "hnsw-own", "hnsw-full"):
        assert set(found[system].tolist()) <= {1, 2, 3, 4}  # every concept is among the first 20
    assert found["exact-own"].tolist() == found["hnsw-own"].tolist()

    monkeypatch.setattr(transformer_runs, "run", lambda *args, **options: pytest.fail("trained again"))
    trainx.run(plan)
    changed = replace(plan, models={name: (*corpora, "tmvar") for name, corpora in plan.models.items()})
    with pytest.raises(SystemExit, match=r"trained on ncbi; the plan has ncbi, tmvar"):
        trainx.run(changed)
    more = replace(plan, models={**plan.models, "mesh": ("bc5cdr-chemical",)})
    tables = trainx_tables.Tables(more).all()
    assert "left out of the tables: MeSH." in page_of(
        "trainx", more, {"run_file": "", "machine": "", "size": "", **tables}
    )
    text = "\n".join(tables.values())
    assert "| NCBI disease | 2 | 1 |" in text  # malaria is zero-shot
    assert "linnet's default" in text
    assert text.count("bi-encoder, HNSW, ") == 2
