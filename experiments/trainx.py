"""A bi-encoder of mentions in context and entities with definitions, on open data: TrainX's table 1 (Oberhauser et al. 2020).

    python experiments/trainx.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA says where corpora and terminologies are)

Trains what is not trained yet, goes on where it was stopped, and writes docs/results/trainx.md: exact search, HNSW and BM25,
among the concepts of the corpus and among all of the terminology, for all mentions and for those whose concept training has not
seen; then recognition and linking together. `--report` trains nothing and writes the page of what is done.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to others

import numpy as np
import torch
from progress import say
from result_tables import percent
from trainx_data import (
    AMONG,
    FORMS,
    K,
    Plan,
    Source,
    documents,
    types_of,
    variant,
    write_mentions,
)
from trainx_report import report
from transformer_runs import CHOOSING, check_start, finished, keep, portable, trained

from linnet.encode.two_tower import TwoTowers, load_two_towers
from linnet.evaluate import evaluate
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes, index_terminology
from linnet.retrieve.bm25 import BM25Index
from linnet.retrieve.entities import EntityIndex
from linnet.retrieve.hits import Hits
from linnet.settings_files import read_settings
from linnet.terminology import Terminology
from linnet.train.corpus import LinkedMentions, linked_mentions
from linnet.train.run import read_run
from linnet.train.tasks.dual import split_documents
from linnet.train.tasks.two_tower import NearestEntities
from linnet.types import Mention

HERE = Path(__file__).absolute().parent
THREADS = len(os.sched_getaffinity(0))
# The nearest concept of each recognised mention, and nothing else of linnet.
ALONE = Pipeline(
    retrievers=("entities",),
    recogniser="recogniser",
    glossary=False,
    abbreviations=False,
    spelling=False,
    composites=False,
    reranker=None,
    min_probability=0.0,
    min_probability_recognised=0.0,
    min_score=-1.0,
)


class Remembered:
    """Two towers that encode each entity and each mention once, for several indexes."""

    def __init__(self, towers: TwoTowers) -> None:
        self._towers = towers
        self.name, self.digest, self.dimensions = towers.name, towers.digest, towers.dimensions
        self._entities: dict[tuple[str, str], Any] = {}
        self._mentions: dict[int, Any] = {}  # mentions of different documents may be equal; they stay alive

    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Any:
        """See `TwoTowers`."""
        asked = list(zip(names, definitions, strict=True))
        new = [one for one in dict.fromkeys(asked) if one not in self._entities]
        if new:
            vectors = self._towers.encode_entities([name for name, _ in new], [text for _, text in new])
            self._entities.update(zip(new, vectors, strict=True))
        return np.stack([self._entities[one] for one in asked])

    def encode_mentions(self, some: Sequence[Mention]) -> Any:
        """See `TwoTowers`."""
        new = [mention for mention in some if id(mention) not in self._mentions]
        if new:
            self._mentions.update(zip(map(id, new), self._towers.encode_mentions(new), strict=True))
        return np.stack([self._mentions[id(mention)] for mention in some])


class Runs:
    """One bi-encoder with all that is found with it; what is there already is left alone."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.plan, self.source = plan, Source(plan, name)
        self.name, self.terminology = name, self.source.terminology

    # ── training ─────────────────────────────────────────────────────────────────────────────────────────────

    def model(self, key: str, some: Sequence[Mention], *, seed: int, rate: float, passes: float) -> Path:
        """The directory of a model, trained through a run file as `linnet train` would."""
        wanted = self.plan.training
        place = self.plan.folder / "runs"
        place.mkdir(parents=True, exist_ok=True)
        corpus = place / f"{key}.jsonl"
        if not corpus.exists():
            write_mentions(some, corpus)
        table = {
            "task": "two-tower",
            "output": f"../models/{key}",
            "seed": seed,
            "loop": {
                "passes": passes,
                "warm_up": round(wanted.warm_up * passes / wanted.passes),
                "evaluate_every": 25,
                "checkpoint_minutes": wanted.minutes,
                "precision": wanted.precision,
                "threads": THREADS,
            },
            "encoder": {
                "name": "trainx",
                "start": portable(self.plan.start),
                "max_length": wanted.max_length,
                "learning_rate": rate,
            },
            "data": {
                "corpora": [corpus.name],
                "terminology": str(self.terminology.path.absolute()),
                "mentions": wanted.mentions,
            },
        }
        return trained(place / f"{key}.toml", table).output

    def choose(self) -> None:
        """Training documents held out say how good each learning rate is, where there are several."""
        wanted = self.plan.training
        own, held = split_documents(self.source.train, share=wanted.held_out, seed=0)
        for rate in wanted.rates if len(wanted.rates) > 1 else ():
            file = self.plan.file(self.name, f"{rate:g}", CHOOSING)
            if file.exists():
                continue
            key = f"{self.name}-{rate:g}-{CHOOSING}"
            model = self.model(key, own, seed=CHOOSING, rate=rate, passes=wanted.choosing)
            linked = linked_mentions(held, self.terminology)
            nearest = NearestEntities(self.terminology, linked, concepts=wanted.concepts, seed=0)
            score = nearest(load_two_towers(model, threads=THREADS))["acc@1"]
            keep(file, score=score)
            say(f"{self.name}, learning rate {rate:g}: {percent(score)} held out")

    def do(self, seed: int, rate: float) -> None:
        """One bi-encoder of all training mentions, and what it finds of each dev set."""
        key = f"{self.name}-{seed}"
        model = self.model(key, self.source.train, seed=seed, rate=rate, passes=self.plan.training.passes)
        if not self.plan.file(key).exists():
            settings, _ = read_run(self.plan.folder / "runs" / f"{key}.toml")
            keep(self.plan.file(key), facts=json.dumps(finished(settings)), rate=rate)
        towers = Remembered(load_two_towers(model, threads=THREADS))
        for corpus in self.source.asked:
            self.search(corpus, seed, towers)
        for corpus in self.source.annotated:
            self.annotate(corpus, seed, towers, model)

    # ── retrieval ────────────────────────────────────────────────────────────────────────────────────────────

    def among(self, corpus: str, among: str, form: str) -> Terminology:
        """The concepts to search, in a directory of their own for each form of index."""
        if among == "own":
            return variant(self.terminology, f"{corpus}-own-{form}", rows=self.source.own(corpus))
        if form == "flat":
            return self.terminology
        return variant(self.terminology, "all-hnsw", rows=range(len(self.terminology)))

    def search(self, corpus: str, seed: int, towers: Remembered) -> None:
        """What the bi-encoder finds of one dev set."""
        file = self.plan.file(corpus, "bi-encoder", seed)
        if file.exists():
            return
        found, linked = {}, self.source.dev[corpus]
        for among in AMONG:
            for form, name in FORMS.items():
                here = self.among(corpus, among, form)
                index = EntityIndex.build(here, encoder=towers, form=form, threads=1)
                index.search_mentions(linked.mentions, k=1)  # encodes the mentions
                began = time.process_time()
                hits = index.search_mentions(linked.mentions, k=K)
                found[f"{name}-{among}-ms"] = a_mention(began, linked)
                found[f"{name}-{among}"] = self.places(hits, here, linked)
        keep(file, **found)
        self._say(f"{corpus}, seed {seed}", found)

    def bm25(self) -> None:
        """What BM25 finds of each dev set."""
        for corpus, linked in self.source.dev.items():
            file = self.plan.file(corpus, "bm25")
            if file.exists():
                continue
            found = {}
            for among, rows in (("own", self.source.own(corpus)), ("full", range(len(self.terminology)))):
                for name in ("bm25", "bm25-preferred"):
                    preferred = name == "bm25-preferred"
                    label = f"{corpus if among == 'own' else 'all'}-{among}{'-preferred' * preferred}"
                    here = variant(self.terminology, label, rows=rows, preferred=preferred)
                    index = BM25Index.build(here, threads=1)
                    texts = [mention.text for mention in linked.mentions]
                    began = time.process_time()
                    hits = index.search(texts, k=K)
                    found[f"{name}-{among}-ms"] = a_mention(began, linked)
                    found[f"{name}-{among}"] = self.places(hits, here, linked)
                    if not preferred:
                        hits = index.search(linked.texts, k=K)
                        found[f"bm25-expanded-{among}"] = self.places(hits, here, linked)
            keep(file, **found)
            self._say(corpus, found)

    def places(self, hits: Hits, here: Terminology, linked: LinkedMentions) -> np.ndarray[Any, Any]:
        """(M,) place of the right concept from 1, 0 where it is not among the first K."""
        ids = self.terminology.ids.take(linked.concepts.tolist())
        rows = np.array([here.row(id) for id in ids])
        among = hits.concepts == rows[:, None]
        return np.where(among.any(1), among.argmax(1) + 1, 0)

    def _say(self, what: str, found: dict[str, np.ndarray[Any, Any]]) -> None:
        scores = (f"{name} {percent(float(np.mean(at == 1)))}" for name, at in found.items() if at.ndim)
        say(f"{what}: {', '.join(scores)}")

    # ── recognition and linking together ─────────────────────────────────────────────────────────────────────

    def annotate(self, corpus: str, seed: int, towers: TwoTowers, model: Path) -> None:
        """Annotations of the running text of one dev set, by every index."""
        for among in AMONG:
            for form, name in FORMS.items():
                file = self.plan.file(corpus, "text", f"{name}-{among}", seed)
                if not file.exists():
                    here = self.among(corpus, among, form)
                    EntityIndex.build(here, encoder=towers, form=form, threads=1)
                    self._annotate(file, here, corpus, replace(ALONE, encoder=str(model)))

    def default(self) -> None:
        """What linnet's default makes of the same texts."""
        for corpus in self.source.annotated:
            file = self.plan.file(corpus, "text", "default")
            if not file.exists():
                here = variant(self.terminology, "all-default", rows=range(len(self.terminology)))
                index_terminology(here, threads=THREADS)
                self._annotate(file, here, corpus, Pipeline())

    def _annotate(self, file: Path, here: Terminology, corpus: str, pipeline: Pipeline) -> None:
        build_indexes(here, ("exact",), update=True, threads=1)  # which every recogniser is given
        linker = Linker.open([here.path], pipeline=pipeline, threads=THREADS)
        facts = evaluate(
            linker,
            documents(corpus),
            protocols=["end-to-end"],
            types=types_of(corpus),
            terminologies=[self.terminology],
            corpus=corpus,
        )
        scores = {one.name: [one.value, one.low, one.high] for one in facts.results[0].scores}
        keep(file, scores=json.dumps(scores))
        say(f"{file.stem}: {', '.join(f'{name} {percent(at[0])}' for name, at in scores.items())}")


