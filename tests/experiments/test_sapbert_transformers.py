"""The runs of a transformer: each done once, continued after an interruption, kept, and shown as far as they are done."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from linnet import corpora
from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("undrawn")]

from harness import page_of  # noqa: E402
from sapbert_corpora import MEDIC, Corpora, Corpus  # noqa: E402
from sapbert_frame import WITH_TRAIN  # noqa: E402
from sapbert_plan import (  # noqa: E402
    ADAPTERS,
    BASE,
    MASKED,
    MASKED_SAMPLE,
    MORE_PAIRS,
    PASS,
    FineTuning,
    Masked,
    Transformer,
)
from sapbert_runs import COSTLY, Runs  # noqa: E402
from sapbert_transformers import Tables, texts  # noqa: E402

from linnet.train.learners.transformer import TransformerLearner, TransformerSettings  # noqa: E402
from linnet.train.tasks.synonyms import SynonymsTask  # noqa: E402

ORGANS = ["heart", "liver", "kidney", "lung", "brain", "skin", "bone", "eye"]
CONCEPTS = [
    Concept(f"MESH:D00000{i}", f"{organ} failure", (f"{organ} insufficiency", f"failing {organ}"))
    for i, organ in enumerate(ORGANS, 1)
]
OURS = {
    "ours": Corpus(title="Ours", train="ours.train.txt", dev="ours.dev.txt", types=("Disease",)),
    "phrases": Corpus(title="Phrases", train="phrases.train.tsv", dev="phrases.dev.tsv", names="own"),
}
MASKED_PLAN = Masked(texts=("texts.jsonl",), passes=2.0, tokens=12, batch=2, rate=0.01, held_out=0.3)


@pytest.fixture(autouse=True)
def _without_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Exports take seconds each."""
    target = "linnet.train.learners"
    monkeypatch.setattr(f"{target}.transformer.write_onnx", lambda network, file: file.write_bytes(b"wide"))
    monkeypatch.setattr(f"{target}.pretrained.quantise", lambda wide, narrow: narrow.write_bytes(b"narrow"))
    monkeypatch.setenv("LINNET_TREE", "")
    monkeypatch.setenv("LINNET_DATA", str(tmp_path))
    with torch.random.fork_rng(devices=[]):
        yield


@pytest.fixture
def plan(tmp_path: Path) -> Transformer:
    """The data, a tiny transformer and a plan."""
    medic = tmp_path / MEDIC
    medic.parent.mkdir(parents=True)
    rows = ["||".join((c.id.removeprefix("MESH:"), "|".join(c.all_names))) for c in CONCEPTS]
    medic.write_text("\n".join(rows) + "\n", encoding="utf-8")
    corpora.write(_abstracts(["heart", "lung", "eye"], "bad"), tmp_path / "ours.train.txt", format="pubtator")
    corpora.write(_abstracts(["lung", "liver", "skin"], "bad"), tmp_path / "ours.dev.txt", format="pubtator")
    _phrases(tmp_path / "phrases.train.tsv", {"so tired": "Fatigue", "cannot sleep": "Insomnia"})
    _phrases(tmp_path / "phrases.dev.tsv", {"so tired": "Fatigue", "no sleep": "Insomnia"})
    sizes: dict[str, Any] = {"layers": 1, "width": 16, "heads": 2, "vocabulary": 60}
    names = [name for concept in CONCEPTS for name in concept.all_names]
    learner = TransformerLearner(TransformerSettings(**sizes), names, seed=0)
    learner.save(tmp_path / "start", card="", training={})
    return Transformer(
        start=tmp_path / "start",
        terminologies=(write_terminology(CONCEPTS, tmp_path / "organs").path,),
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
        fine_tuning=FineTuning(passes={"ours": 1.0, "phrases": 2.0}, pairs=3, rate=0.01),
        minutes=10.0,
    )


def _abstracts(organs: list[str], word: str) -> Iterator[Document]:
    for number, organ in enumerate(organs, 1):
        text = f"The {word} {organ} was seen."
        mention = Mention(
            Document("", text), 4, 5 + len(word) + len(organ), f"{word} {organ}", "Disease",
            (CONCEPTS[ORGANS.index(organ)].id,),
        )  # fmt: skip
        yield Document(str(number), text, (mention,))


def _phrases(file: Path, rows: dict[str, str]) -> None:
    ids = {"Fatigue": "SCTID:84229001", "Insomnia": "SCTID:193462001"}
    lines = [f"{phrase}\t{ids[name]}\t{name}" for phrase, name in rows.items()]
    file.write_text("\n".join(["phrase\tconcept\tname", *lines]) + "\n", encoding="utf-8")


