"""DILBERT's strategies with a pretrained transformer: triplets, transfer to other corpora and to bare strings, NIL.

    python experiments/dilbert_transformers.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA: corpora and terminologies)

Does the runs that are not done yet, in the order of `Runs.all`, goes on within a run where it was stopped (Ctrl-C or SIGTERM;
after a power cut from the last checkpoint), and writes docs/results/dilbert-transformer.md. What finished runs found is kept in
experiments/results, which the repository has: delete a file there to do its run again. `--work` puts everything else into another
directory than the plan's; `--report` trains nothing and writes the page of the results that are there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

import numpy as np
import torch
from dilbert import Removal, keep, kept_rows
from dilbert_data import (
    CORPORA,
    Plan,
    Strategy,
    asked,
    build,
    fold_of,
    mentions_of,
    place_of,
    terminology,
)
from dilbert_judging import judged, refined_places
from dilbert_names import TransformerNames, answers
from dilbert_transformer_plan import TransformerPlan
from progress import say
from transformer_runs import CHOOSING, RESULTS, check_start, finished, portable, trained

from linnet.corpora import write
from linnet.evaluate.gold import golds_of
from linnet.read.abbreviations import expanded_texts
from linnet.settings_files import read_settings
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings
from linnet.train.run import folder_of
from linnet.types import Mention

HERE = Path(__file__).absolute().parent
UNTRAINED = "untrained"


class Runs:
    """Trainings in two stages, and what the encoders answer."""

    def __init__(self, plan: TransformerPlan) -> None:
        self.plan = plan

    def all(self) -> None:
        """Everything that is not there yet: the learning rate, then for each corpus the encoder as it is, the strategies, NIL."""
        for corpus, seeds in self.plan.seeds.items():
            self.choose()
            self.ask(corpus, UNTRAINED, 0, self.plan.start, {"steps": 0, "seconds": 0.0})
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
        if self._is_kept(self.plan.file(corpus, name, seed), {"targets": list(self.plan.transfer[corpus])}):
            return
        place, mentions = self.plan.work / CORPORA[corpus][2], mentions_of(corpus, "train")
        wanted = self.plan.strategies[name]
        first = "random" if wanted.strategy.startswith("resampling") else name
        begun, facts = self.stage(
            f"{corpus}-{first}-{seed}-1",
            mentions,
            place,
            self.plan.strategies[first],
            _seed(seed, stage=1),
            self.rate(),
            self.plan.start,
        )
        model, more = self.stage(
            f"{corpus}-{name}-{seed}-2",
            mentions,
            place,
            wanted,
            _seed(seed, stage=2),
            self.rate(),
            begun,
        )
        self.ask(corpus, name, seed, model, _together(facts, more))
        self._forget(model)
        if first != "random":  # resampling begins with that of `random`
            self._forget(begun)

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────────────

    def names(self, model: Path, place: Path) -> TransformerNames:
        """Names of a terminology as a model has them."""
        learner = TransformerLearner(TransformerSettings(start=model), (), seed=0)
        return TransformerNames(terminology(place), learner, precision=self.plan.precision)

    def ask(self, corpus: str, name: str, seed: int, model: Path, facts: Mapping[str, Any]) -> None:
        """Keep what a model answers to everything that is asked after training on a corpus."""
        file = self.plan.file(corpus, name, seed)
        targets = self.plan.transfer[corpus]
        if self._is_kept(file, {"targets": list(targets)}):
            return
        found: dict[str, Any] = {}
        # One terminology at a time: its names are up to half a gigabyte.
        for place in dict.fromkeys(map(place_of, targets)):
            names = self.names(model, self.plan.work / place)
            found |= {
                target: _concepts(answers(names, asked(target).texts))
                for target in targets
                if place_of(target) == place
            }
            del names
        keep(file, {"answers": found, "of": {"targets": list(targets)}, **facts})
        say(f"{corpus} {name} {seed}: {facts['seconds']:.0f} s of training, asked")

    def remove(self, corpus: str, number: int) -> None:
        """Take concepts out of the terminology, train without them, and keep what is nearest to the mentions."""
        file, gone = self.plan.file("nil", corpus, number), self.plan.nil
        settings = {"removed": gone.removed, "held_out": gone.held_out}
        if self._is_kept(file, settings):
            return
        made = Removal(self.plan, corpus, number)
        models, facts = [self.plan.start], []
        for stage in (1, 2):
            model, stage_facts = self.stage(
                f"nil-{corpus}-{number}-{made.key}-{stage}",
                made.own,
                made.place,
                Strategy(strategy="random"),
                _seed(number, stage=stage),
                self.rate(),
                models[-1],
            )
            models.append(model)
            facts.append(stage_facts)
        names = self.names(models[-1], made.place)
        found = {part: answers(names, some.texts) for part, some in made.parts.items()}
        keep(file, {**kept_rows(made, found), "of": settings, **_together(*facts)})
        say(f"{corpus} without {len(made.removed)} concepts: asked")
        for model in models[1:]:
            self._forget(model)

    def _is_kept(self, file: Path, settings: Mapping[str, Any]) -> bool:
        """Whether a result is there. Ends the program if it is of other settings, which its folder is not named for."""
        if not file.exists():
            return False
        before = json.loads(file.read_text(encoding="utf-8")).get("of", settings)
        if before != settings:
            raise SystemExit(
                f"{file} was made with {before}; the plan has {dict(settings)}. Change the plan back, "
                "or remove the file, and it is made again."
            )
        return True

    def _forget(self, model: Path) -> None:
        shutil.rmtree(model)


def _seed(number: int, *, stage: int) -> int:
    """Of a run file: with the same seed, the second stage would draw the triplets of the first once more."""
    return 2 * number + stage - 1


def _together(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Steps, seconds and sessions of both stages, and what the second ran on."""
    sums = {name: first[name] + second[name] for name in ("steps", "seconds", "sessions")}
    return {**sums, **{name: second[name] for name in ("cpu", "threads", "gpu") if name in second}}


def _concepts(found: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """Of each distinct text, in order, the concepts found for the whole and for its parts: what is kept has no text of others."""
    return [[answer["whole"], answer["parts"]] for answer in found.values()]


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
    parser.add_argument("--work", type=Path, help="directory of runs, instead of the plan's")
    parser.add_argument("--report", action="store_true", help="train nothing")
    given = parser.parse_args(list(arguments))
    plan = read_settings(given.plan, TransformerPlan)
    experiment = read_settings(plan.experiment, Plan)
    experiment = replace(experiment, work=(given.work or experiment.work).absolute())
    plan = replace(plan, work=experiment.work, results=experiment.results, kept=RESULTS)
    if not given.report:
        experiment.work.mkdir(parents=True, exist_ok=True)
        build(experiment)
        check_start(plan.file("start").parent, plan.start)
        Runs(plan).all()
    from dilbert_transformer_page import page

    plan.results.mkdir(parents=True, exist_ok=True)
    (plan.results / "dilbert-transformer.md").write_text(page(plan, given.plan), encoding="utf-8")
    say(f"written: {plan.results / 'dilbert-transformer.md'}")


if __name__ == "__main__":
    main(sys.argv[1:])
