"""The runs of `le_nguyen_transformers.py`: objectives with a pretrained transformer as both towers, and what is right on dev."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from harness import CHOOSING, Kept, best_rate, say
from le_nguyen_data import build, retrieval_of
from le_nguyen_frame import BASE, NAMES
from le_nguyen_plan import Part, Plan, TransformerPlan
from le_nguyen_towers import distances_to_names, distances_to_towers
from paper_corpora import file_of, mentions_of, types_of, write_medmentions
from transformer_runs import finished, forget, portable, run_table, trained

from linnet.encode.model import Model, open_model, write_model
from linnet.io.artifact import digest
from linnet.terminology import Terminology
from linnet.train.clusters import LinkedCandidates, linked_candidates
from linnet.train.learners.transformer_dual import TransformerDual, TransformerDualSettings
from linnet.train.run import folder_of
from linnet.train.tasks.dual import ranked_first

__all__ = ["Run", "Runs"]


@dataclass(frozen=True)
class Run:
    """One training. `dev`: scored on the dev mentions, else only on the documents held out of train."""

    part: Part
    objective: str
    seed: int
    rate: float
    passes: float
    dev: bool = True
    name: str = ""

    @property
    def key(self) -> str:
        """Of its files."""
        words = (self.name, *self.part, self.objective, f"{self.rate:g}", str(self.seed))
        return "-".join(word for word in words if word)


class Runs:
    """Runs and their results: which dev mentions are right by the nearest candidate, and with retrieval's score.

    Facts of a run: `scores` on the documents held out, steps, seconds, sessions, cpu, threads, weight, distances, radius, excluded.
    """

    def __init__(self, plan: TransformerPlan, experiment: Plan, results: Path | None = None) -> None:
        """experiment: its `work` has the terminologies, and gets the runs; results: directory that keeps their numbers, else `work`"""
        self.plan, self.experiment = plan, replace(experiment, work=experiment.work.absolute())
        of_none = {"seeds": 0, "minutes": 0, "parts": (), "experiment": ""}
        shared = ("candidates", "clusters", "held_out", "margins", "rates", "names")
        settings = {**asdict(plan), "start": plan.start.name, **of_none}
        del settings["work"], settings["results"]
        settings["shared"] = {name: getattr(experiment, name) for name in shared}
        key = digest(json.dumps(settings, sort_keys=True, default=dict))[:8]
        self.folder = self.experiment.work / f"transformers-{key}"
        self.kept = Kept(self.folder if results is None else results / f"le-nguyen-{key}")

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
        build(self.experiment, {corpus for corpus, _ in self.plan.parts})

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

        def score(rate: float) -> float:
            own = [self.kept.facts(one.key)["scores"]["acc@1"] for one in self.choices() if one.rate == rate]
            return float(np.mean(own))

        return best_rate(self.plan.choice.rates, score)

    def planned(self, part: Part, objective: str, seed: int) -> Run:
        """A run of the tables."""
        return Run(part, objective, seed, self.rate(), self.plan.passes[part[0]])

    def repetitions(self) -> list[Run]:
        """The same run twice."""
        given = self.plan.repeated
        one = Run(given.part, given.objective, 0, self.rate(), given.passes)
        return [replace(one, name=name) for name in ("first", "again")]

    # ── mentions ─────────────────────────────────────────────────────────────────────────────────────────────

    @cache  # noqa: B019 - there is one for a process
    def mentions(self, part: Part, split: str) -> LinkedCandidates:
        """All mentions of "train", those held out too, or of "dev", with their candidates."""
        linker, mentions = retrieval_of(self.experiment, part), mentions_of(part[0], split)
        return linked_candidates(mentions, linker, k=self.experiment.candidates, expand_context=True)

    def _keep(self, key: str, part: Part, distances: Any, weight: float, facts: Mapping[str, Any]) -> None:
        dev = self.mentions(part, "dev")
        right = {
            name: ranked_first(dev, distances, w) == dev.gold
            for name, w in (("alone", 0.0), ("combined", weight))
        }
        bits = digest(distances.astype(np.float32).tobytes())
        self.kept.keep(key, facts={**facts, "weight": weight, "distances": bits}, **right)
        scores = ", ".join(f"{name} {100 * some.mean():.1f}" for name, some in right.items())
        say(f"{key}: {scores} (weight {weight:g})")

    # ── one run ──────────────────────────────────────────────────────────────────────────────────────────────

    def base(self, part: Part) -> None:
        """Score the transformer as it is: the vectors of names alone, and the two towers before training."""
        names, towers = ("-".join((name, *part)) for name in (NAMES, BASE))
        terminology = Terminology.open(self.experiment.terminology(part[0]))
        if not self.kept.has(names):
            self._keep(
                names,
                part,
                distances_to_names(self.plan.start, self.mentions(part, "dev"), terminology),
                0.0,
                {},
            )
        if not self.kept.has(towers):
            model = self.folder / "models" / BASE
            if not model.is_dir():
                self._write_base(model)
            self._keep(
                towers, part, distances_to_towers(model, self.mentions(part, "dev"), terminology), 0.0, {}
            )

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
        if self.kept.has(wanted.key):
            return
        settings = trained(self.folder / "runs" / f"{wanted.key}.toml", self._table(wanted))
        facts = {**finished(settings), **learnt_of(folder_of(settings))}
        if wanted.dev:
            terminology = Terminology.open(self.experiment.terminology(wanted.part[0]))
            distances = distances_to_towers(settings.output, self.mentions(wanted.part, "dev"), terminology)
            weight = float(open_model(settings.output).options["weight"])
            self._keep(wanted.key, wanted.part, distances, weight, facts)
        else:
            self.kept.keep(wanted.key, facts=facts)
            say(f"{wanted.key}: {100 * facts['scores']['acc@1']:.1f} (held out)")
        forget(settings)

    def _table(self, wanted: Run) -> dict[str, Any]:
        plan, corpus, experiment = self.plan, wanted.part[0], self.experiment
        data = {
            "terminology": f"../../{experiment.terminology(corpus).name}",
            "corpora": [self._corpus(corpus)],
            "types": list(types_of(corpus)),
            "retrievers": [wanted.part[1]],
            "expand_context": True,
            **{name: getattr(experiment, name) for name in ("candidates", "clusters", "held_out")},
            **{name: getattr(plan, name) for name in ("names", "refresh", "reencoded")},
        }
        # Evaluated before the first batch and after the last.
        loop = {"passes": wanted.passes, "warm_up": plan.warm_up, "evaluate_every": 1_000_000}
        return run_table(
            plan, wanted.key, task="dual", seed=wanted.seed, loop=loop, encoder=self._encoder(wanted.rate),
            objective=experiment.objective(corpus, wanted.objective), data=data,
        )  # fmt: skip

    def _encoder(self, rate: float) -> dict[str, Any]:
        plan = self.plan
        layers = {} if plan.first_layers is None else {"first_layers": plan.first_layers}
        own = {
            name: getattr(plan, name) for name in ("dropout", "length", "mention_pooling", "entity_pooling")
        }
        start = portable(plan.start)
        return {"kind": "transformer", "start": start, "learning_rate": rate, **own, **layers}

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