def runs(plan: Transformer, work: Path, results: Path | None = None) -> Runs:
    return Runs(plan, work, Corpora(work, OURS, data=plan.start.parent), results)


def page(made: Runs) -> str:
    return page_of(
        "sapbert-transformer", SimpleNamespace(transformer=made.plan), {"run_file": "", **texts(made)}
    )


def keys(made: Runs) -> set[str]:
    return {file.stem for file in made.kept.folder.glob("*.npz")}


def test_every_run_is_done_once_and_goes_on_where_it_was_stopped(
    plan: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = runs(plan, tmp_path / "whole")
    whole.all()
    rate = whole.rate("full")
    assert rate in (0.01, 0.02)
    assert keys(whole) == {
        BASE,
        "mining-on-0.7-0.01-1000",
        "mining-on-0.7-0.02-1000",
        f"pass-2-{rate:g}-0",
        *(f"{name}-0.7-{rate:g}-0" for name in ("mining-on", "mining-off", "neighbours-off", "info-nce")),
        f"mining-on-0.7-{rate:g}-1",
        f"mining-off-0.7-{rate:g}-1",
        "pfeiffer-small-0.7-0.01-0",
        *(f"{start}-ours-1x3-0.01-0" for start in (BASE, PASS)),
        *(f"{start}-phrases-2x3-0.01-0" for start in (BASE, PASS)),
    }
    models = whole.folder / "models"
    assert [file.parent.name for file in models.glob("*/model.toml")] == [f"pass-2-{rate:g}-0"]
    assert {file.parent.name for file in models.rglob("*.safetensors")} == {
        f"pass-2-{rate:g}-0",
        f"pass-2-{rate:g}-0.run",
    }

    cut = runs(plan, tmp_path / "cut")
    loss = SynonymsTask.loss

    def pressed(task: SynonymsTask, step: int) -> Any:
        if step == 5:  # only the pass has as many
            os.kill(os.getpid(), signal.SIGINT)
        return loss(task, step)

    monkeypatch.setattr(SynonymsTask, "loss", pressed)
    with pytest.raises(SystemExit, match=r"Go on with the same command"):
        cut.all()
    monkeypatch.setattr(SynonymsTask, "loss", loss)
    assert not any(key.startswith(PASS) for key in keys(cut))
    (tmp_path / "cut").rename(tmp_path / "moved")
    again = runs(plan, tmp_path / "moved")
    again.all()
    facts = again.kept.facts(again.key(PASS))
    assert (facts["sessions"], facts["steps"], facts["ending"]) == (2, 8, "steps")
    for key in keys(whole):
        for question, ranks in whole.ranks(key).items():
            assert again.ranks(key)[question].tolist() == ranks.tolist()
    model = Path("models") / whole.key(PASS) / "model.safetensors"
    assert (again.folder / model).read_bytes() == (whole.folder / model).read_bytes()

    monkeypatch.setattr("transformer_runs.run", lambda *args, **options: pytest.fail("again"))
    again.all()


def test_the_most_wanted_runs_come_first(plan: Transformer) -> None:
    assert plan.order() == [
        (PASS, 0),
        ("mining-on", 0),
        ("mining-off", 0),
        ("base-ours", 0),
        ("pass-ours", 0),
        ("base-phrases", 0),
        ("pass-phrases", 0),
        ("pfeiffer-small", 0),
        ("info-nce", 0),
        ("neighbours-off", 0),
        ("mining-on", 1),
        ("mining-off", 1),
    ]
    more = replace(plan, masked=MASKED_PLAN, more_pairs=2)
    assert set(more.order()) - set(plan.order()) == {
        (MASKED, 0),
        (MASKED_SAMPLE, 0),
        (MORE_PAIRS, 0),
    }


def test_settings_that_a_result_does_not_depend_on_leave_it_where_it_is(
    plan: Transformer, tmp_path: Path
) -> None:
    made = runs(plan, tmp_path)
    tuning = replace(plan.fine_tuning, passes={"ours": 5.0})
    for changes in (
        {"seeds": 5, "minutes": 1.0, "objectives": (), "adapters": ()},
        {"start": Path("/elsewhere/start")},
        {"sample": 0.1, "fine_tuning": tuning},
    ):
        changed = runs(replace(plan, **changes), tmp_path)
        assert changed.kept.file(changed.key(PASS)) == made.kept.file(made.key(PASS))
    shorter = runs(replace(plan, sample=0.1, fine_tuning=tuning), tmp_path)
    assert shorter.key("mining-on") != made.key("mining-on")
    assert shorter.key("base-ours") != made.key("base-ours")
    assert runs(replace(plan, hard=0.0), tmp_path).folder != made.folder


def test_the_pass_is_trained_again_only_for_a_run_that_needs_its_weights(
    plan: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = replace(plan, rates={"full": [0.01], "adapters": [0.01]}, objectives=(), adapters=(), seeds=1)
    first = runs(plan, tmp_path / "first", tmp_path / "kept")
    first.all()
    before = {key: first.kept.file(key).read_bytes() for key in keys(first)}
    first.kept.file("pass-ours-1x3-0.01-0").unlink()
    first.kept.file("base-ours-1x3-0.01-0").unlink()
    shutil.rmtree(tmp_path / "first")
    capsys.readouterr()

    other = runs(plan, tmp_path / "other", tmp_path / "kept")
    other.all()
    told = capsys.readouterr().err
    assert (
        "pass-2-0.01-0: the result is kept, but the weights that another run starts from are not here" in told
    )
    assert "mining-on" not in told
    assert other.kept.file(other.key(PASS)).read_bytes() == before[other.key(PASS)]
    assert (
        other.kept.facts("pass-ours-1x3-0.01-0")["start_weights"]
        == other.kept.facts(other.key(PASS))["weights"]
    )
    assert Tables(other).other_weights() == []

    shutil.rmtree(tmp_path / "other")
    monkeypatch.setattr("transformer_runs.run", lambda *args, **options: pytest.fail("trained again"))
    runs(plan, tmp_path / "third", tmp_path / "kept").all()


def test_a_run_may_start_from_texts_and_another_may_have_more_pairs(
    plan: Transformer, tmp_path: Path
) -> None:
    texts = [
        Document(str(number), f"The {organ} of {7 * number} patients had failed. " * 3)
        for number, organ in enumerate(ORGANS)
    ]
    corpora.write(texts, tmp_path / "texts.jsonl", format="jsonl")
    plan = replace(plan, rates={"full": [0.01], "adapters": [0.01]}, masked=MASKED_PLAN, more_pairs=3)
    made = runs(plan, tmp_path / "one")
    made.base()
    for name in ("mining-on", MASKED_SAMPLE, MORE_PAIRS):
        made.do(made.planned(name))
    masked = made.kept.facts(made.key(MASKED))  # which the other starts from
    assert made.kept.facts(made.key(MASKED_SAMPLE))["start_weights"] == masked["weights"]
    assert 0 <= masked["scores"]["masked-accuracy"] <= 1
    assert "start_weights" not in made.kept.facts(made.key(MORE_PAIRS))
    once, more = (
        (made.folder / "runs" / f"{made.key(name)}.toml").read_text() for name in ("mining-on", MORE_PAIRS)
    )
    assert 'pairing = "once"' in once
    assert 'pairing = "combinations"\nmost = 3' in more
    table = Tables(made).tables()["gains"]
    for row in ("texts", "texts, then the sample", "the sample, up to 3 pairs a concept"):
        assert f"| {row} |" in table


def test_the_page_shows_the_runs_that_are_done_and_names_the_others(
    plan: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(plan, rates={"full": [0.01], "adapters": [0.01]})
    made = runs(plan, tmp_path / "one", tmp_path / "kept")
    empty = page(made)
    assert (
        "Not done yet, and left out of all tables: as it is; the pass; the sample; the sample, "
        in " ".join(empty.split())
    )

    made.base()
    for name in (PASS, "mining-on", "mining-off", "base-phrases", "pass-ours", "pfeiffer-small"):
        made.do(made.planned(name))
    made.do(made.planned("mining-on", 1))
    shutil.rmtree(tmp_path / "one")
    shutil.rmtree(plan.start)  # all that the page needs are the kept results and the corpora
    kept = runs(plan, tmp_path / "two", tmp_path / "kept")
    text = page(kept)
    assert (
        "Not done yet, and left out of all tables: as it is + Ours; the pass + Phrases; the sample, `info-nce`; "
        "the sample, batches at random; the sample, without mining (seed 1)."
    ) in " ".join(text.split())

    tables = Tables(kept)
    assert _first_column(tables.tables()["gains"]) == [
        "as it is",
        "the pass",
        "the sample",
        "the sample, pfeiffer, small",
    ]
    assert "±" in tables.tables()["gains"]
    assert _first_column(tables.tables()["mining"]) == ["the sample", "the sample, without mining"]
    assert tables.tables()["objective_differences"] == ""
    assert _first_column(tables.fine_tuning("ours")) == ["as it is", "the pass", "the pass + Ours"]
    assert _first_column(tables.fine_tuning_differences("ours")) == [
        "the pass − as it is",
        "the pass + Ours − the pass",
    ]
    assert "n = 2 unseen" in tables.fine_tuning("ours")
    assert _first_column(tables.fine_tuning("phrases")) == [
        "as it is",
        "the pass",
        "the sample",
        "the sample, pfeiffer, small",
        "as it is + Phrases",
    ]
    for name in ("Fatigue", "Insomnia", "tired"):
        assert name not in text


def _first_column(table: str) -> list[str]:
    return [row.removeprefix("| ").split(" | ")[0] for row in table.splitlines()[2:]]


def test_results_are_small_and_say_what_was_learnt(plan: Transformer, tmp_path: Path) -> None:
    made = runs(replace(plan, rates={"full": [0.01], "adapters": [0.01]}), tmp_path / "work")
    made.base()
    made.do(made.planned("pfeiffer-small"))
    adapters = made.key("pfeiffer-small")
    for key in (BASE, adapters):
        ranks = made.ranks(key)
        assert ranks.keys() == {f"{corpus}{names}" for corpus in OURS for names in ("", WITH_TRAIN)}
        assert {own.dtype for own in ranks.values()} == {np.dtype(np.uint16)}
        assert all(np.all(own >= 1) for own in ranks.values())
        assert (
            ranks["ours" + WITH_TRAIN][0] == ranks["phrases" + WITH_TRAIN][0] == 1
        )  # their texts are in train
    assert made.kept.facts(BASE)["learnt"] == made.kept.facts(BASE)["parameters"]
    assert 0 < made.kept.facts(adapters)["learnt"] < 0.1 * made.kept.facts(adapters)["parameters"]
    assert set(plan.adapters) <= ADAPTERS.keys()


def test_a_costly_corpus_is_asked_of_the_start_the_pass_and_its_own_fine_tuning(
    plan: Transformer, tmp_path: Path
) -> None:
    retired = Concept("MESH:C000001", "", replaced_by=("MESH:D000004",))
    names = write_terminology([*CONCEPTS, retired], tmp_path / "organs-with-retired").path
    organs = replace(OURS["ours"], title="Organs", names=names, costly=True)
    plan = replace(
        plan,
        rates={"full": [0.01], "adapters": [0.01]},
        adapters=(),
        objectives=(),
        seeds=1,
        fine_tuning=replace(plan.fine_tuning, passes={"ours": 1.0, "organs": 1.0}),
    )
    made = Runs(plan, tmp_path, Corpora(tmp_path, {**OURS, "organs": organs}, data=tmp_path))
    assert made.corpora.with_train("organs").resolve("MESH:C000001") == ("MESH:D000004",)
    made.do(made.planned(PASS))
    assert "the pass on Organs" in Tables(made).missing
    made.all()
    asked = {
        name for name, seed in [(BASE, 0), *plan.order()] if "organs" in made.ranks(made.key(name, seed))
    }
    assert asked == {BASE, PASS, "base-organs", "pass-organs"}
    assert made.kept.facts(made.key(PASS) + COSTLY)["weights"] == made.kept.facts(made.key(PASS))["weights"]
    tables = Tables(made)
    assert tables.missing == []
    wanted = ["as it is", "the pass", "as it is + Organs", "the pass + Organs"]
    assert _first_column(tables.fine_tuning("organs")) == wanted
    assert len(_first_column(tables.fine_tuning_differences("organs"))) == 4
    ours = [*wanted[:2], "as it is + Ours", "the pass + Ours"]
    assert _first_column(tables.fine_tuning("ours")) == ours


def test_training_mentions_become_names_and_their_texts_count_as_seen(
    plan: Transformer, tmp_path: Path
) -> None:
    data = Corpora(tmp_path / "work", OURS, data=tmp_path)
    assert data.unseen("ours").tolist() == [False, True, True]
    assert data.unseen("phrases").tolist() == [False, True]
    assert data.with_train("ours")["MESH:D000001"].all_names == (*CONCEPTS[0].all_names, "bad heart")
    assert data.with_train("ours")["MESH:D000002"].all_names == CONCEPTS[1].all_names
    own = data.terminology("phrases")
    assert {own[id].all_names for id in own.ids.take(range(len(own)))} == {("Fatigue",), ("Insomnia",)}
    assert len(data.documents("ours")) == 3
