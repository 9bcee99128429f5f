"""DILBERT's strategies with a pretrained transformer: triplets, transfer to other corpora and to bare strings, NIL.

    python experiments/dilbert_transformers.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA: corpora and terminologies)

Does the runs that are not done yet, in the order of `Runs.all`, goes on within a run where it was stopped (Ctrl-C or SIGTERM;
after a power cut from the last checkpoint), and writes docs/results/dilbert-transformer.md. `--work` puts everything into another
directory than the plan's; `--report` trains nothing and writes the page of the results that are there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

import numpy as np
import torch
from dilbert import Removal, answers, keep, kept_rows
from dilbert_data import (
    CORPORA,
    Nil,
    Plan,
    Strategy,
    asked,
    build,
    fold_of,
    mentions_of,
    place_of,
    terminology,
)
from dilbert_report import judged, refined_places
from transformer_runs import CHOOSING, finished, portable, say, trained

from linnet.artifact import digest
from linnet.corpora import write
from linnet.evaluate.gold import golds_of
from linnet.recognise.abbreviations import expanded_texts
from linnet.settings_files import read_settings
from linnet.terminology import Terminology
from linnet.text import simplify
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings
from linnet.train.run import folder_of
from linnet.types import Mention

HERE = Path(__file__).absolute().parent
UNTRAINED = "untrained"
_TOGETHER = 4096


@dataclass(frozen=True, kw_only=True)
class TransformerPlan:
    """The run file; its texts say what each key is.

    experiment  run file of the n-gram encoder, for `work` and `results`
    """

    experiment: Path
    start: Path
    triplets: int
    steps: int
    margin: float
    warm_up: float
    rates: tuple[float, ...]
    nearest: int
    among: int
    precision: str
    minutes: float
    seeds: Mapping[str, int]
    transfer: Mapping[str, tuple[str, ...]]
    strategies: Mapping[str, Strategy]
    nil: Nil
    work: Path = Path()
    results: Path = Path()

    @cached_property
    def folder(self) -> Path:
        """Of runs and results: named for all that they depend on."""
        settings = {**asdict(self), "start": self.start.name, "minutes": 0, "seeds": 0, "experiment": ""}
        for name in ("work", "results", "transfer", "nil"):
            settings.pop(name)
        return self.work.absolute() / f"transformers-{digest(json.dumps(settings, sort_keys=True))[:8]}"

    def file(self, *parts: object) -> Path:
        """Where the result of a run lies."""
        return self.folder / ("-".join(map(str, parts)).replace(" ", "") + ".json")


class Names:
    """All names of a terminology, each distinct text once, as `dilbert.Names`, for one transformer."""

    def __init__(self, terminology: Terminology, learner: TransformerLearner, *, precision: str) -> None:
        owners: dict[str, dict[int, None]] = {}
        texts = terminology.names.take(range(len(terminology.names)))
        for text, row in zip(texts, np.asarray(terminology.name_concepts).tolist(), strict=True):
            owners.setdefault(simplify(text), {})[row] = None
        self.owners = [[terminology.ids[row] for row in rows] for rows in owners.values()]
        self._learner, self._half = learner, precision == "bf16"
        self._vectors = self._encoded(list(owners))
        self._lengths = np.square(self._vectors).sum(1)

    @torch.no_grad()
    def _encoded(self, texts: Sequence[str]) -> Any:
        """(N, D) float32; texts of like length are encoded together."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors = np.zeros((len(texts), self._learner.network.config.hidden_size), np.float32)
        for start in range(0, len(order), _TOGETHER):
            some = order[start : start + _TOGETHER]
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._half):
                vectors[some] = self._learner([texts[place] for place in some]).float().numpy()
        return vectors

    def nearest(self, texts: Sequence[str]) -> tuple[list[list[str]], list[float], list[float]]:
        """For each text: the concepts of the nearest name, its Euclidean distance, the text's own length."""
        queries = self._encoded([simplify(text) for text in texts])
        own = np.square(queries).sum(1)
        places, distances = [], []
        for start in range(0, len(queries), 128):
            away = self._lengths - 2 * queries[start : start + 128] @ self._vectors.T
            places.append(away.argmin(1))
            distances.append(away.min(1) + own[start : start + 128])
        found = np.sqrt(np.maximum(np.concatenate(distances), 0)).tolist()
        return [self.owners[place] for place in np.concatenate(places)], found, np.sqrt(own).tolist()


