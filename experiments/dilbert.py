"""Triplets of mentions and names, four ways to sample them, and NIL thresholds on open data: the tables of DILBERT.

    python experiments/dilbert.py [RUN.toml]        (LINNET_DATA says where corpora and terminologies are)

Writes docs/results/dilbert.md and pictures beside it. The encoder is the static n-gram bag from scratch, so that all of it
runs on one core; trends, not the paper's figures, are what can be compared. Paper: Miftahutdinov et al. 2021, tables 4 and 5, §5.4.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from dilbert_data import (
    CORPORA,
    TRIALS,
    Plan,
    Strategy,
    asked,
    build,
    fold_of,
    mentions_of,
    terminology,
    without,
)
from dilbert_judging import judged, refined_places
from dilbert_names import NgramNames, answers
from dilbert_report import report
from progress import say

from linnet.artifact import digest
from linnet.evaluate.gold import Gold, golds_of
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.read.abbreviations import expanded_texts
from linnet.settings_files import read_settings, settings_from
from linnet.terminology import Terminology
from linnet.train.learners import build_learner
from linnet.train.tasks.mentions import MentionsSettings, MentionsTask
from linnet.types import Mention

HERE = Path(__file__).parent


# ── training ─────────────────────────────────────────────────────────────────────────────────────────────────


def settings_of(plan: Plan, place: Path, strategy: Strategy, seed: int, **changes: Any) -> MentionsSettings:
    """The run file that `linnet train` would be given.

    changes  `encoder`, `triplets`, `steps` and `margin` other than the plan's
    """
    table = {
        "task": "mentions",
        "seed": seed,
        "output": "model",
        "data": {
            "terminology": str(place),
            "corpora": [],
            "strategy": strategy.strategy,
            "k": strategy.k,
            "triplets": changes.get("triplets", plan.triplets),
            "refresh": changes.get("steps", plan.steps),
        },
        "objective": {"kind": "name-triplet", "margin": changes.get("margin", plan.margin)},
        "encoder": {**plan.encoder, **changes.get("encoder", {})},
    }
    return settings_from(table, MentionsSettings)


def prepare(settings: MentionsSettings, mentions: Sequence[Mention]) -> MentionsTask:
    """The task, its random numbers begun anew."""
    torch.manual_seed(settings.seed)
    return MentionsTask.of(settings, mentions, corpora="")


def stage(task: MentionsTask, number: int) -> None:
    """Stage 0 or 1: as many steps as triplets are kept for, with an optimiser of its own."""
    optimiser, steps = task.optimiser(), task.settings.data.refresh
    task.module.train()
    for step in range(number * steps, (number + 1) * steps):
        loss = task.loss(step)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    task.module.eval()


@cache
def names_of(place: Path, kind: str) -> NgramNames:
    """Names of a terminology for encoders made with the same [encoder] (as JSON)."""
    return NgramNames(terminology(place), build_learner(json.loads(kind), [""], seed=0))


def ask(task: MentionsTask, encoder: Mapping[str, Any], place: Path, texts: Sequence[str]) -> dict[str, Any]:
    """`answers` of what a task has learnt, with [encoder] as it was made."""
    names = names_of(place, json.dumps(encoder))
    names.load(task.module)
    return answers(names, texts)


def keep(file: Path, table: Any) -> None:
    """A result, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(table), encoding="utf-8")
    draft.replace(file)


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────


