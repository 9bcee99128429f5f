"""Prototype triplets and soft-radius neighbours on open data: the tables and figures of Le & Nguyen 2023.

    python experiments/le_nguyen.py [RUN.toml]        (LINNET_DATA says where corpora and terminologies are)

Writes docs/results/le-nguyen.md and pictures beside it. Both towers are static (`le_nguyen_static.py`), so that all of it
runs on two cores; trends, not the paper's figures, are what can be compared. An interrupted experiment goes on; `--report`
writes the tables of the runs that are there. `--retrieval sparse` trains on the candidates of sparse retrieval alone, and prints
their rows instead of writing the page.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from le_nguyen_data import Plan, Run, build, fit, found, names_of
from le_nguyen_pictures import pictured
from le_nguyen_report import report, rows_of
from le_nguyen_static import StaticDualTask, StaticSettings
from progress import say
from result_tables import percent

from linnet.settings_files import read_settings, settings_from
from linnet.terminology import Terminology
from linnet.train.objectives import hardest_negative
from linnet.train.tasks.dual import DualTask, ranked_first

HERE = Path(__file__).parent
_TOGETHER = 256  # mentions compared with their candidates at a time


def settings_of(plan: Plan, one: Run) -> StaticSettings:
    """The settings of a run, as in a run file."""
    table = {
        "task": "dual",
        "seed": one.seed,
        "output": "model",
        "data": {
            "terminology": str(plan.terminology(one.corpus)),
            "corpora": [one.corpus],
            "retrievers": [one.retrieval],
            "candidates": plan.candidates,
            "clusters": plan.clusters,
            "refresh": plan.refresh,
            "held_out": plan.held_out,
        },
        "objective": plan.objective(one.corpus, one.kind),
        "encoder": {
            "start": str(names_of(plan, plan.terminology(one.corpus).name)),
            **plan.encoder,
        },
    }
    return settings_from(table, StaticSettings)


def train(plan: Plan, plan_file: Path, one: Run) -> None:
    """Train, and keep what is right on dev and how the vectors lie before and after."""
    torch.manual_seed(one.seed)
    parts = found(plan_file, one.corpus, one.retrieval)
    terminology = Terminology.open(plan.terminology(one.corpus))
    task = StaticDualTask(settings_of(plan, one), [terminology], parts.train, parts.held, parts.dev)
    steps = task.clusters.steps(clusters=plan.clusters, epochs=plan.epochs[one.corpus])
    first = getattr(task.objective, "radius", np.nan)
    margin = plan.margins[one.corpus]
    before = geometry(task, margin)
    seconds = fit(task, steps)
    after = geometry(task, margin)
    began = time.process_time()
    bank = task.concept_vectors()
    entities = time.process_time() - began
    distances = task.distances(parts.dev)
    inference = time.process_time() - began - 2 * entities  # `distances` encodes the concepts again
    weight, dev = task.weight(), parts.dev
    numbers = pictured(dev)
    file = plan.file(one)
    file.parent.mkdir(parents=True, exist_ok=True)
    right = {
        name: ranked_first(dev, distances, w) == dev.gold
        for name, w in (("alone", 0.0), ("combined", weight))
    }
    np.savez(
        file.with_suffix(".part.npz"),
        **right,
        weight=weight,
        steps=steps,
        radius=np.array([first, getattr(task.objective, "radius", np.nan)]),
        excluded=task.excluded(),
        seconds=np.array([seconds, entities, inference, task.concepts]),
        shown=task.mention_vectors(dev).numpy()[numbers],
        entities=bank.numpy()[task.places[dev.gold[numbers]]],
        **{f"before_{name}": value for name, value in before.items()},
        **{f"after_{name}": value for name, value in after.items()},
    )
    file.with_suffix(".part.npz").replace(file)
    say(
        f"{one.corpus} {one.retrieval} seed {one.seed} {one.kind}: {percent(right['alone'].mean())}, combined "
        f"{percent(right['combined'].mean())} (weight {weight:g}); {steps} steps in {seconds:.0f} s"
    )


@torch.no_grad()
def geometry(task: DualTask, margin: float) -> dict[str, float]:
    """How the training mentions lie, the first of each cluster its anchor.

    length      mean length of a mention's vector
    radius      mean largest distance to the anchor, of the clusters with several mentions
    unit_radius the same with vectors of length 1
    beyond_X    share of all mentions further from their anchor than: `own` the mean radius + 1, `tight` the mean radius,
                `paper` 11 + 1, `unit` 11 + 1 with vectors of length 1, `unit_own` their mean radius + 1
    loss_X      share of what an objective compares that has a loss: TLA's mentions, `plain` without the squares; TLD's
                anchors; PTL's clusters; SRN's with the mean radius + 1
    """
    part, members = task.train, task.clusters.members
    encode, bank = task.module.mentions(part.contexts), task.concept_vectors()
    starts = range(0, len(part), _TOGETHER)
    vectors = torch.cat([encode(np.arange(i, min(i + _TOGETHER, len(part)))) for i in starts])
    negatives = np.concatenate([_hardest(task, bank, vectors, slice(i, i + _TOGETHER)) for i in starts])
    gold, wrong = bank[task.places[part.gold]], bank[negatives]
    anchor = np.empty(len(part), np.int64)
    for numbers in members:
        anchor[numbers] = numbers[0]
    unit = torch.nn.functional.normalize(vectors, dim=1)
    away, unit_away = (_distance(v, v[anchor]).numpy() for v in (vectors, unit))
    several = [numbers for numbers in members if len(numbers) > 1]
    radius, unit_radius = (
        float(np.mean([a[numbers].max() for numbers in several])) for a in (away, unit_away)
    )
    near, far = _distance(vectors, gold).numpy(), _distance(vectors, wrong).numpy()
    firsts = np.array([numbers[0] for numbers in members])
    inside = [numbers[away[numbers] <= radius + 1] for numbers in members]
    return {
        "length": float(vectors.norm(dim=1).mean()),
        "radius": radius,
        "unit_radius": unit_radius,
        "beyond_own": float((away > radius + 1).mean()),
        "beyond_tight": float((away > radius).mean()),
        "beyond_paper": float((away > 12).mean()),
        "beyond_unit": float((unit_away > 12).mean()),
        "beyond_unit_own": float((unit_away > unit_radius + 1).mean()),
        "loss_tla": float((near**2 - far**2 + margin > 0).mean()),
        "loss_plain": float((near - far + margin > 0).mean()),
        "loss_tld": float((near**2 - far**2 + margin > 0)[firsts].mean()),
        "loss_ptl": _prototypes(vectors, members, gold[firsts], wrong[firsts], margin),
        "loss_srn": _prototypes(vectors, inside, gold[firsts], wrong[firsts], margin),
    }


def _hardest(task: DualTask, bank: torch.Tensor, vectors: torch.Tensor, some: slice) -> Any:
    """(n,) place of the wrong candidate nearest to each mention."""
    candidates = task.train.candidates[some]
    places = np.maximum(task.places[candidates], 0)
    allowed = (candidates >= 0) & (candidates != task.train.gold[some, None])
    nearest = hardest_negative(vectors[some], bank[places], torch.from_numpy(allowed)).numpy()
    return places[np.arange(len(places)), nearest]


def _prototypes(
    vectors: torch.Tensor, members: Any, gold: torch.Tensor, wrong: torch.Tensor, margin: float
) -> float:
    means = torch.stack([vectors[numbers].mean(0) for numbers in members])
    return float((_distance(means, gold) - _distance(means, wrong) + margin > 0).float().mean())


def _distance(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return (left - right).norm(dim=1)


def main() -> None:
    """Everything that is not there yet, then the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run_file", type=Path, nargs="?", default=HERE / "plans/le_nguyen.toml")
    parser.add_argument("--report", action="store_true", help="train nothing")
    parser.add_argument("--retrieval", help="print the rows of this retrieval alone: dense or sparse")
    given = parser.parse_args()
    torch.set_num_threads(1)
    whole = plan = read_settings(given.run_file, Plan)
    if given.retrieval is not None:
        if given.retrieval not in plan.seeds:
            parser.error(f"--retrieval is '{given.retrieval}'; expected one of: {', '.join(plan.seeds)}")
        plan = replace(plan, seeds={given.retrieval: plan.seeds[given.retrieval]}, variant_seeds=0)
    for name in sorted({plan.terminology(corpus).name for corpus in plan.corpora}):
        build(plan, name)
    for one in plan.runs():
        if not plan.file(one).exists() and not given.report:
            train(plan, given.run_file, one)
    if given.retrieval is not None:
        print(rows_of(whole, given.run_file, given.retrieval))
        return
    plan.results.mkdir(parents=True, exist_ok=True)
    (plan.results / "le-nguyen.md").write_text(report(plan, given.run_file), encoding="utf-8")
    say(f"written: {plan.results / 'le-nguyen.md'}")


if __name__ == "__main__":
    main()
