"""The runs of `sapbert_transformers.py`, and the ranks of the right concepts of dev mentions that they leave."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from harness import Kept, say
from sapbert_corpora import Corpora
from sapbert_frame import WITH_TRAIN
from sapbert_plan import ADAPTERS, BASE, MASKED, PASS, Run, Transformer, sample_name
from transformer_runs import DEVICE, finished, forget, portable, remembering, run_table, trained

from linnet.io.artifact import digest
from linnet.terminology import Terminology, write_terminology
from linnet.train.learners.adapters import adapter_parameters
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings
from linnet.train.task import RunSettings
from linnet.train.validation import NearestNames

__all__ = ["COSTLY", "Runs"]

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
        self.kept = Kept(self.folder if results is None else results / f"sapbert-{key}")

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
            return self.plan.on_texts(self.plan.masked)
        return self.plan.alignment(name, self.rate(_kind(name)), seed)

    def rate(self, kind: str) -> float:
        """The learning rate with the best mean Acc@1 on the training mentions; the first while not all have been tried."""
        choices, rates = self.plan.choices(kind), self.plan.rates[kind]
        if not all(self.kept.has(choice.key) for choice in choices):
            choices = []
        right = [
            np.mean([np.mean(own == 1) for own in self.ranks(choice.key).values()]) for choice in choices
        ]
        best: float = rates[int(np.argmax(right))] if right else rates[0]
        return best

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────────

    def key(self, name: str, seed: int = 0) -> str:
        """Of a run of the tables, or of `BASE`."""
        return BASE if name == BASE else self.planned(name, seed).key

    def ranks(self, key: str) -> dict[str, Any]:
        """Corpus, or corpus and `WITH_TRAIN` → (M,) rank of each mention's concept."""
        there = [part for part in (key, key + COSTLY) if self.kept.has(part)]
        return {name: own for part in there for name, own in self.kept.arrays(part).items()}

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

    def _score(self, key: str, start: Path, facts: Mapping[str, Any], *, part: str = "dev") -> None:
        """Keep the ranks of a transformer, and as facts `learnt` and all `parameters`, besides those given."""
        learner = TransformerLearner(TransformerSettings(start=start), (), seed=0).eval().to(DEVICE)
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
        narrow = {name: np.minimum(own, 65535).astype(np.uint16) for name, own in ranks.items()}
        self.kept.keep(key, facts={**facts, "learnt": counts[0], "parameters": counts[1]}, **narrow)
        scores = ", ".join(f"{name} {100 * np.mean(own == 1):.1f}" for name, own in ranks.items())
        say(f"{key}: {scores} ({part})")

    # ── one run ──────────────────────────────────────────────────────────────────────────────────────────────

    def base(self) -> None:
        """Score the transformer as it is."""
        if not self.kept.has(BASE):
            self._score(BASE, self.plan.start, {})
        self.score_costly(BASE)

    def score_costly(self, name: str) -> None:
        """Score the transformer as it is, or the pass, on the costly corpora too."""
        key = self.key(name) + COSTLY
        if not self.kept.has(key) and self._corpora(key):
            start = self.plan.start if name == BASE else self._model(name)
            self._score(key, start, {} if name == BASE else {"weights": weights_of(start)})

    def do(self, wanted: Run) -> None:
        """Train, or go on training, and score, unless the result is there. Models that no run starts from are removed."""
        if self.kept.has(wanted.key):
            return
        more: dict[str, Any] = {}
        if wanted.start:
            more["start_weights"] = weights_of(self._model(wanted.start))
        settings = self._train(wanted)
        others_start = wanted.name in (PASS, MASKED)
        if others_start:
            more["weights"] = weights_of(settings.output)
        self._score(wanted.key, settings.output, {**finished(settings), **more}, part=wanted.part)
        if not others_start:  # those fine-tuned on AskAPatient have learnt names that are not open
            forget(settings)

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
        plan, runs, table = self.plan, self.folder / "runs", dict(wanted.table)
        if wanted.corpus:
            terminology = os.path.relpath(self.corpora.terminology(wanted.corpus).path, runs)
            table["data"] = {
                "terminology": terminology,
                **self.corpora.training_data(wanted.corpus),
                **table["data"],
            }
        elif wanted.name not in (PASS, MASKED):
            self._draw_sample(plan.sample)
        encoder = {
            "kind": "transformer",
            "name": "minilm-synonyms",
            "start": f"../models/{self.key(wanted.start)}" if wanted.start else portable(plan.start),
            "dropout": plan.dropout,
            "learning_rate": wanted.rate,
            **table.pop("encoder", {}),
        }
        loop = {"passes": wanted.passes, "warm_up": plan.warm_up}
        made = run_table(plan, wanted.key, seed=wanted.seed, loop=loop, encoder=encoder, **table)
        return trained(runs / f"{wanted.key}.toml", made)

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
