"""The tables of the TrainX experiment, from the results that are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from paper_corpora import TITLES
from result_tables import Array, Right, left_out, markdown, percent
from trainx_data import TERMINOLOGIES, Plan, Source

from linnet.terminology import Terminology

__all__ = ["AMONG", "FORMS", "K", "Tables"]

K = 20
# What is searched, and which index of linnet → how it is called.
AMONG = {"own": "concepts of the corpus", "full": "terminology"}
FORMS = {"flat": "exact", "hnsw": "hnsw"}
# What is compared → how it is called. BM25 of preferred names reads what the bi-encoder reads of an entity.
SYSTEMS = {
    "bm25-preferred": "BM25, preferred names",
    "bm25": "BM25, all names",
    "bm25-expanded": "BM25, all names, abbreviations spelt out",
    "exact": "bi-encoder, exact",
    "hnsw": "bi-encoder, HNSW",
}
_PAIRS = [("exact", "bm25-preferred"), ("exact", "bm25"), ("exact", "bm25-expanded"), ("hnsw", "exact")]


class Tables:
    """A method for each table. Models that are not done are in `missing`."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.kept = plan, plan.kept
        self.sources = [Source(plan, name) for name in plan.models if plan.is_done(name)]
        undone = [TERMINOLOGIES[name] for name in plan.models if not plan.is_done(name)]
        named = ", ".join(undone)
        self.missing = f"Not trained or not asked yet, and left out of the tables: {named}." if undone else ""

    def all(self) -> dict[str, str]:
        """Table → Markdown."""
        return {
            "missing": self.missing,
            "data": self.data(),
            "training": self.training(),
            "retrieval": self.retrieval(),
            "differences": self.differences(),
            "recognised": self.recognised(),
            "times": self.times(),
        }

    def _each(self) -> Iterator[tuple[Source, str]]:
        return ((source, corpus) for source in self.sources for corpus in source.asked)

    def _groups(self) -> Iterator[tuple[Source, str, str, Array]]:
        """All mentions of each corpus, and those of concepts that training has not seen: title, mask."""
        for source, corpus in self._each():
            concepts = source.dev[corpus].concepts
            yield source, corpus, f"{TITLES[corpus]}, all", np.ones(len(concepts), bool)
            yield source, corpus, f"{TITLES[corpus]}, zero-shot", ~np.isin(concepts, source.seen)

    def right(self, source: Source, corpus: str, what: str, *, k: int) -> Right:
        """The mentions whose concept a system finds among the first k; BM25 has one seed. what: system and AMONG"""
        seeds = range(self.plan.seeds)
        runs = [("bm25",)] if what.startswith("bm25") else [("bi-encoder", seed) for seed in seeds]
        places = np.stack([self.kept.arrays(corpus, *run)[what] for run in runs])
        documents = [mention.document.id for mention in source.dev[corpus].mentions]
        return Right((places > 0) & (places <= k), documents)

    def data(self) -> str:
        """What is linked to what."""
        rows = []
        for source, corpus in self._each():
            linked, here, own = source.dev[corpus], source.terminology, source.own(corpus)
            unseen = ~np.isin(linked.concepts, source.seen)
            name, everything = TERMINOLOGIES[source.name], range(len(here))
            rows.append((
                TITLES[corpus], f"{len(linked):,}", f"{unseen.sum():,}", left_out(linked.left_out) or "none",
                f"{len(own):,} ({_defined(here, own)})", f"{name}: {len(here):,} ({_defined(here, everything)})",
            ))  # fmt: skip
        own_head, all_head = "own concepts (with definition)", "terminology (with definition)"
        head = ("corpus", "mentions of dev", "zero-shot", "left out", own_head, all_head)
        return markdown(head, rows)

    def training(self) -> str:
        """How each model was trained."""
        rows, rates = [], self.plan.training.rates
        for number, source in enumerate(self.sources):
            facts = [self.kept.facts(source.name, seed) for seed in range(self.plan.seeds)]
            tried = rates if number == 0 and len(rates) > 1 else ()
            scores = ", ".join(f"{rate:g}: {percent(self.plan.score(rate))}" for rate in tried)
            rows.append((
                ", ".join(TITLES[corpus] for corpus in source.learnt), f"{len(source.train):,}", f"{len(source.seen):,}",
                scores or "as chosen above", f"{facts[0]['rate']:g}", f"{facts[0]['steps']:,}",
                ", ".join(f"{one['seconds'] / 60:.0f}" for one in facts),
            ))  # fmt: skip
        tried_head = "held-out Acc@1 by learning rate"
        head = ("learnt from", "mentions", "concepts", tried_head, "learning rate", "batches", "minutes")
        return markdown(head, rows)

    def retrieval(self) -> str:
        """Table 1, upper half."""
        rows = []
        for source, corpus, title, inside in self._groups():
            for system, name in SYSTEMS.items():
                cells: list[str] = []
                for among in AMONG:
                    first, any_of = (
                        self.right(source, corpus, f"{system}-{among}", k=k).of(inside) for k in (1, K)
                    )
                    cells += [str(first), any_of.mean]
                rows.append((title, name, *cells))
        titles = [f"{what}: {title}" for title in AMONG.values() for what in ("R@1", f"R@{K}")]
        return markdown(("mentions", "system", *titles), rows)

    def differences(self) -> str:
        """Of R@1."""
        rows = [
            (
                title,
                name,
                *(
                    self.right(source, corpus, f"{one}-{among}", k=1).of(inside)
                    - self.right(source, corpus, f"{other}-{among}", k=1).of(inside)
                    for one, other in _PAIRS
                ),
            )
            for source, corpus, title, inside in self._groups()
            for among, name in AMONG.items()
        ]
        titles = [f"{SYSTEMS[a]} − {SYSTEMS[b]}" for a, b in _PAIRS]
        return markdown(("mentions", "among", *titles), rows)

    def recognised(self) -> str:
        """Table 1, lower half, of the first seed."""
        systems: dict[str, tuple[object, ...]] = {
            f"{SYSTEMS[form]}, {title}": (f"{form}-{among}", 0)
            for among, title in AMONG.items()
            for form in FORMS.values()
        }
        systems["linnet's default, terminology"] = ("default",)
        rows = []
        for source in self.sources:
            for corpus in source.annotated:
                for title, parts in systems.items():
                    scores = self.kept.facts(corpus, "text", *parts)
                    value, low, high = map(percent, scores["weak F1"])
                    names = ("recognition, overlapping, F1", "recognition, exact, F1")
                    precision, recall, *spans = (
                        percent(scores[name][0]) for name in ("weak precision", "weak recall", *names)
                    )
                    rows.append(
                        (TITLES[corpus], title, precision, recall, f"{value} ({low} to {high})", *spans)
                    )
        spans_head = ("spans alone, overlapping, F1", "equal spans, F1")
        return markdown(("texts", "linked by", "precision", "recall", "F1", *spans_head), rows)

    def times(self) -> str:
        """Of search alone."""
        systems: dict[str, tuple[object, ...]] = {
            "bm25": ("bm25",), "exact": ("bi-encoder", 0), "hnsw": ("bi-encoder", 0),
        }  # fmt: skip
        rows = [
            (
                TITLES[corpus],
                title,
                *(f"{self.kept.facts(corpus, *run)[f'{name}-{among}']:.2f}" for name, run in systems.items()),
            )
            for _, corpus in self._each()
            for among, title in AMONG.items()
        ]
        return markdown(("corpus", "among", *(SYSTEMS[name] for name in systems)), rows)


def _defined(here: Terminology, rows: Iterable[int]) -> str:
    return f"{percent(float(np.mean([bool(here.definition(int(row))) for row in rows])))} %"
