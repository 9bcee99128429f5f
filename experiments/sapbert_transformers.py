"""Self-alignment of a pretrained transformer: one pass over open names, a sample for what is compared, and fine-tuning.

    python experiments/sapbert_transformers.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA: corpora and terminologies)

Does the runs of SapBERT's tables 1, 2 and 6 with a transformer that are not done yet, in the order of `Transformer.order`, goes on
within a run where it was stopped (Ctrl-C or SIGTERM; after a power cut from the last checkpoint), and writes
docs/results/sapbert-transformer.md. What finished runs found is kept in experiments/results, which the repository has: delete a
file there to do its run again. The weights of the pass stay in the work directory for fine-tuning; where they are gone, the pass
is trained again, but only if a run that starts from them is missing. `--work` puts everything but results into another directory
than the plan's; `--report` trains nothing and writes the page of the results that are there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

import numpy as np
from progress import say
from sapbert import read_plan
from sapbert_corpora import ROOT, Corpora
from sapbert_run_files import alignment, fine_tuning, masked, sample_name
from sapbert_transformer_plan import (
    ADAPTERS,
    BASE,
    MASKED,
    MASKED_SAMPLE,
    PASS,
    Alignment,
    FineTuning,
    Masked,
    Run,
    Transformer,
)
from transformer_runs import DEVICE, RESULTS, check_start, finished, keep, portable, remembering, trained

from linnet.artifact import digest
from linnet.terminology import Terminology, write_terminology
from linnet.train.learners.adapters import adapter_parameters
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings
from linnet.train.run import folder_of
from linnet.train.task import RunSettings
from linnet.train.validation import NearestNames

HERE = Path(__file__).absolute().parent
WITH_TRAIN = "-with-train"
"""Ends the key of ranks among the names of the terminology and the training mentions."""
COSTLY = "-costly"
"""Ends the key of the ranks of costly corpora, which only a few runs have, in a file of their own."""


class Runs:
    """Runs and their results: the ranks of the right concepts of dev mentions, from 1, among all names."""

    def __init__(self, plan: Transformer, work: Path, corpora: Corpora, results: Path | None = None) -> None:
        """
        work     directory of runs, which may be used again from another copy of this tree; results: directory that keeps their
                 numbers, else `work`
        """
        self.plan, self.corpora = plan, corpora
        key = digest(json.dumps(plan.shared(), sort_keys=True))[:8]
        self.folder = (work / f"transformers-{key}").absolute()
        self.results = self.folder if results is None else results / f"sapbert-{key}"

    def all(self) -> None:
        """Everything that is not there yet, in the order of the plan."""
        self.base()
        for name, seed in self.plan.order():
            for choice in () if name in self.plan.fine_tunings else self.plan.choices(_kind(name)):
                self.do(choice)
            self.do(self.planned(name, seed))
            if name == PASS:
                self.score_costly(PASS)

    def planned(self, name: str, seed: int = 0) -> Run:
        """A run of the tables."""
        if name in self.plan.fine_tunings:
            return replace(self.plan.fine_tunings[name], seed=seed)
        if name == MASKED and self.plan.masked:
            return Masked(self.plan.masked.passes, self.plan.masked.rate, seed)
        return self.plan.alignment(name, seed, self.rate(_kind(name)))

    def rate(self, kind: str) -> float:
        """The learning rate with the best mean Acc@1 on the training mentions; the first while not all have been tried."""
        choices, rates = self.plan.choices(kind), self.plan.rates[kind]
        if not all(self.done(choice.key) for choice in choices):
            choices = []
        right = [
            np.mean([np.mean(own == 1) for own in self.ranks(choice.key).values()]) for choice in choices
        ]
        best: float = rates[int(np.argmax(right))] if right else rates[0]
        return best

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────────

    def file(self, key: str) -> Path:
        """Where a result lies."""
        return self.results / f"{key}.npz"

    def done(self, key: str) -> bool:
        """Whether it is there."""
        return self.file(key).exists()

    def key(self, name: str, seed: int = 0) -> str:
        """Of a run of the tables, or of `BASE`."""
        return BASE if name == BASE else self.planned(name, seed).key

    def ranks(self, key: str) -> dict[str, Any]:
        """Corpus, or corpus and `WITH_TRAIN` → (M,) rank of each mention's concept."""
        ranks = {}
        for file in (self.file(key), self.file(key + COSTLY)):
            if file.exists():
                with np.load(file) as kept:
                    ranks.update({name: kept[name] for name in kept.files if name != "facts"})
        return ranks

    def facts(self, key: str) -> dict[str, Any]:
        """`learnt` and all `parameters`; of a run also what `finished` tells; `weights`, `start_weights`: digests."""
        with np.load(self.file(key)) as kept:
            facts: dict[str, Any] = json.loads(str(kept["facts"]))
        return facts

    def _corpora(self, key: str) -> list[str]:
        """The corpora that a run is scored on."""
        own = [run.corpus for run in self.plan.fine_tunings.values() if run.key == key]
        if key.endswith(COSTLY):
            return [name for name, corpus in self.corpora.given.items() if corpus.costly]
        return [name for name, corpus in self.corpora.given.items() if not corpus.costly or name in own]

    def _questions(self, corpora: Iterable[str], part: str) -> dict[str, NearestNames]:
        if part == "train":  # for the learning rate of self-alignment, which never sees patients' phrases
            diseases = [key for key in corpora if self.corpora.given[key].names == "medic"]
            return {key: self.corpora.nearest(key, "train") for key in diseases}
        plain = {key: self.corpora.nearest(key, "dev") for key in corpora}
        return plain | {key + WITH_TRAIN: self.corpora.nearest(key, "dev", with_train=True) for key in plain}

    def _score(self, key: str, learner: TransformerLearner, part: str, facts: Mapping[str, Any]) -> None:
        learner.eval().to(DEVICE)
        learnt = adapter_parameters(learner) or list(learner.parameters())
        counts = [sum(p.numel() for p in some) for some in (learnt, learner.parameters())]
        encode = remembering(learner)
        questions = self._questions(self._corpora(key), part)
        ranks = {name: nearest.ranks(encode) for name, nearest in questions.items()}
        for name, own in ranks.items():
            plain = ranks[name.removesuffix(WITH_TRAIN)]
            assert len(own) == len(plain), (
                f"{name} has {len(own):,} mentions, without the names of train {len(plain):,}"
            )
        kept = {name: np.minimum(own, 65535).astype(np.uint16) for name, own in ranks.items()}
        numbers = {**facts, "learnt": counts[0], "parameters": counts[1]}
        keep(self.file(key), facts=json.dumps(numbers), **kept)
        scores = ", ".join(f"{name} {100 * np.mean(own == 1):.1f}" for name, own in ranks.items())
        say(f"{key}: {scores} ({part})")

    # ── one run ──────────────────────────────────────────────────────────────────────────────────────────────

    def base(self) -> None:
        """Score the transformer as it is."""
        if not self.done(BASE):
            learner = TransformerLearner(TransformerSettings(start=self.plan.start), (), seed=0)
            self._score(BASE, learner, "dev", {})
        self.score_costly(BASE)

    def score_costly(self, name: str) -> None:
        """Score the transformer as it is, or the pass, on the costly corpora too."""
        key = self.key(name) + COSTLY
        if not self.done(key) and self._corpora(key):
            start = self.plan.start if name == BASE else self._model(name)
            facts = {} if name == BASE else {"weights": weights_of(start)}
            learner = TransformerLearner(TransformerSettings(start=start), (), seed=0)
            self._score(key, learner, "dev", facts)

    def do(self, wanted: Run) -> None:
        """Train, or go on training, and score, unless the result is there."""
        if self.done(wanted.key):
            return
        more: dict[str, Any] = {}
        if start := self._start(wanted):
            more["start_weights"] = weights_of(self._model(start))
        settings = self._train(wanted)
        if wanted.name in (PASS, MASKED):
            more["weights"] = weights_of(settings.output)
        learner = TransformerLearner(TransformerSettings(start=settings.output), (), seed=0)
        self._score(wanted.key, learner, wanted.part, {**finished(settings), **more})
        # A checkpoint and a model are 600 MB; those fine-tuned on AskAPatient have learnt names that are not open.
        if wanted.name not in (PASS, MASKED):
            shutil.rmtree(settings.output)
            for checkpoint in folder_of(settings).glob("*.safetensors"):
                checkpoint.unlink()

    def _start(self, wanted: Run) -> str | None:
        """The run whose model a run starts from; None for the transformer as it is."""
        if isinstance(wanted, FineTuning) and wanted.start == PASS:
            return PASS
        return MASKED if wanted.name == MASKED_SAMPLE else None

    def _model(self, name: str) -> Path:
        """The model of a run that others start from, which is trained again if its weights are gone."""
        wanted = self.planned(name)
        self.do(wanted)
        if not (self.folder / "models" / wanted.key / "model.toml").is_file():
            say(
                f"{wanted.key}: the result is kept, but the weights that another run starts from are not here"
            )
        return self._train(wanted).output

    def _train(self, wanted: Run) -> RunSettings:
        runs, before = self.folder / "runs", self._start(wanted)
        start = portable(self.plan.start) if before is None else f"../models/{self.key(before)}"
        if isinstance(wanted, Alignment):
            if wanted.name != PASS:
                self._draw_sample(wanted.share)
            table = alignment(self.plan, wanted, start=start)
        elif isinstance(wanted, Masked):
            assert self.plan.masked is not None
            table = masked(self.plan, wanted, self.plan.masked)
        else:
            terminology = self.corpora.terminology(wanted.corpus).path
            table = fine_tuning(
                self.plan,
                wanted,
                start=start,
                terminology=os.path.relpath(terminology, runs),
                data=self.corpora.training_data(wanted.corpus),
            )
        return trained(runs / f"{wanted.key}.toml", table)

    def _draw_sample(self, share: float) -> None:
        """Write a terminology of the drawn concepts, the same for all runs."""
        place = self.folder / sample_name(share)
        if place.is_dir():
            return
        rng = np.random.default_rng(0)
        concepts = [
            terminology[id]
            for terminology in map(Terminology.open, self.plan.terminologies)
            for id in terminology.ids.take(range(len(terminology)))
            if rng.random() < share
        ]
        write_terminology(concepts, place, sources=[{"path": path.name} for path in self.plan.terminologies])


