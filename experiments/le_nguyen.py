"""Prototype triplets and soft-radius neighbours on open data: the tables and figures of Le & Nguyen 2023.

    python experiments/le_nguyen.py [RUN.toml] [--work DIR] [--report]       (LINNET_DATA says where corpora and terminologies are)

Writes docs/results/le-nguyen.md and pictures beside it. Both towers are static (`le_nguyen_static.py`), so that all of it
runs on two cores; trends, not the paper's figures, are what can be compared. An interrupted experiment goes on; `--report`
writes the tables of the runs that are there. `--retrieval sparse` trains on the candidates of sparse retrieval alone, and prints
their rows instead of writing the page.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from harness import execute, fit, say
from le_nguyen_data import build, found, names_of
from le_nguyen_frame import SRN
from le_nguyen_pictures import pictured, pictures
from le_nguyen_plan import PLAN, Plan
from le_nguyen_static import StaticDualTask, StaticSettings
from le_nguyen_tables import Tables
from paper_corpora import TITLES
from result_tables import percent

from linnet.io.settings_files import settings_from
from linnet.terminology import Terminology
from linnet.train.objectives import hardest_negative
from linnet.train.tasks.dual import DualTask, ranked_first

_TOGETHER = 256  # mentions compared with their candidates at a time


def settings_of(plan: Plan, corpus: str, retrieval: str, kind: str, seed: int) -> StaticSettings:
    """The settings of a run, as in a run file."""
    place = plan.terminology(corpus)
    data = {
        "terminology": str(place),
        "corpora": [corpus],
        "retrievers": [retrieval],
        **{name: getattr(plan, name) for name in ("candidates", "clusters", "refresh", "held_out")},
    }
    table = {
        "task": "dual",
        "seed": seed,
        "output": "model",
        "data": data,
        "objective": plan.objective(corpus, kind),
        "encoder": {"start": str(names_of(plan, place.name)), **plan.encoder},
    }
    return settings_from(table, StaticSettings)


def train(plan: Plan, corpus: str, retrieval: str, kind: str, seed: int) -> None:
    """Train, and keep what is right on dev and how the vectors lie before and after."""
    torch.manual_seed(seed)
    parts = found(plan, (corpus, retrieval))
    terminology = Terminology.open(plan.terminology(corpus))
    settings = settings_of(plan, corpus, retrieval, kind, seed)
    task = StaticDualTask(settings, [terminology], parts.train, parts.held, parts.dev)
    steps = task.clusters.steps(clusters=plan.clusters, epochs=plan.epochs[corpus])
    radius, before = getattr(task.objective, "radius", np.nan), geometry(task, plan.margins[corpus])
    _, seconds = fit(task, steps)
    after = geometry(task, plan.margins[corpus])
    began = time.process_time()
    bank = task.concept_vectors()
    entities = time.process_time() - began
    distances = task.distances(parts.dev)
    inference = time.process_time() - began - 2 * entities  # `distances` encodes the concepts again
    weight, dev = task.weight(), parts.dev
    numbers = pictured(dev)
    answers = np.stack([ranked_first(dev, distances, w) for w in (0.0, weight)])
    right = dict(zip(("alone", "combined"), answers == dev.gold, strict=True))
    facts = {
        "weight": weight,
        "steps": steps,
        "radius": [float(radius), float(getattr(task.objective, "radius", np.nan))],
        "excluded": float(task.excluded()),
        "seconds": [seconds, entities, inference, task.concepts],
        **{f"before_{name}": value for name, value in before.items()},
        **{f"after_{name}": value for name, value in after.items()},
    }
    shown = task.mention_vectors(dev).numpy()[numbers]
    own = bank.numpy()[task.places[dev.gold[numbers]]]
    plan.kept.keep(
        corpus, retrieval, kind, seed, facts=facts, shown=shown, entities=own, answers=answers, **right
    )
    say(
        f"{corpus} {retrieval} seed {seed} {kind}: {percent(right['alone'].mean())}, combined "
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


def run(plan: Plan) -> None:
    """Everything that is not there yet."""
    torch.set_num_threads(1)
    build(plan, set(plan.corpora))
    for one in plan.runs():
        if not plan.kept.has(*one):
            train(plan, *one)


def tables(plan: Plan) -> dict[str, str] | None:
    """Of the runs that are there; pictures are written beside the page."""
    if not plan.kept.folder.is_dir():
        return None
    made, corpus = Tables(plan), plan.corpora[0]
    drawn = pictures(made, plan.results, corpus, ("triplet-all", SRN))
    return {"corpus": TITLES[corpus], "distances": drawn, **made.all()}


def print_rows(plan: Plan, retrieval: str) -> None:
    """Do the runs of one retrieval alone, and print their rows."""
    if retrieval not in plan.seeds:
        raise SystemExit(f"--retrieval is '{retrieval}'; expected one of: {', '.join(plan.seeds)}")
    run(replace(plan, seeds={retrieval: plan.seeds[retrieval]}, variant_seeds=0))
    print(Tables(plan, [retrieval]).rows_of_both())


if __name__ == "__main__":
    rows = {"--retrieval": print_rows}
    execute(__doc__, "le-nguyen", PLAN, read=Plan, run=run, tables=tables, instead=rows)
