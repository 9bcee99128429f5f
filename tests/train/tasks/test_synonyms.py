"""Self-alignment as a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet.encode import load_encoder
from linnet.errors import DataError
from linnet.terminology import write_terminology
from linnet.types import Concept

torch = pytest.importorskip("torch", reason="needs the train extra")

from tests.train.interrupting import StopAt, save_weights  # noqa: E402

from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.train.learners.transformer import TransformerLearner  # noqa: E402
from linnet.train.objectives import objectives  # noqa: E402
from linnet.train.objectives.names import NameObjective  # noqa: E402
from linnet.train.run import run as train_run  # noqa: E402
from linnet.train.tasks.neighbourhoods import Neighbourhoods  # noqa: E402
from linnet.train.tasks.synonyms import SynonymsSettings, SynonymsTask  # noqa: E402

pytestmark = pytest.mark.torch

ORGANS = ["heart", "liver", "kidney", "lung", "brain", "skin", "bone", "eye"]
CONCEPTS = [
    Concept(f"X:{i}", f"{organ} failure", (f"{organ} insufficiency", f"failing {organ}"))
    for i, organ in enumerate(ORGANS)
]
CORPUS = "".join(
    f"{i}|t|A {organ} that fails\n{i}|a|\n{i}\t2\t{len(organ) + 2}\t{organ}\tDisease\tX:{i}\n\n"
    for i, organ in enumerate(ORGANS)
)


@pytest.fixture
def run(tmp_path: Path) -> Any:
    write_terminology(CONCEPTS, tmp_path / "organs")
    (tmp_path / "corpus.txt").write_text(CORPUS, encoding="utf-8")

    def settings(**sections: Any) -> SynonymsSettings:
        table: dict[str, Any] = {
            "task": "synonyms",
            "output": str(tmp_path / "model"),
            "encoder": {"kind": "ngram", "buckets": 1024, "dimensions": 16},
            "data": {"terminologies": [str(tmp_path / "organs")], "pairs": 8},
            "evaluation": {
                "terminology": str(tmp_path / "organs"),
                "corpora": [str(tmp_path / "corpus.txt")],
            },
        }
        for name, section in sections.items():
            table[name] = {**table.get(name, {}), **section}
        made: SynonymsSettings = settings_from(table, SynonymsSettings)
        return made

    return settings


def trained(task: SynonymsTask, steps: int) -> list[float]:
    optimiser, losses = task.optimiser(), []
    for step in range(steps):
        optimiser.zero_grad()
        loss = task.loss(step)
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    return losses


@pytest.mark.parametrize(
    "kind", sorted(name for name, cls in objectives.items() if issubclass(cls, NameObjective))
)
def test_every_objective_for_names_brings_synonyms_together(run: Any, kind: str) -> None:
    task = SynonymsTask.prepare(run(objective={"kind": kind}))

    def apart() -> float:
        """Mean cosine of synonyms less that of names of different concepts."""
        vectors = task.module([name for concept in CONCEPTS for name in concept.all_names]).detach()
        unit = torch.nn.functional.normalize(vectors)
        same = torch.arange(24)[:, None] // 3 == torch.arange(24)[None] // 3
        cosines = unit @ unit.T
        return float(cosines[same].mean() - cosines[~same].mean())

    before = apart()
    trained(task, 12)
    assert apart() > before + 0.02


def test_training_raises_the_development_score_and_the_model_links(run: Any, tmp_path: Path) -> None:
    task = SynonymsTask.prepare(run(objective={"kind": "info-nce"}))
    with torch.no_grad():
        assert set(task.evaluate()) == {"acc@1", "acc@64"}
    trained(task, 30)
    with torch.no_grad():
        assert task.evaluate()["acc@1"] == 1.0
    task.save(tmp_path / "model", card="", training={})
    assert load_encoder(tmp_path / "model").encode(["failing heart"]).shape == (1, 16)


def test_a_batch_depends_on_the_step_alone(run: Any) -> None:
    settings = run(data={"hard": 0.5, "clusters": 2, "refresh": 4, "pairs": 4})
    through, jumped = SynonymsTask.prepare(settings), SynonymsTask.prepare(settings)
    trained(through, 6)
    jumped.module.load_state_dict(through.module.state_dict())
    jumped.load_state(through.state())
    for step in (6, 7, 9, 11):
        assert torch.equal(through.loss(step), jumped.loss(step))


def test_an_epoch_goes_through_every_pair_and_emphasised_concepts_come_more_often(
    run: Any, tmp_path: Path
) -> None:
    write_terminology(CONCEPTS[:2], tmp_path / "some")
    task = SynonymsTask.prepare(run(data={"emphasised": [str(tmp_path / "some")], "emphasis": 4, "pairs": 6}))
    drawn = np.concatenate([task.batch_pairs(step) for step in range(7)])
    assert np.bincount(drawn).tolist() == [4] * 6 + [1] * 18


def test_a_pass_pairs_each_name_once(run: Any) -> None:
    task = SynonymsTask.prepare(run(data={"pairing": "once", "pairs": 5}))
    # Three names of eight concepts: two pairs each.
    assert task.steps_of_pass() == 4
    drawn = np.concatenate([task.batch(step)[0] for step in range(4)])
    assert drawn.shape == (16, 2)
    assert set(drawn.ravel()) == set(range(24))
    assert SynonymsTask.prepare(run(data={"pairs": 5})).steps_of_pass() == 4


def test_a_run_interrupted_within_a_pass_ends_with_the_same_weights(tmp_path: Path, run: Any) -> None:
    run()  # writes the data
    weights = []
    for name, at in (("whole", None), ("cut", 7)):
        file = tmp_path / f"{name}.toml"
        file.write_text(
            f"""