def _kind(name: str) -> str:
    """Of a learning rate."""
    return "adapters" if name in ADAPTERS else "full"


def weights_of(model: Path) -> str:
    """Digest of a model's weights."""
    return digest(model / "model.safetensors")


def main(arguments: Iterable[str]) -> None:
    """Everything that is not there yet, then the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", nargs="?", type=Path, default=HERE / "plans/sapbert.toml", metavar="RUN.toml")
    parser.add_argument("--work", type=Path, help="directory of runs, instead of the plan's")
    parser.add_argument("--report", action="store_true", help="train nothing")
    given = parser.parse_args(list(arguments))
    experiment = read_plan(given.plan, work=given.work)
    plan = experiment.transformer
    runs = Runs(plan, experiment.work, Corpora(experiment.work), RESULTS)
    needed = [ROOT / corpus.names for corpus in runs.corpora.given.values() if isinstance(corpus.names, Path)]
    for place in needed if given.report else [plan.start, *plan.terminologies, *needed]:
        if not place.is_dir():
            raise SystemExit(f"{place} is not there. Run the commands in {given.plan}.")
    if not given.report:
        check_start(runs.results, plan.start)
        runs.all()
    from sapbert_transformer_page import page

    place = experiment.results / "sapbert-transformer.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(page(runs, given.plan), encoding="utf-8")
    say(f"written: {place}")


if __name__ == "__main__":
    main(sys.argv[1:])