class Runs:
    """Trainings in two stages, and what the encoders answer."""

    def __init__(self, plan: TransformerPlan) -> None:
        self.plan = plan

    def all(self) -> None:
        """Everything that is not there yet: the learning rate, then for each corpus the encoder as it is, the strategies, NIL."""
        for corpus, seeds in self.plan.seeds.items():
            self.choose()
            self.ask(corpus, UNTRAINED, 0, self.plan.start, {"seconds": 0.0, "steps": 0})
            for seed in range(seeds):
                for name in self.plan.strategies:
                    self.compare(corpus, name, seed)
            if corpus in self.plan.nil.corpora:
                for number in range(self.plan.nil.removals):
                    self.remove(corpus, number)

    # ── training ─────────────────────────────────────────────────────────────────────────────────────────────

    def choose(self) -> None:
        """Learning rates, on a held-out fifth of the first corpus' train documents."""
        plan, corpus = self.plan, next(iter(self.plan.seeds))
        mentions = mentions_of(corpus, "train")
        folds = fold_of([mention.document.id for mention in mentions], folds=5, seed=0)
        golds, texts = golds_of(mentions), expanded_texts(mentions)
        for rate in plan.rates if len(plan.rates) > 1 else ():
            file = plan.file("choice", f"{rate:g}")
            if file.exists():
                continue
            own = [mention for mention, fold in zip(mentions, folds, strict=True) if fold]
            place = plan.work / CORPORA[corpus][2]
            model, _ = self.stage(
                f"choice-{rate:g}",
                own,
                place,
                Strategy(strategy="random"),
                CHOOSING,
                rate,
                plan.start,
                share=0.5,
            )
            held, seen = np.flatnonzero(folds == 0), np.flatnonzero(folds)
            places = held[refined_places([golds[i] for i in held], [golds[i] for i in seen])]
            asked_texts = [texts[i] for i in places]
            found = answers(self.names(model, place), asked_texts)
            right, single = judged([golds[i] for i in places], asked_texts, found, terminology(place))[:2]
            keep(file, {"right": float(right[single].mean()), "n": int(single.sum())})
            say(f"learning rate {rate:g}: {right[single].mean():.3f} of {single.sum()} held out")
            self._forget(model)

    def rate(self) -> float:
        """The one chosen."""
        rates = self.plan.rates
        if len(rates) == 1:
            return rates[0]
        return max(
            rates, key=lambda rate: json.loads(self.plan.file("choice", f"{rate:g}").read_text())["right"]
        )

    def stage(
        self,
        key: str,
        mentions: Sequence[Mention],
        place: Path,
        strategy: Strategy,
        seed: int,
        rate: float,
        start: Path,
        *,
        share: float = 1.0,
    ) -> tuple[Path, dict[str, Any]]:
        """The directory of a model after one stage, and what `finished` tells of it.

        share  of the stage's steps
        """
        plan = self.plan
        runs = plan.folder / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        key = key.replace(" ", "")
        corpus = runs / f"{key}.jsonl"
        if not corpus.exists():
            documents = list({id(m.document): m.document for m in mentions}.values())
            write_corpus(documents, mentions, corpus)
        steps = round(share * plan.steps)
        table = {
            "task": "mentions",
            "output": f"../models/{key}",
            "seed": seed,
            "loop": {
                "steps": steps,
                "warm_up": round(plan.warm_up * steps),
                "evaluate_every": 50,
                "checkpoint_minutes": plan.minutes,
                "precision": plan.precision,
                "threads": torch.get_num_threads(),
            },
            "encoder": {
                "kind": "transformer",
                "name": "dilbert",
                "start": portable(start),
                "dropout": 0.0,
                "learning_rate": rate,
            },
            "objective": {"kind": "name-triplet", "margin": plan.margin},
            "data": {
                "terminology": str(place.absolute()),
                "corpora": [corpus.name],
                "strategy": strategy.strategy,
                "k": strategy.k,
                "nearest": plan.nearest,
                "all_above": True,
                "among": plan.among,
                "triplets": plan.triplets,
                "refresh": steps,
            },
        }
        settings = trained(runs / f"{key}.toml", table)
        for checkpoint in folder_of(settings).glob("*.safetensors"):
            checkpoint.unlink()
        return settings.output, finished(settings)

    def compare(self, corpus: str, name: str, seed: int) -> None:
        """Two stages of one strategy. Resampling goes on from the first stage of `random`."""
        if self.plan.file(corpus, name, seed).exists():
            return
        place, mentions = self.plan.work / CORPORA[corpus][2], mentions_of(corpus, "train")
        wanted = self.plan.strategies[name]
        first = "random" if wanted.strategy.startswith("resampling") else name
        begun, facts = self.stage(
            f"{corpus}-{first}-{seed}-1",
            mentions,
            place,
            self.plan.strategies[first],
            seed,
            self.rate(),
            self.plan.start,
        )
        model, more = self.stage(
            f"{corpus}-{name}-{seed}-2", mentions, place, wanted, seed, self.rate(), begun
        )
        told = {"seconds": facts["seconds"] + more["seconds"], "steps": facts["steps"] + more["steps"]}
        self.ask(corpus, name, seed, model, {**told, "cpu": more["cpu"], "threads": more["threads"]})
        self._forget(model)

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────────────

    def names(self, model: Path, place: Path) -> Names:
        """Names of a terminology as a model has them."""
        learner = TransformerLearner(TransformerSettings(start=model), (), seed=0)
        learner.eval()
        return Names(terminology(place), learner, precision=self.plan.precision)

    def ask(self, corpus: str, name: str, seed: int, model: Path, facts: Mapping[str, Any]) -> None:
        """Keep what a model answers to everything that is asked after training on a corpus."""
        file = self.plan.file(corpus, name, seed)
        if file.exists():
            return
        found, there = {}, {}
        for target in self.plan.transfer[corpus]:
            place = self.plan.work / place_of(target)
            if place not in there:
                there = {
                    place: self.names(model, place)
                }  # one at a time: names of a terminology are up to half a gigabyte
            found[target] = answers(there[place], asked(target).texts)
        keep(file, {"answers": found, **facts})
        say(f"{corpus} {name} {seed}: {facts['seconds']:.0f} s of training, asked")

    def remove(self, corpus: str, number: int) -> None:
        """Take concepts out of the terminology, train without them, and keep what is nearest to the mentions."""
        file = self.plan.file("nil", corpus, number)
        if file.exists():
            return
        made = Removal(self.plan, corpus, number)
        model, begun = made.place, self.plan.start
        for stage in (1, 2):
            begun, _ = self.stage(
                f"nil-{corpus}-{number}-{stage}",
                made.own,
                made.place,
                Strategy(strategy="random"),
                number,
                self.rate(),
                begun,
            )
        model = begun
        names = self.names(model, made.place)
        found = {part: answers(names, some.texts) for part, some in made.parts.items()}
        keep(file, kept_rows(made, found))
        say(f"{corpus} without {len(made.removed)} concepts: asked")
        self._forget(model)

    def _forget(self, model: Path) -> None:
        shutil.rmtree(model)