def choose(plan: Plan) -> None:
    """Margins and learning rates, on held-out documents of BC5CDR train."""
    corpus = "bc5cdr-disease"
    mentions = mentions_of(corpus, "train")
    golds, texts = golds_of(mentions), expanded_texts(mentions)
    folds = fold_of([gold.document for gold in golds], folds=5, seed=0)
    for margin in plan.choices["margin"]:
        for rate in plan.choices["learning_rate"]:
            for fold in range(plan.folds):
                file = plan.file("choice", margin, rate, fold)
                if file.exists():
                    continue
                began = time.process_time()
                settings = settings_of(
                    plan,
                    plan.work / "medic",
                    Strategy(strategy="random"),
                    0,
                    margin=margin,
                    encoder={"learning_rate": rate},
                )
                task = prepare(settings, [m for m, i in zip(mentions, folds, strict=True) if i != fold])
                stage(task, 0)
                stage(task, 1)
                held, seen = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
                places = held[refined_places([golds[i] for i in held], [golds[i] for i in seen])]
                place = terminology(plan.work / "medic")
                found = ask(task, plan.encoder, plan.work / "medic", [texts[i] for i in places])
                some = [golds[i] for i in places]
                right, single = judged(some, [texts[i] for i in places], found, place)[:2]
                keep(file, {"right": float(right[single].mean()), "n": int(single.sum())})
                say(f"{file.stem}: {right[single].mean():.3f} ({time.process_time() - began:.0f} s)")


def compare(plan: Plan, corpus: str, seed: int) -> None:
    """Train with every strategy and keep what each answers; what is there already is left alone."""
    name = CORPORA[corpus][2]
    place, mentions = plan.work / name, mentions_of(corpus, "train")

    def asks(task: MentionsTask, strategy: str, seconds: float) -> None:
        began = time.process_time()
        targets = plan.transfer[corpus]
        found = {
            one: ask(task, plan.encoder, plan.work / (TRIALS.get(one) or CORPORA[one][2]), asked(one).texts)
            for one in targets
        }
        keep(plan.file(corpus, strategy, seed), {"answers": found, "seconds": seconds})
        say(f"{corpus} {strategy} {seed}: {seconds:.0f} s, asked in {time.process_time() - began:.0f} s")

    todo = [name for name in ("untrained", *plan.strategies) if not plan.file(corpus, name, seed).exists()]
    if not todo:
        return
    begun: dict[str, torch.Tensor] = {}
    began = time.process_time()
    task = prepare(settings_of(plan, place, plan.strategies["random"], seed), mentions)
    if "untrained" in todo:
        asks(task, "untrained", 0.0)
    began = time.process_time()
    stage(task, 0)
    begun = {key: value.clone() for key, value in task.module.state_dict().items()}
    half = time.process_time() - began
    if "random" in todo:
        stage(task, 1)
        asks(task, "random", time.process_time() - began)
    for strategy, wanted in plan.strategies.items():
        if strategy == "random" or strategy not in todo:
            continue
        task = prepare(settings_of(plan, place, wanted, seed), mentions)
        began = time.process_time()
        if wanted.strategy.startswith("resampling"):
            task.module.load_state_dict(begun)
            stage(task, 1)
            asks(task, strategy, half + time.process_time() - began)
        else:
            stage(task, 0)
            stage(task, 1)
            asks(task, strategy, time.process_time() - began)


@dataclass(frozen=True)
class Part:
    """Mentions that a threshold is chosen on or judged by: those with one concept, or none."""

    golds: list[Gold]
    texts: list[str]
    mentions: list[Mention]


def part(mentions: Sequence[Mention], seen: Sequence[Gold]) -> Part:
    """The refined ones."""
    golds, texts = golds_of(mentions), expanded_texts(list(mentions))
    places = [i for i in refined_places(golds, seen) if len(golds[i].concepts) < 2]
    return Part([golds[i] for i in places], [texts[i] for i in places], [mentions[i] for i in places])


class Removal:
    """Concepts taken out of a terminology, and the mentions to learn from and to ask.

    place    directory of what is left of the terminology
    own      mentions to learn from; `parts`: "held" out of the training documents, and "dev"
    """

    def __init__(self, plan: Any, corpus: str, number: int) -> None:
        name = CORPORA[corpus][2]
        whole = terminology(plan.work / name)
        mentions, dev = mentions_of(corpus, "train"), mentions_of(corpus, "dev")
        golds = golds_of(mentions)
        folds = fold_of([g.document for g in golds], folds=round(1 / plan.nil.held_out), seed=number)
        self.own = [m for m, i in zip(mentions, folds, strict=True) if i]
        self.parts = {
            "held": part([m for m, i in zip(mentions, folds, strict=True) if not i], golds_of(self.own)),
            "dev": part(dev, golds),
        }
        self.removed = _removed(self.parts["dev"].golds, whole, plan.nil.removed, number)
        # What was removed and held out is in the key: nothing of another plan is taken for this one's.
        self.key = digest(" ".join([f"{plan.nil.held_out}", *sorted(self.removed)]))[:8]
        self.place = plan.work / "nil" / f"{name}-{corpus}-{number}-{self.key}"
        self.left = without(plan, name, self.removed, self.place)


