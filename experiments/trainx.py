"""A bi-encoder of mentions in context and entities with definitions, on open data: TrainX's table 1 (Oberhauser et al. 2020).

    python experiments/trainx.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA says where corpora and terminologies are)

Trains what is not trained yet, goes on where it was stopped, and writes docs/results/trainx.md: exact search, HNSW and BM25,
among the concepts of the corpus and among all of the terminology, for all mentions and for those whose concept training has not
seen; then recognition and linking together. `--report` trains nothing and writes the page of what is done.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to others

import numpy as np
import torch
from harness import CHOOSING, DATA, execute, say
from paper_corpora import file_of, types_of
from result_tables import percent
from trainx_data import PLAN, Plan, Source, variant, write_mentions
from trainx_tables import FORMS, K, Tables
from transformer_runs import check_start, finished, portable, remembering, run_table, trained

from linnet.corpora import read as read_corpus
from linnet.encode.two_tower import TwoTowers, load_two_towers
from linnet.evaluate import evaluate
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes, index_terminology
from linnet.retrieve.bm25 import BM25Index
from linnet.retrieve.entities import EntityIndex
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology
from linnet.train.corpus import LinkedMentions, linked_mentions
from linnet.train.task import RunSettings
from linnet.train.tasks.dual import split_documents
from linnet.train.tasks.two_tower import NearestEntities
from linnet.types import Document, Mention

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
        self.name, self.digest, self.dimensions = towers.name, towers.digest, towers.dimensions
        self._entities = remembering(
            lambda pairs: towers.encode_entities(*map(list, zip(*pairs, strict=True)))
        )
        # Mentions of different documents may be equal; they stay alive.
        self.encode_mentions = remembering(towers.encode_mentions, key=id)

    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Any:
        """See `TwoTowers`."""
        return self._entities(list(zip(names, definitions, strict=True)))


class Runs:
    """One bi-encoder with all that is found with it; what is there already is left alone."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.plan, self.kept, self.source = plan, plan.kept, Source(plan, name)
        self.name, self.terminology = name, self.source.terminology

    # ── training ─────────────────────────────────────────────────────────────────────────────────────────────

    def model(
        self, key: str, some: Sequence[Mention], *, seed: int, rate: float, passes: float
    ) -> RunSettings:
        """The settings of a model that is trained, through a run file as `linnet train` would."""
        wanted, place = self.plan.training, self.plan.kept.folder / "runs"
        place.mkdir(parents=True, exist_ok=True)
        corpus = place / f"{key}.jsonl"
        if not corpus.exists():
            write_mentions(some, corpus)
        loop = {
            "passes": passes,
            "warm_up": round(wanted.warm_up * passes / wanted.passes),
            "evaluate_every": 25,
        }
        encoder = {
            "name": "trainx",
            "start": portable(self.plan.start),
            "max_length": wanted.max_length,
            "learning_rate": rate,
        }
        data = {
            "corpora": [corpus.name],
            "terminology": str(self.terminology.path.absolute()),
            "mentions": wanted.mentions,
        }
        table = run_table(wanted, key, task="two-tower", seed=seed, loop=loop, encoder=encoder, data=data)
        return trained(place / f"{key}.toml", table)

    def choose(self) -> None:
        """Training documents held out say how good each learning rate is, where there are several."""
        wanted = self.plan.training
        own, held = split_documents(self.source.train, share=wanted.held_out, seed=0)
        for rate in wanted.rates if len(wanted.rates) > 1 else ():
            parts = (self.name, f"{rate:g}", CHOOSING)
            if not self.kept.has(*parts):
                key = "-".join(map(str, parts))
                model = self.model(key, own, seed=CHOOSING, rate=rate, passes=wanted.choosing).output
                linked = linked_mentions(held, self.terminology)
                nearest = NearestEntities(self.terminology, linked, concepts=wanted.concepts, seed=0)
                score = nearest(load_two_towers(model, threads=THREADS))["acc@1"]
                self.kept.keep(*parts, facts={"score": score})
                say(f"{self.name}, learning rate {rate:g}: {percent(score)} held out")

    def do(self, seed: int, rate: float) -> None:
        """One bi-encoder of all training mentions, and what it finds of each dev set."""
        passes = self.plan.training.passes
        settings = self.model(f"{self.name}-{seed}", self.source.train, seed=seed, rate=rate, passes=passes)
        if not self.kept.has(self.name, seed):
            self.kept.keep(self.name, seed, facts={**finished(settings), "rate": rate})
        towers = Remembered(load_two_towers(settings.output, threads=THREADS))
        for corpus in self.source.asked:
            self.search(corpus, seed, towers)
        for corpus in self.source.annotated:
            self.annotate(corpus, seed, towers, settings.output)

    # ── retrieval ────────────────────────────────────────────────────────────────────────────────────────────

    def among(self, corpus: str) -> Iterator[tuple[str, str, Terminology]]:
        """What is searched, the form of index, and the concepts in a directory of their own."""
        rows = range(len(self.terminology))
        for form in FORMS:
            here = variant(self.terminology, f"{corpus}-own-{form}", rows=self.source.own(corpus))
            yield "own", form, here
        yield "full", "flat", self.terminology
        yield "full", "hnsw", variant(self.terminology, "all-hnsw", rows=rows)

    def search(self, corpus: str, seed: int, towers: Remembered) -> None:
        """What the bi-encoder finds of one dev set."""
        if self.kept.has(corpus, "bi-encoder", seed):
            return
        found, took, linked = {}, {}, self.source.dev[corpus]
        for among, form, here in self.among(corpus):
            index = EntityIndex.build(here, encoder=towers, form=form, threads=1)
            index.search_mentions(linked.mentions, k=1)  # encodes the mentions
            key = f"{FORMS[form]}-{among}"
            hits, took[key] = timed(index.search_mentions, linked.mentions)
            found[key] = self.places(hits, here, linked)
        self.kept.keep(corpus, "bi-encoder", seed, facts=took, **found)
        say_scores(f"{corpus}, seed {seed}", found)

    def bm25(self) -> None:
        """What BM25 finds of each dev set."""
        for corpus, linked in self.source.dev.items():
            if self.kept.has(corpus, "bm25"):
                continue
            found, took = {}, {}
            texts = [mention.text for mention in linked.mentions]
            for among, rows in (("own", self.source.own(corpus)), ("full", range(len(self.terminology)))):
                for name in ("bm25", "bm25-preferred"):
                    preferred, key = name == "bm25-preferred", f"{name}-{among}"
                    label = f"{corpus if among == 'own' else 'all'}-{among}{'-preferred' * preferred}"
                    here = variant(self.terminology, label, rows=rows, preferred=preferred)
                    index = BM25Index.build(here, threads=1)
                    hits, took[key] = timed(index.search, texts)
                    found[key] = self.places(hits, here, linked)
                    if not preferred:
                        hits = index.search(linked.texts, k=K)
                        found[f"bm25-expanded-{among}"] = self.places(hits, here, linked)
            self.kept.keep(corpus, "bm25", facts=took, **found)
            say_scores(corpus, found)

    def places(self, hits: Hits, here: Terminology, linked: LinkedMentions) -> np.ndarray[Any, Any]:
        """(M,) place of the right concept from 1, 0 where it is not among the first K."""
        ids = self.terminology.ids.take(linked.concepts.tolist())
        rows = np.array([here.row(id) for id in ids])
        among = hits.concepts == rows[:, None]
        return np.where(among.any(1), among.argmax(1) + 1, 0)

    # ── recognition and linking together ─────────────────────────────────────────────────────────────────────

    def annotate(self, corpus: str, seed: int, towers: TwoTowers, model: Path) -> None:
        """Annotations of the running text of one dev set, by every index."""
        for among, form, here in self.among(corpus):
            parts = (corpus, "text", f"{FORMS[form]}-{among}", seed)
            if not self.kept.has(*parts):
                EntityIndex.build(here, encoder=towers, form=form, threads=1)
                self._annotate(parts, here, replace(ALONE, encoder=str(model)))

    def default(self) -> None:
        """What linnet's default makes of the same texts."""
        for corpus in self.source.annotated:
            if not self.kept.has(corpus, "text", "default"):
                here = variant(self.terminology, "all-default", rows=range(len(self.terminology)))
                index_terminology(here, threads=THREADS)
                self._annotate((corpus, "text", "default"), here, Pipeline())

    def _annotate(self, parts: tuple[Any, ...], here: Terminology, pipeline: Pipeline) -> None:
        corpus = parts[0]
        build_indexes(here, ("exact",), update=True, threads=1)  # which every recogniser is given
        facts = evaluate(
            Linker.open([here.path], pipeline=pipeline, threads=THREADS),
            documents(corpus),
            protocols=["end-to-end"],
            types=types_of(corpus),
            terminologies=[self.terminology],
            corpus=corpus,
        )
        scores = {one.name: [one.value, one.low, one.high] for one in facts.results[0].scores}
        self.kept.keep(*parts, facts=scores)
        named = ", ".join(f"{name} {percent(at[0])}" for name, at in scores.items())
        say(f"{self.kept.file(*parts).stem}: {named}")


