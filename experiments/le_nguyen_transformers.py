"""Le & Nguyen's objectives with a pretrained transformer: mentions in context against 64 candidates of sparse or dense retrieval.

    python experiments/le_nguyen_transformers.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA: corpora and terminologies)

Does the runs that are not done yet, in the order of `Runs.all`, goes on within a run where it was stopped (Ctrl-C or SIGTERM;
after a power cut from the last checkpoint), and writes docs/results/le-nguyen-transformer.md. What finished runs found is kept in
experiments/results, which the repository has: delete a file there to do its run again. `--work` puts everything else into another
directory than the plan's; `--report` trains no transformer and writes the page of the results that are there.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

import numpy as np
import torch
from le_nguyen_data import DATA, Plan, build, file_of, mentions_of, types_of, write_medmentions
from le_nguyen_towers import distances_to_names, distances_to_towers
from le_nguyen_transformer_plan import Part, Run, TransformerPlan
from progress import say
from transformer_runs import CHOOSING, RESULTS, check_start, finished, keep, portable, trained

from linnet.artifact import digest
from linnet.encode.model import Model, open_model, write_model
from linnet.link import Linker, Pipeline
from linnet.settings_files import read_settings
from linnet.terminology import Terminology
from linnet.train.clusters import LinkedCandidates, linked_candidates
from linnet.train.learners.transformer_dual import TransformerDual, TransformerDualSettings
from linnet.train.run import folder_of
from linnet.train.tasks.dual import ranked_first

HERE = Path(__file__).absolute().parent
NAMES, BASE = "names", "base"


class Runs:
    """Runs and their results: which dev mentions are right by the nearest candidate, and with retrieval's score."""

    def __init__(self, plan: TransformerPlan, experiment: Plan, results: Path | None = None) -> None:
        """experiment: its `work` has the terminologies, and gets the runs; results: directory that keeps their numbers, else `work`"""
        os.environ.setdefault("LINNET_DATA", str(DATA.absolute()))
        self.plan, self.experiment = plan, replace(experiment, work=experiment.work.absolute())
        settings = {
            **asdict(plan),
            "start": plan.start.name,
            "seeds": 0,
            "minutes": 0,
            "parts": (),
            "experiment": "",
        }
        shared = ("candidates", "clusters", "held_out", "margins", "rates", "names")
        settings["shared"] = {name: getattr(experiment, name) for name in shared}
        key = digest(json.dumps(settings, sort_keys=True, default=dict))[:8]
        self.folder = self.experiment.work / f"transformers-{key}"
        self.results = self.folder if results is None else results / f"le-nguyen-{key}"

    def all(self) -> None:
        """Everything that is not there yet: the transformer as it is, the choice, all objectives part by part, the repetition."""
        self.build_terminologies()
        for one in self.choices():
            self.do(one)
        for seed in range(self.plan.seeds):
            for part in self.plan.parts:
                self.base(part)
                for objective in self.experiment.objectives:
                    self.do(self.planned(part, objective, seed))
        for one in self.repetitions():
            self.do(one)

    def build_terminologies(self) -> None:
        """Those that are not there yet, with their indexes; the page needs them, too."""
        for name in sorted({self.experiment.terminology(corpus).name for corpus, _ in self.plan.parts}):
            build(self.experiment, name)

    def choices(self) -> list[Run]:
        """The short runs that choose the learning rate; none where there is one rate."""
        given = self.plan.choice
        return [
            Run(given.part, objective, CHOOSING, rate, given.passes, dev=False, name="choice")
            for rate in (given.rates if len(given.rates) > 1 else ())
            for objective in given.objectives
        ]

    def rate(self) -> float:
        """The learning rate with the best mean acc@1 on the documents held out."""
        scores: dict[float, list[float]] = {}
        for one in self.choices():
            scores.setdefault(one.rate, []).append(self.facts(one.key)["scores"]["acc@1"])
        return max(scores, key=lambda rate: np.mean(scores[rate])) if scores else self.plan.choice.rates[0]

    def planned(self, part: Part, objective: str, seed: int) -> Run:
        """A run of the tables."""
        return Run(part, objective, seed, self.rate(), self.plan.passes[part[0]])

    def repetitions(self) -> list[Run]:
        """The same run twice."""
        given = self.plan.repeated
        one = Run(given.part, given.objective, 0, self.rate(), given.passes)
        return [replace(one, name=name) for name in ("first", "again")]

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────────

    def file(self, key: str) -> Path:
        """Where a result lies."""
        return self.results / f"{key}.npz"

    def done(self, key: str) -> bool:
        """Whether it is there."""
        return self.file(key).exists()

    def right(self, key: str, what: str = "alone") -> Any:
        """(M,) bool of the dev mentions: "alone" or "combined"."""
        with np.load(self.file(key)) as kept:
            return kept[what]

    def facts(self, key: str) -> dict[str, Any]:
        """`scores` on the documents held out, steps, seconds, sessions, cpu, threads, weight, distances, radius, excluded."""
        with np.load(self.file(key)) as kept:
            facts: dict[str, Any] = json.loads(str(kept["facts"]))
        return facts

    @cache  # noqa: B019 - there is one for a process
    def dev(self, part: Part) -> LinkedCandidates:
        """The dev mentions with their candidates."""
        return self._candidates(part, "dev")

    @cache  # noqa: B019
    def train(self, part: Part) -> LinkedCandidates:
        """All train mentions with their candidates, those held out too."""
        return self._candidates(part, "train")

    def _candidates(self, part: Part, split: str) -> LinkedCandidates:
        corpus, retrieval = part
        linker = Linker.open(
            [self.experiment.terminology(corpus)], pipeline=Pipeline(retrievers=(retrieval,), reranker=None)
        )
        mentions = mentions_of(corpus, split)
        return linked_candidates(mentions, linker, k=self.experiment.candidates, expand_context=True)

    def _keep(self, key: str, part: Part, distances: Any, weight: float, facts: Mapping[str, Any]) -> None:
        dev = self.dev(part)
        right = {
            name: ranked_first(dev, distances, w) == dev.gold
            for name, w in (("alone", 0.0), ("combined", weight))
        }
        kept = {**facts, "weight": weight, "distances": digest(distances.astype(np.float32).tobytes())}
        self._write(key, kept, right)
        scores = ", ".join(f"{name} {100 * some.mean():.1f}" for name, some in right.items())
        say(f"{key}: {scores} (weight {weight:g})")

    def _write(self, key: str, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        keep(self.file(key), facts=json.dumps(facts), **arrays)

    # ── one run ──────────────────────────────────────────────────────────────────────────────────────────────

    def base(self, part: Part) -> None:
        """Score the transformer as it is: the vectors of names alone, and the two towers before training."""
        names, towers = ("-".join((name, *part)) for name in (NAMES, BASE))
        terminology = Terminology.open(self.experiment.terminology(part[0]))
        if not self.done(names):
            self._keep(names, part, distances_to_names(self.plan.start, self.dev(part), terminology), 0.0, {})
        if not self.done(towers):
            model = self.folder / "models" / BASE
            if not model.is_dir():
                self._write_base(model)
            self._keep(towers, part, distances_to_towers(model, self.dev(part), terminology), 0.0, {})

    def _write_base(self, model: Path) -> None:
        table = {name: value for name, value in self._encoder(1e-5).items() if name not in ("start", "name")}
        learner = TransformerDual(
            TransformerDualSettings(**{**table, "start": self.plan.start}), (), (), seed=0
        )
        options: dict[str, Any] = {"names": self.plan.names, "weight": 0.0, "expand_context": True}
        made = Model("dual", BASE, learner.dimensions, "fold", options)
        model.parent.mkdir(parents=True, exist_ok=True)
        write_model(model, made, fill=lambda draft: options.update(learner.eval().write(draft)))

    def do(self, wanted: Run) -> None:
        """Train, or go on training, and score, unless the result is there."""
        if self.done(wanted.key):
            return
        settings = trained(self.folder / "runs" / f"{wanted.key}.toml", self._table(wanted))
        own = folder_of(settings)
        facts = {**finished(settings), **learnt_of(own)}
        if wanted.dev:
            terminology = Terminology.open(self.experiment.terminology(wanted.part[0]))
            distances = distances_to_towers(settings.output, self.dev(wanted.part), terminology)
            weight = float(open_model(settings.output).options["weight"])
            self._keep(wanted.key, wanted.part, distances, weight, facts)
        else:
            self._write(wanted.key, facts, {})
            say(f"{wanted.key}: {100 * facts['scores']['acc@1']:.1f} (held out)")
        shutil.rmtree(settings.output)
        for checkpoint in own.glob("*.safetensors"):  # half a gigabyte
            checkpoint.unlink()

    def _table(self, wanted: Run) -> dict[str, Any]:
        plan, corpus = self.plan, wanted.part[0]
        return {
            "task": "dual",
            "output": f"../models/{wanted.key}",
            "seed": wanted.seed,
            "loop": {
                "passes": wanted.passes,
                "warm_up": plan.warm_up,
                "evaluate_every": 1_000_000,  # before the first batch and after the last
                "checkpoint_minutes": plan.minutes,
                "precision": plan.precision,
                "threads": torch.get_num_threads(),
            },
            "encoder": self._encoder(wanted.rate),
            "objective": self.experiment.objective(corpus, wanted.objective),
            "data": {
                "terminology": f"../../{self.experiment.terminology(corpus).name}",
                "corpora": [self._corpus(corpus)],
                "types": types_of(corpus),
                "retrievers": [wanted.part[1]],
                "candidates": self.experiment.candidates,
                "names": plan.names,
                "expand_context": True,
                "clusters": self.experiment.clusters,
                "refresh": plan.refresh,
                "reencoded": plan.reencoded,
                "held_out": self.experiment.held_out,
            },
        }

    def _encoder(self, rate: float) -> dict[str, Any]:
        plan = self.plan
        layers = {} if plan.first_layers is None else {"first_layers": plan.first_layers}
        return {
            "kind": "transformer",
            "start": portable(plan.start),
            "dropout": plan.dropout,
            "length": plan.length,
            "mention_pooling": plan.mention_pooling,
            "entity_pooling": plan.entity_pooling,
            "learning_rate": rate,
            **layers,
        }

    def _corpus(self, corpus: str) -> str:
        """The training file as a run file names it. That of MedMentions is written: four fifths of a file."""
        if corpus != "medmentions":
            return f"${{LINNET_DATA}}/{file_of(corpus, 'train')}"
        place = self.folder / "medmentions-train.jsonl"
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            write_medmentions("train", place)
        return f"../{place.name}"


def learnt_of(folder: Path) -> dict[str, list[float]]:
    """The radius and the share of candidates left out, as far as a run's objective has them, at each evaluation."""
    with (folder / "metrics.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {name: [float(row[name]) for row in rows] for name in ("radius", "excluded") if name in rows[0]}


def main(arguments: Iterable[str]) -> None:
    """Everything that is not there yet, then the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "plan", nargs="?", type=Path, default=HERE / "plans/le_nguyen_transformer.toml", metavar="RUN.toml"
    )
    parser.add_argument("--work", type=Path, help="directory of runs and results, instead of the plan's")
    parser.add_argument("--report", action="store_true", help="train no transformer")
    given = parser.parse_args(list(arguments))
    plan = read_settings(given.plan, TransformerPlan)
    experiment = read_settings(plan.experiment, Plan)
    runs = Runs(plan, replace(experiment, work=given.work or experiment.work), RESULTS)
    if given.report:
        runs.build_terminologies()
    else:
        check_start(runs.results, plan.start)
        runs.all()
    from le_nguyen_transformer_page import page

    place = experiment.results / "le-nguyen-transformer.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(page(runs, given.plan), encoding="utf-8")
    say(f"written: {place}")


if __name__ == "__main__":
    main(sys.argv[1:])