def a_mention(began: float, linked: LinkedMentions) -> np.ndarray[Any, Any]:
    """Milliseconds of the processor."""
    return np.array(1000 * (time.process_time() - began) / len(linked))


def do_all(plan: Plan) -> None:
    """Everything that is not there yet, one bi-encoder after the other."""
    torch.set_num_threads(THREADS)
    plan.work.mkdir(parents=True, exist_ok=True)
    for name in plan.models:
        plan.check_corpora(name)
    first, *others = (Runs(plan, name) for name in plan.models)
    first.choose()
    rate = plan.rate
    for runs in (first, *others):
        runs.bm25()
        for seed in range(plan.seeds):
            runs.do(seed, rate)
        runs.default()
        keep(plan.file(runs.name, "done", plan.seeds), models=[*plan.models])


def main(arguments: Sequence[str]) -> None:
    """Everything that is not there yet, then the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", nargs="?", default=str(HERE / "plans/trainx.toml"), metavar="RUN.toml")
    parser.add_argument("--work", type=Path, help="directory of runs and results, instead of the plan's")
    parser.add_argument("--report", action="store_true", help="train nothing; write the page of what is done")
    given = parser.parse_args(arguments)
    plan = read_settings(given.plan, Plan)
    plan = replace(plan, work=given.work or plan.work)
    if not plan.start.is_dir():
        raise SystemExit(f"{plan.start} is not there. Run the pip command in {given.plan}.")
    if not given.report:
        check_start(plan.folder, plan.start)
        do_all(plan)
    plan.results.mkdir(parents=True, exist_ok=True)
    (plan.results / "trainx.md").write_text(report(plan, given.plan), encoding="utf-8")
    say(f"written: {plan.results / 'trainx.md'}")


if __name__ == "__main__":
    main(sys.argv[1:])