def documents(corpus: str) -> list[Document]:
    """Of the dev set."""
    return list(read_corpus(DATA / file_of(corpus, "dev")))


def timed(search: Callable[..., Hits], asked: Sequence[Any]) -> tuple[Hits, float]:
    """What a search finds, and the milliseconds of the processor that a mention took."""
    began = time.process_time()
    hits = search(asked, k=K)
    return hits, 1000 * (time.process_time() - began) / len(asked)


def say_scores(what: str, found: dict[str, np.ndarray[Any, Any]]) -> None:
    """R@1 of each system."""
    say(f"{what}: {', '.join(f'{name} {percent(float(np.mean(at == 1)))}' for name, at in found.items())}")


def run(plan: Plan) -> None:
    """Everything that is not there yet, one bi-encoder after the other."""
    if not plan.start.is_dir():
        raise SystemExit(f"{plan.start} is not there. Run the pip command in {PLAN}.")
    torch.set_num_threads(THREADS)
    plan.work.mkdir(parents=True, exist_ok=True)
    check_start(plan.kept.folder, plan.start)
    for name in plan.models:
        plan.check_corpora(name)
    first, *others = (Runs(plan, name) for name in plan.models)
    first.choose()
    for runs in (first, *others):
        runs.bm25()
        for seed in range(plan.seeds):
            runs.do(seed, plan.rate)
        runs.default()
        plan.kept.keep(runs.name, "done", plan.seeds, facts={"models": [*plan.models]})


def tables(plan: Plan) -> dict[str, str] | None:
    """Of the models that are done."""
    return Tables(plan).all() if any(map(plan.is_done, plan.models)) else None


if __name__ == "__main__":
    execute(__doc__, "trainx", PLAN, read=Plan, run=run, tables=tables)
