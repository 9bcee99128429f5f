"""A bi-encoder of mentions in context and entities with definitions, on open data: TrainX's table 1 (Oberhauser et al. 2020).

    python experiments/trainx.py [RUN.toml]        (LINNET_DATA says where corpora and terminologies are)

Writes docs/results/trainx.md: exact search, HNSW and BM25, among the concepts of the corpus and among all of the terminology,
for all mentions and for those whose concept training has not seen.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from kept import results_folder
from le_nguyen_data import DATA, mentions_of, mondo_hpo_do, say
from tables import compared, machine, markdown, percent, share

from linnet.artifact import digest
from linnet.retrieve.bm25 import BM25Index
from linnet.retrieve.entities import EntityIndex
from linnet.retrieve.hits import Hits
from linnet.settings_files import read_settings, settings_from
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.enrich import enrich
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.sssom import read_sssom
from linnet.train.corpus import LinkedMentions, linked_mentions
from linnet.train.learners.two_tower import TwoTowerLearner
from linnet.train.tasks.dual import split_documents
from linnet.train.tasks.two_tower import NearestEntities, TwoTowerRunSettings, TwoTowerTask
from linnet.types import Concept, Mention

HERE = Path(__file__).parent
TERMS = DATA / "terminologies"
TITLES = {
    "ncbi": "NCBI disease",
    "bc5cdr-disease": "BC5CDR disease",
    "medmentions": "MedMentions (Mondo/HPO/DO)",
}
# What is compared → how it is called. BM25 of preferred names reads what the bi-encoder reads of an entity.
SYSTEMS = {
    "bm25-preferred": "BM25, preferred names",
    "bm25": "BM25, all names",
    "bm25-expanded": "BM25, all names, abbreviations spelt out",
    "exact": "bi-encoder, exact",
    "hnsw": "bi-encoder, HNSW",
}
AMONG = {"own": "concepts of the corpus", "full": "terminology"}
K = 20
CHOOSING = 1000  # seed of the runs that choose a learning rate


@dataclass(frozen=True, kw_only=True)
class Training:
    """The section `[training]`."""

    mentions: int
    max_length: int
    steps: int
    warm_up: int
    rates: tuple[float, ...]
    held_out: float
    concepts: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The run file."""

    work: Path
    results: Path
    seeds: int
    start: Path
    models: Mapping[str, tuple[str, ...]]
    training: Training


class Remembered:
    """A bi-encoder that encodes each entity and each mention once, for several indexes."""

    name, digest = "trainx", ""

    def __init__(self, learner: TwoTowerLearner) -> None:
        self._learner = learner
        self.dimensions = int(learner.mention.config.hidden_size)
        self._entities: dict[tuple[str, str], Any] = {}
        self._mentions: dict[int, Any] = {}  # mentions of different documents may be equal; they stay alive

    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Any:
        """See `TwoTowers`."""
        asked = list(zip(names, definitions, strict=True))
        new = [one for one in dict.fromkeys(asked) if one not in self._entities]
        if new:
            vectors = self._learner.encode_entities([name for name, _ in new], [text for _, text in new])
            self._entities.update(zip(new, vectors, strict=True))
        return np.stack([self._entities[one] for one in asked])

    def encode_mentions(self, mentions: Sequence[Mention]) -> Any:
        """See `TwoTowers`."""
        new = [mention for mention in mentions if id(mention) not in self._mentions]
        if new:
            vectors = self._learner.encode_mentions(new)
            self._mentions.update(zip(map(id, new), vectors, strict=True))
        return np.stack([self._mentions[id(mention)] for mention in mentions])


# ── terminologies ────────────────────────────────────────────────────────────────────────────────────────────


