"""Triplets of mentions and names, four ways to sample them, and NIL thresholds on open data: the tables of DILBERT.

    python experiments/dilbert.py [RUN.toml] [--work DIR] [--report]        (LINNET_DATA says where corpora and terminologies are)

Writes docs/results/dilbert.md and pictures beside it. The encoder is the static n-gram bag from scratch, so that all of it
runs on one core; trends, not the paper's figures, are what can be compared. Paper: Miftahutdinov et al. 2021, tables 4 and 5, §5.4.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from dilbert_data import TITLES, TRIALS, asked, build, fold_of, mentions_of, place_of, terminology
from dilbert_judging import share_right
from dilbert_names import NgramNames, answers
from dilbert_nil import NilTables
from dilbert_plan import PLAN, Plan, Strategy
from dilbert_removal import Removal
from dilbert_tables import UNTRAINED, Tables
from harness import execute, fit, say
from result_tables import markdown, percent

from linnet.io.settings_files import settings_from
from linnet.train.learners import build_learner
from linnet.train.tasks.mentions import MentionsSettings, MentionsTask
from linnet.types import Mention

RANDOM = Strategy(strategy="random")


# ── training ─────────────────────────────────────────────────────────────────────────────────────────────────


def prepared(
    plan: Plan,
    place: Path,
    mentions: Sequence[Mention],
    strategy: Strategy,
    seed: int,
    *,
    margin: float | None = None,
    rate: float | None = None,
) -> MentionsTask:
    """The task that `linnet train` would be given, its random numbers begun anew.

    margin, rate  of learning, other than the plan's
    """
    torch.manual_seed(seed)
    table = {
        "task": "mentions",
        "seed": seed,
        "output": "model",
        "data": {
            "terminology": str(place),
            "corpora": ["of the mentions given"],
            "strategy": strategy.strategy,
            "k": strategy.k,
            "triplets": plan.triplets,
            "refresh": plan.steps,
        },
        "objective": {"kind": "name-triplet", "margin": plan.margin if margin is None else margin},
        "encoder": {**plan.encoder, **({} if rate is None else {"learning_rate": rate})},
    }
    return MentionsTask.of(settings_from(table, MentionsSettings), mentions, corpora="")


def stages(task: MentionsTask, *numbers: int) -> float:
    """Stages 0 and 1, or one of them: as many steps as triplets are kept for, with an optimiser of its own; the seconds they took."""
    steps = task.settings.data.refresh
    return sum(fit(task, steps, first=number * steps)[1] for number in numbers or (0, 1))


@cache
def _names_of(place: Path, kind: str) -> NgramNames:
    """Names of a terminology for encoders made with the same [encoder] (as JSON)."""
    return NgramNames(terminology(place), build_learner(json.loads(kind), [""], seed=0))


def ask(plan: Plan, task: MentionsTask, place: Path, texts: Sequence[str]) -> dict[str, Any]:
    """`answers` of what a task has learnt."""
    names = _names_of(place, json.dumps(plan.encoder))
    names.load(task.module)
    return answers(names, texts)


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────


def choose(plan: Plan) -> None:
    """Margins and learning rates, on held-out documents of BC5CDR train."""
    mentions, place = mentions_of("bc5cdr-disease", "train"), plan.work / "medic"
    folds = fold_of([mention.document.id for mention in mentions], folds=5, seed=0)
    for margin in plan.choices["margin"]:
        for rate in plan.choices["learning_rate"]:
            for fold in range(plan.folds):
                parts = ("choice", margin, rate, fold)
                if plan.kept.has(*parts):
                    continue
                own = [m for m, i in zip(mentions, folds, strict=True) if i != fold]
                task = prepared(plan, place, own, RANDOM, 0, margin=margin, rate=rate)
                seconds = stages(task)
                facts = share_right(
                    mentions, folds == fold, lambda texts, task=task: ask(plan, task, place, texts), place
                )
                plan.kept.keep(*parts, facts=facts)
                say(f"{plan.kept.file(*parts).stem}: {facts['right']:.3f} ({seconds:.0f} s)")


def compare(plan: Plan, corpus: str, seed: int) -> None:
    """Train with every strategy and keep what each answers; what is there already is left alone."""
    place, mentions = plan.work / place_of(corpus), mentions_of(corpus, "train")
    todo = [name for name in (UNTRAINED, *plan.strategies) if not plan.kept.has(corpus, name, seed)]
    if not todo:
        return

    def keep(task: MentionsTask, strategy: str, seconds: float) -> None:
        began, targets = time.process_time(), plan.transfer[corpus]
        found = {
            target: ask(plan, task, plan.work / place_of(target), asked(target).texts) for target in targets
        }
        plan.kept.keep(corpus, strategy, seed, facts={"answers": found, "seconds": seconds})
        took = time.process_time() - began
        say(f"{corpus} {strategy} {seed}: {seconds:.0f} s, asked in {took:.0f} s")

    task = prepared(plan, place, mentions, plan.strategies["random"], seed)
    if UNTRAINED in todo:
        keep(task, UNTRAINED, 0.0)
    half = stages(task, 0)
    begun = {key: value.clone() for key, value in task.module.state_dict().items()}
    if "random" in todo:
        keep(task, "random", half + stages(task, 1))
    for strategy, wanted in plan.strategies.items():
        if strategy == "random" or strategy not in todo:
            continue
        task = prepared(plan, place, mentions, wanted, seed)
        if wanted.strategy.startswith("resampling"):
            task.module.load_state_dict(begun)
            keep(task, strategy, half + stages(task, 1))
        else:
            keep(task, strategy, stages(task))


def remove(plan: Plan, corpus: str, number: int) -> None:
    """Take concepts out of the terminology, train without them, and keep what is nearest to the mentions."""
    if plan.kept.has("nil", corpus, number):
        return
    made = Removal(plan, corpus, number)
    task = prepared(plan, made.left.path, made.own, plan.strategies["random"], number)
    seconds = stages(task)
    found = {key: ask(plan, task, made.left.path, some.texts) for key, some in made.parts.items()}
    plan.kept.keep("nil", corpus, number, facts=made.rows(found))
    say(f"{corpus}, removal {number}: {seconds:.0f} s")


def run_all(plan: Plan) -> None:
    """Everything that is not there yet."""
    torch.set_num_threads(1)
    plan.work.mkdir(parents=True, exist_ok=True)
    build(plan.work)
    choose(plan)
    for corpus, seeds in plan.seeds.items():
        for seed in range(seeds):
            compare(plan, corpus, seed)
        if corpus in plan.nil.corpora:
            for number in range(plan.nil.removals):
                remove(plan, corpus, number)


# ── the page ─────────────────────────────────────────────────────────────────────────────────────────────────


class StaticTables(Tables):
    """What only this page has."""

    def hierarchy(self) -> str:
        """Where MEDIC's parents come from."""
        rows = json.loads((self.plan.work / "hierarchy.json").read_text())
        total = len(terminology(self.plan.work / "medic"))
        cells = [
            (name, f"{matched:,}", f"{gained:,}", f"{having:,} of {total:,} ({percent(having / total)} %)")
            for name, matched, gained, having in rows
        ]
        return markdown(("from", "concepts in common", "gained parents", "then have parents"), cells)

    def choices(self) -> str:
        """Margins and learning rates on held-out documents of train."""
        rates, folds, kept = self.plan.choices["learning_rate"], range(self.plan.folds), self.plan.kept
        rows = [
            (
                f"{margin:g}",
                *(
                    percent(
                        float(np.mean([kept.facts("choice", margin, rate, fold)["right"] for fold in folds]))
                    )
                    for rate in rates
                ),
            )
            for margin in self.plan.choices["margin"]
        ]
        return markdown(("margin", *(f"learning rate {rate:g}" for rate in rates)), rows)

    def seconds(self, corpus: str) -> str:
        """Of training, by strategy."""
        times = {
            name: [self.plan.kept.facts(corpus, name, seed)["seconds"] for seed in self.seeds(corpus, name)]
            for name in self.plan.strategies
        }
        return ", ".join(f"{name} {np.median(some):.0f}" for name, some in times.items())

    def all(self, pictures: Path) -> Mapping[str, str]:
        """Table → Markdown; the picture of NIL is written."""
        plan = self.plan
        main, nil = next(iter(plan.seeds)), plan.nil.corpora[0]
        pairs = [(corpus, target) for corpus in plan.seeds for target in plan.transfer[corpus]]
        of_nil = NilTables(plan, nil)
        of_nil.picture(pictures / "dilbert-nil.png")
        return {
            "seeds": ", ".join(f"{TITLES[corpus]} {count}" for corpus, count in plan.seeds.items()),
            "hierarchy": self.hierarchy(),
            "choices": self.choices(),
            "in_domain": "\n".join(f"### {TITLES[c]}\n\n{self.accuracy(c, c)}" for c in plan.seeds),
            "across": self.sections(p for p in pairs if p[0] != p[1] and p[1] not in TRIALS),
            "trials": self.sections(pair for pair in pairs if pair[1] in TRIALS),
            "main": TITLES[main],
            "mistakes": self.mistakes(main),
            "seconds": self.seconds(main),
            "nil_corpus": TITLES[nil],
            "removed": percent(plan.nil.removed),
            "repetitions": str(plan.nil.removals * plan.nil.splits),
            "nil_facts": of_nil.counts(),
            "nil": of_nil.accuracy(),
            "nil_precision": of_nil.precision(),
            **self.drugs("bc5cdr-chemical"),
        }

    def drugs(self, corpus: str) -> dict[str, str]:
        """NIL of chemicals and of the drugs of trials, if the plan has it."""
        if corpus not in self.plan.nil.corpora:
            return {}
        made = NilTables(self.plan, corpus)
        return {
            "nil_chemical_facts": made.counts(),
            "repetitions_drugs": str(made.removals * self.plan.nil.splits),
            "nil_chemical": made.accuracy(),
            "nil_drugs_facts": made.counts("drugs"),
            "nil_drugs": made.accuracy("drugs"),
        }


def tables(plan: Plan) -> Mapping[str, str] | None:
    """Of the runs that are there."""
    return StaticTables(plan).all(plan.results) if plan.kept.folder.is_dir() else None


if __name__ == "__main__":
    execute(__doc__, "dilbert", PLAN, read=Plan, run=run_all, tables=tables)
