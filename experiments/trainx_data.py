"""What the TrainX experiment reads: its plan, the corpora, and terminologies with definitions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from kept import results_folder
from le_nguyen_data import DATA, mentions_of, mondo_hpo_do
from progress import say
from transformer_runs import CHOOSING, keep

from linnet.corpora import read as read_corpus
from linnet.files import open_output
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.enrich import enrich
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.readers.multi_source import read_several
from linnet.terminology.sssom import read_sssom
from linnet.train.corpus import LinkedMentions, linked_mentions, read_mentions
from linnet.types import Concept, Document, Mention

TERMS, CORPORA = DATA / "terminologies", DATA / "corpora"
TITLES = {
    "ncbi": "NCBI disease",
    "bc5cdr-disease": "BC5CDR disease",
    "bc5cdr-chemical": "BC5CDR chemical",
    "tmvar3": "tmVar3 disease",
    "medmentions": "MedMentions (Mondo/HPO/DO)",
}
TERMINOLOGIES = {"medic": "MEDIC", "mondo-hpo-do": "Mondo, HPO and DO", "mesh": "MeSH"}
_ONLY_LEARNT = frozenset({"tmvar3"})  # has no dev set
_WITHOUT_TEXT = frozenset({"medmentions"})  # mentions with a sentence each, no running text
# What is searched, and which index of linnet → how it is called.
AMONG = {"own": "concepts of the corpus", "full": "terminology"}
FORMS = {"flat": "exact", "hnsw": "hnsw"}
K = 20
_CONTEXT = 400  # characters on each side, more than 50 tokens have


@dataclass(frozen=True, kw_only=True)
class Training:
    """The section `[training]`.

    mentions   of a batch                                 max_length  tokens, of a mention in context and of an entity
    passes     over the mentions; `choosing` for those that choose a learning rate
    rates      of several, the best on a tenth of the first model's training documents, held out
    concepts   looked among for that, besides those of the mentions held out
    minutes    between checkpoints
    """

    mentions: int
    max_length: int
    passes: float
    choosing: float
    warm_up: int
    rates: tuple[float, ...]
    held_out: float
    concepts: int
    precision: str
    minutes: float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The run file. `models`: terminology → corpora that one bi-encoder learns from together."""

    work: Path
    results: Path
    seeds: int
    start: Path
    models: Mapping[str, tuple[str, ...]]
    training: Training

    @property
    def folder(self) -> Path:
        """Of the results, wherever the transformer lies."""
        settings = replace(self, start=Path(self.start.name), training=replace(self.training, minutes=0.0))
        return results_folder(settings, without={"models"})

    def file(self, *parts: Any) -> Path:
        """Where a result lies."""
        return self.folder / ("-".join(map(str, parts)) + ".npz")

    def check_corpora(self, name: str) -> None:
        """End the program if results of a model are of other corpora than the plan has; where there are none, note its corpora."""
        file, now = self.file(name, "corpora"), [*self.models[name]]
        if not file.exists():
            keep(file, corpora=now)
        before = np.load(file)["corpora"].tolist()
        if before != now:
            raise SystemExit(
                f"{self.folder} has results of '{name}' trained on {', '.join(before)}; the plan has {', '.join(now)}. Change "
                "the plan back, or remove that folder, and all runs are done again."
            )

    @property
    def rate(self) -> float:
        """The learning rate that the first model's held-out documents chose."""
        rates, first = self.training.rates, next(iter(self.models))
        if len(rates) == 1:
            return rates[0]
        return max(rates, key=lambda rate: np.load(self.file(first, f"{rate:g}", CHOOSING))["score"])


# ── terminologies ────────────────────────────────────────────────────────────────────────────────────────────


def defined_medic() -> Iterable[Concept]:
    """MEDIC of July 2012, which has no definitions or types, with those of DO and NCIt, the longer first, as diseases."""
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
        yield replace(concept, definition=" ".join(distinct), types=("Disease",))