def defined_medic() -> Iterable[Concept]:
    """MEDIC of July 2012, which has no definitions, with those of DO and NCIt, the longer first."""
    concepts = list(read(TERMS / "medic/medic_06Jul2012.txt"))
    mappings = [
        mapping
        for name in ("mesh", "omim", "doid", "ncit")
        for mapping in read_sssom(TERMS / f"mondo/mondo_exactmatch_{name}.sssom.tsv").mappings
    ]
    given = []
    for place, prefix in (
        ("doid/doid.obo.gz", "DOID"),
        ("mondo_sources/ncit-disease-2018-06-08.json.gz", "NCIT"),
    ):
        extra = read(TERMS / place, options=ReadOptions(only_prefixes={prefix}))
        given.append([concept.definition for concept in enrich(concepts, extra, mappings=mappings)])
    for concept, *texts in zip(concepts, *given, strict=True):
        distinct = sorted(filter(None, dict.fromkeys(texts)), key=len, reverse=True)
        yield replace(concept, definition=" ".join(distinct))


def terminology(plan: Plan, name: str) -> Terminology:
    """A terminology, made where it is not there."""
    place = plan.work / name
    if (place / "terminology.json").exists():
        return Terminology.open(place)
    say(f"writing {name}")
    concepts = defined_medic() if name == "medic" else mondo_hpo_do()
    return write_terminology(concepts, place, sources=[{"path": name}])


def variant(whole: Terminology, name: str, *, rows: Iterable[int], preferred: bool) -> Terminology:
    """Some concepts of a terminology, with their preferred names alone if `preferred`, made where it is not there."""
    place = whole.path.with_name(f"{whole.path.name}-{name}")
    if (place / "terminology.json").exists():
        return Terminology.open(place)
    concepts = (replace(whole.concept(int(row)), parents=()) for row in rows)
    return write_terminology(
        (replace(concept, names=()) if preferred else concept for concept in concepts),
        place,
        sources=[{"path": name}],
    )


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────