def write_corpus(documents: Sequence[Any], mentions: Sequence[Mention], path: Path) -> None:
    """The mentions as a corpus that a run file can name: documents with these mentions alone."""
    wanted: dict[int, list[Mention]] = {}
    for mention in mentions:
        wanted.setdefault(id(mention.document), []).append(mention)
    write((document.with_mentions(wanted[id(document)]) for document in documents), path, format="jsonl")


def main(arguments: Iterable[str]) -> None:
    """Everything that is not there yet, then the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "plan", nargs="?", type=Path, default=HERE / "plans/dilbert_transformer.toml", metavar="RUN.toml"
    )
    parser.add_argument("--work", type=Path, help="directory of runs and results, instead of the plan's")
    parser.add_argument("--report", action="store_true", help="train nothing")
    given = parser.parse_args(list(arguments))
    plan = read_settings(given.plan, TransformerPlan)
    experiment = read_settings(plan.experiment, Plan)
    experiment = replace(experiment, work=(given.work or experiment.work).absolute())
    plan = replace(plan, work=experiment.work, results=experiment.results)
    if not given.report:
        experiment.work.mkdir(parents=True, exist_ok=True)
        build(experiment)
        Runs(plan).all()
    from dilbert_transformer_page import page

    plan.results.mkdir(parents=True, exist_ok=True)
    (plan.results / "dilbert-transformer.md").write_text(page(plan, given.plan), encoding="utf-8")
    say(f"written: {plan.results / 'dilbert-transformer.md'}")


if __name__ == "__main__":
    main(sys.argv[1:])
