"""What the TrainX experiment reads: its plan, and corpora with terminologies that have definitions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from harness import CHOOSING, DATA, HERE, Kept, best_rate, key_of, say
from paper_corpora import exact_matches, mentions_of, mondo_hpo_do

from linnet.io.files import open_output
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.enrich import enrich
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.readers.multi_source import read_several
from linnet.train.corpus import LinkedMentions, linked_mentions
from linnet.types import Concept, Mention

__all__ = ["PLAN", "TERMINOLOGIES", "Plan", "Source", "Training", "variant", "write_mentions"]

PLAN = HERE / "plans/trainx.toml"
TERMINOLOGIES = {"medic": "MEDIC", "mondo-hpo-do": "Mondo, HPO and DO", "mesh": "MeSH"}
_TERMS = DATA / "terminologies"
_ONLY_LEARNT = frozenset({"tmvar3"})  # has no dev set
_WITHOUT_TEXT = frozenset({"medmentions"})  # mentions with a sentence each, no running text
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

    @cached_property
    def kept(self) -> Kept:
        """The results, wherever the transformer lies."""
        settings = replace(self, start=Path(self.start.name), training=replace(self.training, minutes=0.0))
        return Kept(self.work / f"results-{key_of(asdict(settings), without=('models',))}")

    def is_done(self, name: str) -> bool:
        """Whether everything of a model is there; its terminology may not be."""
        return self.kept.has(name, "done", self.seeds)

    def check_corpora(self, name: str) -> None:
        """End the program if results of a model are of other corpora than the plan has; where there are none, note its corpora."""
        now = [*self.models[name]]
        if not self.kept.has(name, "corpora"):
            self.kept.keep(name, "corpora", facts={"corpora": now})
        before = self.kept.facts(name, "corpora")["corpora"]
        if before != now:
            raise SystemExit(
                f"{self.kept.folder} has results of '{name}' trained on {', '.join(before)}; the plan has {', '.join(now)}. "
                "Change the plan back, or remove that folder, and all runs are done again."
            )

    def score(self, rate: float) -> float:
        """Of a learning rate on the first model's held-out documents."""
        first = next(iter(self.models))
        return float(self.kept.facts(first, f"{rate:g}", CHOOSING)["score"])

    @property
    def rate(self) -> float:
        """The learning rate with the best score."""
        return best_rate(self.training.rates, self.score)


# ── terminologies ────────────────────────────────────────────────────────────────────────────────────────────


def defined_medic() -> Iterable[Concept]:
    """MEDIC of July 2012, which has no definitions or types, with those of DO and NCIt, the longer first, as diseases."""
    concepts = list(read(_TERMS / "medic/medic_06Jul2012.txt"))
    mappings = exact_matches("mesh", "omim", "doid", "ncit")
    sources = {"DOID": "doid/doid.obo.gz", "NCIT": "mondo_sources/ncit-disease-2018-06-08.json.gz"}
    given = []
    for prefix, place in sources.items():
        extra = read(_TERMS / place, options=ReadOptions(only_prefixes={prefix}))
        given.append([concept.definition for concept in enrich(concepts, extra, mappings=mappings)])
    for concept, *texts in zip(concepts, *given, strict=True):
        distinct = sorted(filter(None, dict.fromkeys(texts)), key=len, reverse=True)
        yield replace(concept, definition=" ".join(distinct), types=("Disease",))


def mesh() -> Iterable[Concept]:
    """Descriptors and supplementary concepts of 2024; without definitions."""
    files = [_TERMS / "mesh2024" / f"{name}2024.rebuilt.xml.gz" for name in ("desc", "supp")]
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
    if preferred:
        concepts = (replace(concept, names=()) for concept in concepts)
    return write_terminology(concepts, place, sources=[{"path": name}])


# ── corpora ──────────────────────────────────────────────────────────────────────────────────────────────────


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

    def linked(self, corpus: str, part: str) -> LinkedMentions:
        """The mentions of "train" or "dev" that can be learnt from and looked for."""
        return linked_mentions(mentions_of(corpus, part), self.terminology)

    @cached_property
    def train(self) -> list[Mention]:
        """Of all its corpora."""
        return [mention for corpus in self.learnt for mention in self.linked(corpus, "train").mentions]

    @cached_property
    def seen(self) -> np.ndarray[Any, Any]:
        """Rows of the concepts of training."""
        return np.unique(linked_mentions(self.train, self.terminology).concepts)

    @cached_property
    def dev(self) -> dict[str, LinkedMentions]:
        """Corpus → mentions that are looked for."""
        return {corpus: self.linked(corpus, "dev") for corpus in self.asked}

    def own(self, corpus: str) -> np.ndarray[Any, Any]:
        """Rows of the concepts of a corpus, train and dev."""
        return np.union1d(self.linked(corpus, "train").concepts, self.dev[corpus].concepts)