class Model:
    """A bi-encoder, the corpora it learns from, and what is found with it."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.plan, self.name = plan, name
        self.corpora = plan.models[name]
        self.terminology = terminology(plan, name)

    @cached_property
    def train(self) -> list[Mention]:
        """Of all its corpora."""
        return [mention for corpus in self.corpora for mention in mentions_of(corpus, "train")]

    @cached_property
    def seen(self) -> np.ndarray[Any, Any]:
        """Rows of the concepts of training."""
        return np.unique(linked_mentions(self.train, self.terminology).concepts)

    @cached_property
    def dev(self) -> dict[str, LinkedMentions]:
        """Corpus → mentions that are looked for."""
        return {
            corpus: linked_mentions(mentions_of(corpus, "dev"), self.terminology) for corpus in self.corpora
        }

    def own(self, corpus: str) -> np.ndarray[Any, Any]:
        """Rows of the concepts of a corpus, train and dev."""
        train = linked_mentions(mentions_of(corpus, "train"), self.terminology).concepts
        return np.union1d(train, self.dev[corpus].concepts)

    def file(self, *parts: Any) -> Path:
        """Where a result lies."""
        return results_folder(self.plan) / ("-".join(map(str, parts)) + ".npz")

    def task(self, mentions: list[Mention], seed: int, rate: float) -> TwoTowerTask:
        """Not trained yet."""
        wanted = self.plan.training
        table = {
            "task": "two-tower",
            "seed": seed,
            "output": "model",
            "data": {"terminology": str(self.terminology.path), "corpora": [], "mentions": wanted.mentions},
            "encoder": {
                "start": str(self.plan.start),
                "max_length": wanted.max_length,
                "learning_rate": rate,
            },
        }
        settings = settings_from(table, TwoTowerRunSettings)
        learner = TwoTowerLearner(settings.encoder, (), seed=seed)
        linked = linked_mentions(mentions, self.terminology)
        return TwoTowerTask(settings, learner, self.terminology, linked, {})

    def fit(self, task: TwoTowerTask) -> tuple[float, float]:
        """Mean loss of the last tenth of the steps, and the processor's seconds of all."""
        wanted, began = self.plan.training, time.process_time()
        optimiser = task.optimiser()
        peaks = [group["lr"] for group in optimiser.param_groups]
        task.module.train()
        losses = []
        for step in range(wanted.steps):
            loss = task.loss(step)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            for group, peak in zip(optimiser.param_groups, peaks, strict=True):
                group["lr"] = peak * min(1, (step + 1) / wanted.warm_up)
            optimiser.step()
            losses.append(loss.item())
            if (step + 1) % 25 == 0:
                say(f"{self.name}: step {step + 1}, loss {np.mean(losses[-25:]):.3f}")
        task.module.eval()
        return float(np.mean(losses[-max(1, wanted.steps // 10) :])), time.process_time() - began

    def choose(self) -> None:
        """Training documents held out say how good each learning rate is, where there are several."""
        wanted = self.plan.training
        if len(wanted.rates) == 1:
            return
        own, held = split_documents(self.train, share=wanted.held_out, seed=0)
        for rate in wanted.rates:
            file = self.file(self.name, f"{rate:g}", CHOOSING)
            if not file.exists():
                task = self.task(own, CHOOSING, rate)
                loss, seconds = self.fit(task)
                nearest = NearestEntities(
                    self.terminology,
                    linked_mentions(held, self.terminology),
                    concepts=wanted.concepts,
                    seed=0,
                )
                score = nearest(task.module)["acc@1"]
                keep(file, score=np.array(score), loss=np.array(loss))
                say(
                    f"{self.name}, learning rate {rate:g}: {percent(score)} held out; loss {loss:.3f}, {seconds:.0f} s"
                )

    @property
    def rate(self) -> float:
        """The one chosen."""
        if len(self.plan.training.rates) == 1:
            return self.plan.training.rates[0]
        return max(
            self.plan.training.rates,
            key=lambda rate: np.load(self.file(self.name, f"{rate:g}", CHOOSING))["score"],
        )

    def train_and_search(self, seed: int) -> None:
        """One bi-encoder of all training mentions, and what it finds of each dev set."""
        if all(self.file(corpus, "bi-encoder", seed).exists() for corpus in self.corpora):
            return
        task = self.task(self.train, seed, self.rate)
        file = self.file(self.name, "trained", seed)
        if not file.exists():
            facts = np.array(self.fit(task))
            state = {key: value.numpy() for key, value in task.module.state_dict().items()}
            keep(file, training=facts, **state)
        state = dict(np.load(file))
        loss, seconds = state.pop("training")
        task.module.load_state_dict({key: torch.from_numpy(value) for key, value in state.items()})
        task.module.eval()
        encoder = Remembered(task.module)
        for corpus, linked in self.dev.items():
            found = {}
            for among, rows in (("own", self.own(corpus)), ("full", None)):
                here = self.terminology
                if rows is not None:
                    here = variant(here, f"{corpus}-own", rows=rows, preferred=False)
                for form, name in (("flat", "exact"), ("hnsw", "hnsw")):
                    index = EntityIndex.build(here, name=name, encoder=encoder, form=form, threads=1)
                    index.search_mentions(linked.mentions, k=1)  # encodes the mentions
                    began = time.process_time()
                    hits = index.search_mentions(linked.mentions, k=K)
                    found[f"{name}-{among}-ms"] = self.a_mention(began, linked)
                    found[f"{name}-{among}"] = self.places(hits, here, linked)
            keep(self.file(corpus, "bi-encoder", seed), **found, training=np.array([loss, seconds]))
            scores = ", ".join(
                f"{name} {percent(np.mean(places == 1))}" for name, places in found.items() if places.ndim
            )
            say(f"{corpus}, seed {seed}: {scores}; loss {loss:.3f}, {seconds:.0f} s")

    def bm25(self) -> None:
        """What BM25 finds of each dev set."""
        for corpus, linked in self.dev.items():
            file = self.file(corpus, "bm25")
            if file.exists():
                continue
            found = {}
            everything = range(len(self.terminology))
            for among, rows in (("own", self.own(corpus)), ("full", everything)):
                for name in ("bm25", "bm25-preferred"):
                    preferred = name == "bm25-preferred"
                    label = f"{corpus if among == 'own' else 'all'}-{among}{'-preferred' * preferred}"
                    here = variant(self.terminology, label, rows=rows, preferred=preferred)
                    index = BM25Index.build(here, threads=1)
                    texts = [mention.text for mention in linked.mentions]
                    began = time.process_time()
                    hits = index.search(texts, k=K)
                    found[f"{name}-{among}-ms"] = self.a_mention(began, linked)
                    found[f"{name}-{among}"] = self.places(hits, here, linked)
                    if not preferred:
                        hits = index.search(linked.texts, k=K)
                        found[f"bm25-expanded-{among}"] = self.places(hits, here, linked)
            keep(file, **found)
            scores = ", ".join(
                f"{name} {percent(np.mean(places == 1))}" for name, places in found.items() if places.ndim
            )
            say(f"{corpus}: {scores}")

    def places(self, hits: Hits, here: Terminology, linked: LinkedMentions) -> np.ndarray[Any, Any]:
        """(M,) place of the right concept from 1, 0 where it is not among the first K."""
        ids = self.terminology.ids.take(linked.concepts.tolist())
        rows = np.array([here.row(id) for id in ids])
        among = hits.concepts == rows[:, None]
        return np.where(among.any(1), among.argmax(1) + 1, 0)

    def a_mention(self, began: float, linked: LinkedMentions) -> np.ndarray[Any, Any]:
        """Milliseconds of the processor."""
        return np.array(1000 * (time.process_time() - began) / len(linked))


def keep(file: Path, **found: Any) -> None:
    """Write a result whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".part.npz")
    np.savez(draft, **found)
    draft.rename(file)


# ── the report ───────────────────────────────────────────────────────────────────────────────────────────────


class Report:
    """Results read back, a table at a time."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.models = [Model(plan, name) for name in plan.models]

    def places(self, model: Model, corpus: str, system: str, among: str) -> np.ndarray[Any, Any]:
        """(seeds, mentions); BM25 has one seed."""
        if system.startswith("bm25"):
            return np.load(model.file(corpus, "bm25"))[f"{system}-{among}"][None]
        files = [model.file(corpus, "bi-encoder", seed) for seed in range(self.plan.seeds)]
        return np.stack([np.load(file)[f"{system}-{among}"] for file in files])

    def groups(self, model: Model, corpus: str) -> dict[str, np.ndarray[Any, Any]]:
        """All mentions, and those of concepts that training has not seen."""
        concepts = model.dev[corpus].concepts
        unseen = ~np.isin(concepts, model.seen)
        return {"all": np.ones(len(concepts), bool), "zero-shot": unseen}

    def _each(self) -> Iterable[tuple[Model, str]]:
        return ((model, corpus) for model in self.models for corpus in model.corpora)

    def data(self) -> str:
        """What is linked to what."""
        rows = []
        for model, corpus in self._each():
            linked, here = model.dev[corpus], model.terminology
            dropped = "; ".join(f"{count:,} {why}" for why, count in linked.left_out.items() if count)
            own = model.own(corpus)
            unseen = self.groups(model, corpus)["zero-shot"]
            rows.append(
                (
                    TITLES[corpus], f"{len(linked):,}", f"{unseen.sum():,}", dropped or "none",
                    f"{len(own):,} ({_defined(here, own)})",
                    f"{len(here):,} ({_defined(here, range(len(here)))})",
                )
            )  # fmt: skip
        head = (
            "corpus", "mentions of dev", "zero-shot", "left out", "own concepts (with definition)",
            "terminology (with definition)",
        )  # fmt: skip
        return markdown(head, rows)

    def retrieval(self) -> str:
        """Table 1, upper half."""
        rows = []
        for model, corpus in self._each():
            documents = np.array([mention.document.id for mention in model.dev[corpus].mentions])
            for group, inside in self.groups(model, corpus).items():
                for system, title in SYSTEMS.items():
                    cells = []
                    for among in AMONG:
                        places = self.places(model, corpus, system, among)[:, inside]
                        cells += [
                            share((places == 1).mean(axis=0), documents[inside].tolist()),
                            percent((places > 0).mean()),
                        ]
                    rows.append((f"{TITLES[corpus]}, {group}", title, *cells))
        titles = [f"{what}: {title}" for title in AMONG.values() for what in ("R@1", f"R@{K}")]
        return markdown(("mentions", "system", *titles), rows)

    def differences(self) -> str:
        """Of R@1."""
        pairs = [
            ("exact", "bm25-preferred"),
            ("exact", "bm25"),
            ("exact", "bm25-expanded"),
            ("hnsw", "exact"),
        ]
        rows = []
        for model, corpus in self._each():
            documents = np.array([mention.document.id for mention in model.dev[corpus].mentions])
            for group, inside in self.groups(model, corpus).items():
                for among, title in AMONG.items():
                    cells = []
                    for one, other in pairs:
                        first, second = (
                            self.places(model, corpus, s, among)[:, inside] == 1 for s in (one, other)
                        )
                        cells.append(compared(first, second, documents[inside].tolist()))
                    rows.append((f"{TITLES[corpus]}, {group}", title, *cells))
        titles = [f"{SYSTEMS[a]} − {SYSTEMS[b]}" for a, b in pairs]
        return markdown(("mentions", "among", *titles), rows)

    def times(self) -> str:
        """Of search alone."""
        rows = []
        for model, corpus in self._each():
            for among, title in AMONG.items():
                cells = []
                for system in ("bm25", "exact", "hnsw"):
                    file = model.file(corpus, *(["bm25"] if system == "bm25" else ["bi-encoder", 0]))
                    cells.append(f"{np.load(file)[f'{system}-{among}-ms']:.2f}")
                rows.append((TITLES[corpus], title, *cells))
        return markdown(("corpus", "among", *(SYSTEMS[s] for s in ("bm25", "exact", "hnsw"))), rows)

    def training(self) -> str:
        """How each model was trained."""
        rows = []
        for model in self.models:
            loss, seconds = np.load(model.file(model.corpora[0], "bi-encoder", 0))["training"]
            scores = ", ".join(
                f"{rate:g}: {percent(np.load(model.file(model.name, f'{rate:g}', CHOOSING))['score'])}"
                for rate in self.plan.training.rates
                if len(self.plan.training.rates) > 1
            )
            names = " and ".join(TITLES[corpus] for corpus in model.corpora)
            linked = len(linked_mentions(model.train, model.terminology))
            rows.append(
                (
                    names,
                    f"{linked:,}",
                    scores or "not compared",
                    f"{model.rate:g}",
                    f"{loss:.2f}",
                    f"{seconds:.0f}",
                )
            )
        head = (
            "learnt from", "mentions", "held-out Acc@1 by learning rate", "learning rate", "last loss",
            "processor seconds",
        )  # fmt: skip
        return markdown(head, rows)


def _defined(here: Terminology, rows: Iterable[int]) -> str:
    found = [bool(here.definition(int(row))) for row in rows]
    return f"{percent(float(np.mean(found)))} %"


def report(plan: Plan, plan_file: str) -> str:
    """The tables as Markdown."""
    made = Report(plan)
    wanted = plan.training
    return (HERE / "trainx.md").read_text(encoding="utf-8").format(
        run_file=digest(Path(plan_file).read_text(encoding="utf-8"))[:8],
        seeds=plan.seeds,
        batch=wanted.mentions,
        steps=wanted.steps,
        warm_up=wanted.warm_up,
        max_length=wanted.max_length,
        data=made.data(),
        training=made.training(),
        retrieval=made.retrieval(),
        differences=made.differences(),
        times=made.times(),
        machine=machine(),
    )  # fmt: skip


def main(plan_file: str) -> None:
    """Everything that is not there yet, then the report."""
    torch.set_num_threads(1)
    plan = read_settings(plan_file, Plan)
    if not plan.start.is_dir():
        raise SystemExit(f"{plan.start} is not there. Run the pip command in {plan_file}.")
    plan.work.mkdir(parents=True, exist_ok=True)
    steps: list[Callable[[], None]] = []
    for name in plan.models:
        model = Model(plan, name)
        steps += [model.bm25, model.choose]
        steps += [lambda model=model, seed=seed: model.train_and_search(seed) for seed in range(plan.seeds)]  # type: ignore[misc]
    for step in steps:
        step()
    plan.results.mkdir(parents=True, exist_ok=True)
    (plan.results / "trainx.md").write_text(report(plan, plan_file), encoding="utf-8")
    say(f"written: {plan.results / 'trainx.md'}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else str(HERE / "plans/trainx.toml"))