def kept_rows(made: Removal, found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What is kept of a removal: what is nearest to each mention, and what linnet's linker finds.

    found  part → `answers` to its texts
    """
    build_indexes(made.left, ("exact", "dense"), update=True, threads=1)
    linker = Linker.open(
        [made.place],
        pipeline=Pipeline(("exact", "dense"), composites=False, min_score=0.0, reranker=None),
        threads=1,
    )
    table: dict[str, Any] = {"removed": sorted(made.removed)}
    for key, some in made.parts.items():
        links = linker.link(some.mentions, k=1)
        table[key] = [
            {
                "document": gold.document,
                "known": bool(gold.concepts) and any(map(made.left.resolve, gold.concepts)),
                "nearest": [
                    found[key][text]["distance"],
                    found[key][text]["length"],
                    _is_right(gold, found[key][text]["whole"], made.left),
                ],
                "linker": [link.candidates[0].score, _is_right(gold, [link.candidates[0].concept], made.left)]
                if link.candidates
                else [0.0, False],
            }
            for gold, text, link in zip(some.golds, some.texts, links, strict=True)
        ]
    nil = np.mean([not row["known"] for row in table["dev"]])
    say(f"without {len(made.removed)} concepts: {nil:.1%} of {len(table['dev'])} mentions NIL")
    return table


def remove(plan: Plan, corpus: str, number: int) -> None:
    """Take concepts out of the terminology, train without them, and keep what is nearest to the mentions."""
    file = plan.file("nil", corpus, number)
    if file.exists():
        return
    began = time.process_time()
    made = Removal(plan, corpus, number)
    task = prepare(settings_of(plan, made.place, plan.strategies["random"], number), made.own)
    stage(task, 0)
    stage(task, 1)
    found = {key: ask(task, plan.encoder, made.place, some.texts) for key, some in made.parts.items()}
    keep(file, kept_rows(made, found))
    say(f"{corpus}, removal {number}: {time.process_time() - began:.0f} s")


def _removed(golds: Sequence[Gold], terminology: Terminology, share: float, seed: int) -> frozenset[str]:
    """Concepts drawn until so many of the mentions that had one have none."""
    counts: dict[str, int] = {}
    for gold in golds:
        for id in gold.concepts:
            if len(now := terminology.resolve(id)) == 1:
                counts[now[0]] = counts.get(now[0], 0) + 1
    drawn, lost = set(), 0
    for id in np.random.default_rng(seed).permutation(sorted(counts)).tolist():
        if lost >= share * sum(counts.values()):
            break
        drawn.add(id)
        lost += counts[id]
    return frozenset(drawn)


def _is_right(gold: Gold, ids: Sequence[str], terminology: Terminology) -> bool:
    return any(now in ids for id in gold.concepts for now in terminology.resolve(id))


@cache
def plan_of(file: str) -> Plan:
    """The run file."""
    return read_settings(file, Plan)


def main(file: str) -> None:
    """Everything that is not there yet, then the report."""
    torch.set_num_threads(1)
    plan = plan_of(file)
    plan.work.mkdir(parents=True, exist_ok=True)
    build(plan)
    choose(plan)
    for corpus, seeds in plan.seeds.items():
        for seed in range(seeds):
            compare(plan, corpus, seed)
        if corpus in plan.nil.corpora:
            for number in range(plan.nil.removals):
                remove(plan, corpus, number)
    report(plan, file)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else str(HERE / "plans/dilbert.toml"))
