"""Self-alignment of a pretrained transformer: one pass over open names, and a sample for what is compared.

    python experiments/sapbert_transformers.py [RUN.toml] [--work DIR]      (LINNET_DATA says where the corpora are)

Does the runs of SapBERT's tables 1, 2 and 6 with a transformer that are not done yet, in the order of `Runs.all`, and goes on
within a run where it was stopped (Ctrl-C or SIGTERM; after a power cut from the last checkpoint). `--work` puts everything
into another directory than the plan's, for example on a disk that outlives this tree. `sapbert.py` writes the page.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

import numpy as np
import torch
from transformer_runs import CHOOSING, finished, keep, portable, remembering, say, trained

from linnet.artifact import digest
from linnet.terminology import Terminology, write_terminology
from linnet.train.learners.adapters import adapter_parameters
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings
from linnet.train.run import folder_of
from linnet.train.validation import NearestNames

HERE = Path(__file__).absolute().parent
BASE, PASS = "base", "pass"
ADAPTERS: dict[str, dict[str, Any]] = {
    f"{kind}-{size}": {"adapters": {"kind": kind, "size": size}}
    for kind in ("pfeiffer", "houlsby")
    for size in ("large", "small")
}
Questions = Callable[[str], Mapping[str, NearestNames]]
"""Mentions of "train" or "dev", by corpus."""


@dataclass(frozen=True, kw_only=True)
class Transformer:
    """The section `[transformer]`.

    start          directory of the transformer
    terminologies  whose names are learnt; a pass has each name of a concept with several names in one pair
    passes         of the main run
    sample         share of the concepts, drawn once, whose names the other runs learn in one pass
    pairs, hard, refresh, precision, dropout
                   keys of the run file
    rates          learning rates to choose from, of full training and of adapters
    seeds          of mining on and off; one of the rest
    objectives     besides multi-similarity
    adapters       keys of `ADAPTERS`
    minutes        between checkpoints
    """

    start: Path
    terminologies: tuple[Path, ...]
    passes: float
    sample: float
    pairs: int
    hard: float
    refresh: int
    precision: str
    dropout: float
    warm_up: int
    rates: Mapping[str, Any]
    seeds: int
    objectives: tuple[str, ...]
    adapters: tuple[str, ...]
    minutes: float


@dataclass(frozen=True)
class Run:
    """One training run. `part` is what it is scored on: "train" mentions for a choice, "dev" otherwise."""

    name: str
    seed: int
    rate: float
    objective: Mapping[str, Any]
    encoder: Mapping[str, Any]
    hard: float
    part: str = "dev"

    @property
    def key(self) -> str:
        """Of its files."""
        return f"{self.name}-{self.rate:g}-{self.seed}"


class Runs:
    """Runs and their results: the ranks of the right concepts, from 1, among all names of MEDIC."""

    def __init__(self, plan: Transformer, work: Path, questions: Questions) -> None:
        """work: directory of runs and results, which may be used again from another copy of this tree"""
        self.plan, self._questions = plan, questions
        settings = {**asdict(plan), "start": plan.start.name, "seeds": 0, "minutes": 0}
        settings["terminologies"] = [path.name for path in plan.terminologies]
        self.folder = (work / f"transformers-{digest(json.dumps(settings, sort_keys=True))[:8]}").absolute()

    def all(self) -> None:
        """Everything that is not there yet: the choice of learning rates, the pass, what is compared."""
        self.base()
        for kind, name in (("full", "mining-on"), ("adapters", self.plan.adapters[0])):
            for rate in self.plan.rates[kind] if len(self.plan.rates[kind]) > 1 else ():
                self.do(replace(self._planned(name, CHOOSING), rate=rate, part="train"))
        self.do(self._planned(PASS, 0))
        compared = self.compared()
        for seed in range(max(compared.values())):  # one of each first
            for name in (name for name, seeds in compared.items() if seed < seeds):
                self.do(self._planned(name, seed))

    def compared(self) -> dict[str, int]:
        """Name → seeds of the runs on the sample."""
        rest = ["neighbours-off", *self.plan.objectives, *self.plan.adapters]
        return {"mining-on": self.plan.seeds, "mining-off": self.plan.seeds, **dict.fromkeys(rest, 1)}

    def _planned(self, name: str, seed: int) -> Run:
        kind = name if name in self.plan.objectives else "multi-similarity"
        return Run(
            name,
            seed,
            self.rate("adapters" if name in ADAPTERS else "full"),
            {"kind": kind, "mining": name != "mining-off"},
            ADAPTERS.get(name, {}),
            0.0 if name == "neighbours-off" else self.plan.hard,
        )

    def rate(self, kind: str) -> float:
        """The learning rate with the best mean Acc@1 on the training mentions of both corpora."""
        rates: Sequence[float] = self.plan.rates[kind]
        name = "mining-on" if kind == "full" else self.plan.adapters[0]
        if len(rates) == 1:
            return rates[0]
        scores = {}
        for rate in rates:
            file = self._file(f"{name}-{rate:g}-{CHOOSING}")
            if not file.exists():  # not chosen yet: the caller tries all
                return rates[0]
            ranks = np.load(file)
            scores[rate] = np.mean([np.mean(ranks[corpus] == 1) for corpus in self._questions("train")])
        return max(scores, key=scores.__getitem__)

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.npz"

    def result(self, name: str, seed: int = 0) -> dict[str, Any]:
        """Ranks by corpus, and `facts`: parameters learnt and in all, steps, seconds, processor, final loss."""
        key = BASE if name == BASE else self._planned(name, seed).key
        with np.load(self._file(key)) as kept:
            return {
                **{k: kept[k] for k in kept.files if k != "facts"},
                "facts": json.loads(str(kept["facts"])),
            }

    # ── one run ──────────────────────────────────────────────────────────────────────────────────────────────

    def base(self) -> None:
        """Score the transformer as it is."""
        if not self._file(BASE).exists():
            learner = TransformerLearner(TransformerSettings(start=self.plan.start), (), seed=0)
            self._score(BASE, learner, "dev", {})

    def do(self, wanted: Run) -> None:
        """Train, or go on training, and score, unless the result is there."""
        if self._file(wanted.key).exists():
            return
        settings = trained(self.folder / "runs" / f"{wanted.key}.toml", self._table(wanted))
        learner = TransformerLearner(TransformerSettings(start=settings.output), (), seed=0)
        self._score(wanted.key, learner, wanted.part, finished(settings))
        if wanted.name != PASS:  # a checkpoint and a model are 600 MB
            shutil.rmtree(settings.output)
            for checkpoint in folder_of(settings).glob("*.safetensors"):
                checkpoint.unlink()

    def _table(self, wanted: Run) -> dict[str, Any]:
        plan = self.plan
        whole = wanted.name == PASS
        if not whole:
            self._draw_sample()
        return {
            "task": "synonyms",
            "output": f"../models/{wanted.key}",
            "seed": wanted.seed,
            "loop": {
                "passes": plan.passes if whole else 1.0,
                "warm_up": plan.warm_up,
                "evaluate_every": 50,
                "checkpoint_minutes": plan.minutes,
                "precision": plan.precision,
                "threads": torch.get_num_threads(),
            },
            "encoder": {
                "kind": "transformer",
                "name": "minilm-synonyms",
                "start": portable(plan.start),
                "dropout": plan.dropout,
                "learning_rate": wanted.rate,
                **wanted.encoder,
            },
            "objective": dict(wanted.objective),
            "data": {
                "terminologies": list(map(portable, plan.terminologies)) if whole else ["../sample"],
                "pairing": "once",
                "pairs": plan.pairs,
                "hard": wanted.hard,
                "refresh": plan.refresh,
            },
        }

    def _draw_sample(self) -> None:
        """Write a terminology of the drawn concepts, the same for all runs."""
        place = self.folder / "sample"
        if place.is_dir():
            return
        rng = np.random.default_rng(0)
        concepts = [
            terminology[id]
            for terminology in map(Terminology.open, self.plan.terminologies)
            for id in terminology.ids.take(range(len(terminology)))
            if rng.random() < self.plan.sample
        ]
        write_terminology(concepts, place, sources=[{"path": path.name} for path in self.plan.terminologies])

    def _score(self, key: str, learner: TransformerLearner, part: str, facts: Mapping[str, Any]) -> None:
        learner.eval()
        learnt = adapter_parameters(learner) or list(learner.parameters())
        counts = [sum(p.numel() for p in some) for some in (learnt, learner.parameters())]
        questions = self._questions(part)
        encode = remembering(learner)
        ranks = {corpus: nearest.ranks(encode) for corpus, nearest in questions.items()}
        told = {**facts, "learnt": counts[0], "parameters": counts[1]}
        keep(self._file(key), facts=json.dumps(told), **ranks)
        scores = ", ".join(f"{corpus} {100 * np.mean(own == 1):.1f}" for corpus, own in ranks.items())
        say(f"{key}: {scores} ({part})")


def arguments_of(description: str | None, arguments: Iterable[str]) -> argparse.Namespace:
    """`plan`, a run file, and `work`, a directory or None."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", nargs="?", default=str(HERE / "plans/sapbert.toml"), metavar="RUN.toml")
    parser.add_argument("--work", type=Path, help="directory of runs and results, instead of the plan's")
    return parser.parse_args(list(arguments))


def main(arguments: Iterable[str]) -> None:
    """All runs, without the page."""
    from sapbert import Experiment, read_plan

    given = arguments_of(__doc__, arguments)
    Experiment(read_plan(given.plan, work=given.work)).transformers.all()


if __name__ == "__main__":
    main(sys.argv[1:])