task = "synonyms"
output = "{name}"
loop = {{ passes = 3.5, checkpoint_minutes = 10.0, evaluate_every = 5, threads = 1 }}
encoder = {{ kind = "transformer", layers = 1, width = 16, heads = 2, vocabulary = 60, learning_rate = 0.01 }}
data = {{ terminologies = ["organs"], pairs = 5, pairing = "once", hard = 0.5, refresh = 3 }}
""",
            encoding="utf-8",
        )
        with pytest.MonkeyPatch.context() as patch, torch.random.fork_rng(devices=[]):
            patch.setattr(TransformerLearner, "save", save_weights)
            if at is not None:
                stopped = train_run(file, progress=StopAt(at)).trained
                assert (stopped.ending, stopped.step) == ("interrupted", at)
            done = train_run(file, resume=at is not None)
        assert (done.trained.ending, done.trained.step, done.settings.loop.steps) == ("steps", 14, 14)
        weights.append((tmp_path / name / "weights").read_bytes())
    assert weights[0] == weights[1]


def test_searching_for_neighbours_in_mixed_precision_leaves_the_gradient(run: Any) -> None:
    encoder = {"kind": "transformer", "layers": 1, "width": 16, "heads": 2, "vocabulary": 60}
    data = {"pairing": "once", "hard": 1.0, "pairs": 4}
    settings = settings_from(
        {
            "task": "synonyms",
            "output": "model",
            "encoder": encoder,
            "data": {"terminologies": [str(run().data.terminologies[0])], **data},
        },
        SynonymsSettings,
    )
    task = SynonymsTask.prepare(settings)
    task.module.train()
    with torch.autocast("cpu", torch.bfloat16):
        loss = task.loss(0)
    loss.backward()
    assert all(parameter.grad is not None for parameter in task.module.parameters())
    assert task.module.training


def test_settings_of_passes_that_contradict_one_another_are_refused(run: Any) -> None:
    with pytest.raises(DataError, match="each name comes once"):
        run(data={"pairing": "once", "emphasised": ["x"]})
    with pytest.raises(DataError, match=r"'hard' is 1\.5; expected 0 to 1"):
        run(data={"hard": 1.5})


def test_concepts_of_one_name_cannot_be_learnt_from(run: Any, tmp_path: Path) -> None:
    write_terminology([Concept("X:1", "gout"), Concept("X:2", "ague")], tmp_path / "single")
    with pytest.raises(DataError, match="none of 2 concepts has two names"):
        SynonymsTask.prepare(run(data={"terminologies": [str(tmp_path / "single")]}))


def test_neighbourhoods_hold_concepts_that_are_near_each_other() -> None:
    labels = np.repeat(np.arange(8), 3)
    points = np.zeros((8, 4), np.float32)
    points[np.arange(8), np.arange(8) // 4] = 1  # two places
    near = Neighbourhoods(labels, 2)
    near.draw(lambda concepts: points[concepts], seed=0)
    for seed in range(5):
        found = labels[near.near(6, np.random.default_rng(seed))]
        assert len(found) == 6
        assert len(set(found // 4)) == 1
    again = Neighbourhoods(labels, 2)
    again.load_state(near.state())
    same = [hood.near(6, np.random.default_rng(9)).tolist() for hood in (near, again)]
    assert same[0] == same[1]