def mesh() -> Iterable[Concept]:
    """Descriptors and supplementary concepts of 2024; without definitions."""
    files = [TERMS / "mesh2024" / f"{name}2024.rebuilt.xml.gz" for name in ("desc", "supp")]
    return read_several(files, formats=("mesh", "mesh"))


_READERS = {"medic": defined_medic, "mondo-hpo-do": mondo_hpo_do, "mesh": mesh}


def terminology(plan: Plan, name: str) -> Terminology:
    """A terminology, made where it is not there."""
    place = plan.work / name
    if (place / "terminology.json").exists():
        return Terminology.open(place)
    say(f"writing {name}")
    return write_terminology(_READERS[name](), place, sources=[{"path": name}])


def variant(whole: Terminology, name: str, *, rows: Iterable[int], preferred: bool = False) -> Terminology:
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


# ── corpora ──────────────────────────────────────────────────────────────────────────────────────────────────


def types_of(corpus: str) -> tuple[str, ...]:
    """Of the mentions that count; empty for all."""
    return {"bc5cdr-disease": ("Disease",), "bc5cdr-chemical": ("Chemical",), "tmvar3": ("Disease",)}.get(
        corpus, ()
    )


def mentions(corpus: str, part: str) -> list[Mention]:
    """Those of "train" or "dev"."""
    if corpus == "tmvar3":
        return read_mentions([CORPORA / "tmvar3/tmVar3.PubTator"], types=types_of(corpus))[0]
    if corpus == "bc5cdr-chemical":
        return read_mentions([_bc5cdr(part)], types=types_of(corpus))[0]
    return mentions_of(corpus, part)


def documents(corpus: str) -> list[Document]:
    """Of the dev set."""
    file = CORPORA / "ncbi-disease/NCBIdevelopset_corpus.txt" if corpus == "ncbi" else _bc5cdr("dev")
    return list(read_corpus(file))


def _bc5cdr(part: str) -> Path:
    name = {"train": "Training", "dev": "Development"}[part]
    return CORPORA / f"bc5cdr/CDR_{name}Set.PubTator.txt"


def write_mentions(some: Iterable[Mention], path: Path) -> None:
    """A corpus that a run file can name, each mention with its text to both sides."""
    with open_output(path) as stream:
        for mention in some:
            text = mention.document.text
            record = {
                "text": mention.text,
                "left": text[max(0, mention.start - _CONTEXT) : mention.start],
                "right": text[mention.end : mention.end + _CONTEXT],
                "document": mention.document.id,
                "concepts": list(mention.concepts),
            }
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


class Source:
    """What one bi-encoder learns from and is asked."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.name, self.learnt = name, plan.models[name]
        self.asked = tuple(corpus for corpus in self.learnt if corpus not in _ONLY_LEARNT)
        self.annotated = tuple(corpus for corpus in self.asked if corpus not in _WITHOUT_TEXT)
        self.terminology = terminology(plan, name)

    @cached_property
    def train(self) -> list[Mention]:
        """Of all its corpora, those that can be learnt from."""
        return [
            mention
            for corpus in self.learnt
            for mention in linked_mentions(mentions(corpus, "train"), self.terminology).mentions
        ]

    @cached_property
    def seen(self) -> np.ndarray[Any, Any]:
        """Rows of the concepts of training."""
        return np.unique(linked_mentions(self.train, self.terminology).concepts)

    @cached_property
    def dev(self) -> dict[str, LinkedMentions]:
        """Corpus → mentions that are looked for."""
        return {corpus: linked_mentions(mentions(corpus, "dev"), self.terminology) for corpus in self.asked}

    def own(self, corpus: str) -> np.ndarray[Any, Any]:
        """Rows of the concepts of a corpus, train and dev."""
        train = linked_mentions(mentions(corpus, "train"), self.terminology).concepts
        return np.union1d(train, self.dev[corpus].concepts)
