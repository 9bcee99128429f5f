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

from linnet.settings_files import settings_from  # noqa: E402
from linnet.train.objectives import objectives  # noqa: E402
from linnet.train.objectives.names import NameObjective  # noqa: E402
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
