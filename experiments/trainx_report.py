"""The page of the TrainX experiment: tables from the results that are kept."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from result_tables import compared, machine, markdown, percent, share
from trainx_data import AMONG, FORMS, TERMINOLOGIES, TITLES, K, Plan, Source
from transformer_runs import CHOOSING

from linnet.artifact import digest
from linnet.terminology import Terminology

HERE = Path(__file__).parent
# What is compared → how it is called. BM25 of preferred names reads what the bi-encoder reads of an entity.
SYSTEMS = {
    "bm25-preferred": "BM25, preferred names",
    "bm25": "BM25, all names",
    "bm25-expanded": "BM25, all names, abbreviations spelt out",
    "exact": "bi-encoder, exact",
    "hnsw": "bi-encoder, HNSW",
}
_PAIRS = [("exact", "bm25-preferred"), ("exact", "bm25"), ("exact", "bm25-expanded"), ("hnsw", "exact")]


class Report:
    """Results read back, a table at a time."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.sources = [Source(plan, name) for name in plan.models if self._is_done(name)]

    def _is_done(self, name: str) -> bool:
        """Whether everything of a model is there; its terminology may not be."""
        return self.plan.file(name, "done", self.plan.seeds).exists()

    def missing(self) -> str:
        """Which models are left out of the tables."""
        done = {source.name for source in self.sources}
        names = [TERMINOLOGIES[name] for name in self.plan.models if name not in done]
        return (
            f"Not trained or not asked yet, and left out of the tables: {', '.join(names)}." if names else ""
        )

    def places(self, corpus: str, system: str, among: str) -> np.ndarray[Any, Any]:
        """(seeds, mentions); BM25 has one seed."""
        if system.startswith("bm25"):
            return np.load(self.plan.file(corpus, "bm25"))[f"{system}-{among}"][None]
        files = [self.plan.file(corpus, "bi-encoder", seed) for seed in range(self.plan.seeds)]
        return np.stack([np.load(file)[f"{system}-{among}"] for file in files])

    def groups(self, source: Source, corpus: str) -> dict[str, np.ndarray[Any, Any]]:
        """All mentions, and those of concepts that training has not seen."""
        concepts = source.dev[corpus].concepts
        return {"all": np.ones(len(concepts), bool), "zero-shot": ~np.isin(concepts, source.seen)}

    def _each(self) -> Iterable[tuple[Source, str]]:
        return ((source, corpus) for source in self.sources for corpus in source.asked)

    def data(self) -> str:
        """What is linked to what."""
        rows = []
        for source, corpus in self._each():
            linked, here = source.dev[corpus], source.terminology
            dropped = "; ".join(f"{count:,} {why}" for why, count in linked.left_out.items() if count)
            own = source.own(corpus)
            unseen = self.groups(source, corpus)["zero-shot"]
            rows.append(
                (
                    TITLES[corpus], f"{len(linked):,}", f"{unseen.sum():,}", dropped or "none",
                    f"{len(own):,} ({_defined(here, own)})",
                    f"{TERMINOLOGIES[source.name]}: {len(here):,} ({_defined(here, range(len(here)))})",
                )
            )  # fmt: skip
        head = (
            "corpus", "mentions of dev", "zero-shot", "left out", "own concepts (with definition)",
            "terminology (with definition)",
        )  # fmt: skip
        return markdown(head, rows)

    def training(self) -> str:
        """How each model was trained."""
        rows = []
        for number, source in enumerate(self.sources):
            kept = [np.load(self.plan.file(source.name, seed)) for seed in range(self.plan.seeds)]
            facts = [json.loads(str(one["facts"])) for one in kept]
            rates = self.plan.training.rates if number == 0 and len(self.plan.training.rates) > 1 else ()
            scores = ", ".join(
                f"{rate:g}: {percent(np.load(self.plan.file(source.name, f'{rate:g}', CHOOSING))['score'])}"
                for rate in rates
            )
            rows.append(
                (
                    ", ".join(TITLES[corpus] for corpus in source.learnt),
                    f"{len(source.train):,}",
                    f"{len(source.seen):,}",
                    scores or "as chosen above",
                    f"{float(kept[0]['rate']):g}",
                    f"{facts[0]['steps']:,}",
                    ", ".join(f"{one['seconds'] / 60:.0f}" for one in facts),
                )
            )
        head = (
            "learnt from", "mentions", "concepts", "held-out Acc@1 by learning rate", "learning rate", "batches", "minutes",
        )  # fmt: skip
        return markdown(head, rows)

    def retrieval(self) -> str:
        """Table 1, upper half."""
        rows = []
        for source, corpus in self._each():
            documents = np.array([mention.document.id for mention in source.dev[corpus].mentions])
            for group, inside in self.groups(source, corpus).items():
                for system, title in SYSTEMS.items():
                    cells = []
                    for among in AMONG:
                        places = self.places(corpus, system, among)[:, inside]
                        cells += [
                            share((places == 1).mean(axis=0), documents[inside].tolist()),
                            percent(float((places > 0).mean())),
                        ]
                    rows.append((f"{TITLES[corpus]}, {group}", title, *cells))
        titles = [f"{what}: {title}" for title in AMONG.values() for what in ("R@1", f"R@{K}")]
        return markdown(("mentions", "system", *titles), rows)

    def differences(self) -> str:
        """Of R@1."""
        rows = []
        for source, corpus in self._each():
            documents = np.array([mention.document.id for mention in source.dev[corpus].mentions])
            for group, inside in self.groups(source, corpus).items():
                for among, title in AMONG.items():
                    cells = []
                    for pair in _PAIRS:
                        first, second = (self.places(corpus, one, among)[:, inside] == 1 for one in pair)
                        cells.append(compared(first, second, documents[inside].tolist()))
                    rows.append((f"{TITLES[corpus]}, {group}", title, *cells))
        titles = [f"{SYSTEMS[a]} − {SYSTEMS[b]}" for a, b in _PAIRS]
        return markdown(("mentions", "among", *titles), rows)

    def recognised(self) -> str:
        """Table 1, lower half, of the first seed."""
        rows = []
        for source in self.sources:
            for corpus in source.annotated:
                systems = {
                    f"{SYSTEMS[form]}, {title}": (f"{form}-{among}", 0)
                    for among, title in AMONG.items()
                    for form in FORMS.values()
                }
                for title, parts in {**systems, "linnet's default, terminology": ("default",)}.items():
                    scores = json.loads(str(np.load(self.plan.file(corpus, "text", *parts))["scores"]))
                    value, low, high = scores["weak F1"]
                    cells = [percent(scores[f"weak {name}"][0]) for name in ("precision", "recall")]
                    cells.append(f"{percent(value)} ({percent(low)} to {percent(high)})")
                    cells.append(percent(scores["recognition, overlapping, F1"][0]))
                    cells.append(percent(scores["recognition, exact, F1"][0]))
                    rows.append((TITLES[corpus], title, *cells))
        head = (
            "texts",
            "linked by",
            "precision",
            "recall",
            "F1",
            "spans alone, overlapping, F1",
            "equal spans, F1",
        )
        return markdown(head, rows)

    def times(self) -> str:
        """Of search alone."""
        rows = []
        for _, corpus in self._each():
            for among, title in AMONG.items():
                cells = []
                for system in ("bm25", "exact", "hnsw"):
                    parts = ["bm25"] if system == "bm25" else ["bi-encoder", 0]
                    cells.append(f"{np.load(self.plan.file(corpus, *parts))[f'{system}-{among}-ms']:.2f}")
                rows.append((TITLES[corpus], title, *cells))
        return markdown(("corpus", "among", *(SYSTEMS[s] for s in ("bm25", "exact", "hnsw"))), rows)


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
        passes=f"{wanted.passes:g}",
        warm_up=wanted.warm_up,
        max_length=wanted.max_length,
        precision=wanted.precision,
        missing=made.missing(),
        data=made.data(),
        training=made.training(),
        retrieval=made.retrieval(),
        differences=made.differences(),
        recognised=made.recognised(),
        times=made.times(),
        machine=machine(),
    )  # fmt: skip
