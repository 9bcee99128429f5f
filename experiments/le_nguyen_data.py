"""What the Le & Nguyen experiment links: its plan, the terminologies with name encoder and indexes, corpora, candidates."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kept import results_folder
from progress import say

from linnet.artifact import digest
from linnet.files import open_output, replacing
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.settings_files import read_settings, settings_from
from linnet.terminology import write_terminology
from linnet.terminology.merge import merge
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.sssom import Mapping as Sssom
from linnet.terminology.sssom import read_sssom
from linnet.train.clusters import LinkedCandidates, linked_candidates
from linnet.train.corpus import read_mentions
from linnet.train.tasks.dual import split_documents
from linnet.train.tasks.synonyms import SynonymsTask
from linnet.types import Concept, Mention

_MEDMENTIONS = "corpora/medmentions-st21pv/train.jsonl.gz"
DATA = Path(os.environ.get("LINNET_DATA", "../shared/data"))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The run file."""

    work: Path
    results: Path
    corpora: tuple[str, ...]
    objectives: tuple[str, ...]
    candidates: int
    clusters: int
    held_out: float
    refresh: int
    seeds: Mapping[str, int]
    margins: Mapping[str, float]
    rates: Mapping[str, float]
    epochs: Mapping[str, int]
    names: Mapping[str, int]
    encoder: Mapping[str, float]
    variants: Mapping[str, Any]
    variant_corpora: tuple[str, ...]
    variant_seeds: int

    def terminology(self, corpus: str) -> Path:
        """Where the terminology of a corpus lies."""
        names = digest(json.dumps(dict(self.names), sort_keys=True))[:6]  # of the encoder of its dense index
        return self.work / f"{'mondo-hpo-do' if corpus == 'medmentions' else 'medic'}-{names}"

    def file(self, run: Run) -> Path:
        """Where the result of a run lies."""
        return results_folder(self) / f"{run.corpus}-{run.retrieval}-{run.kind}-{run.seed}.npz"

    def objective(self, corpus: str, kind: str) -> dict[str, Any]:
        """The section [objective] of an objective or variant, the paper's values where nothing else is said."""
        table = {"kind": kind, "margin": self.margins[corpus], **self.variants.get(kind, {})}
        if table["kind"] == "prototype-soft-radius":
            table = {"radius": "auto", "rate": self.rates[corpus], **table}
        return table

    def runs(self) -> list[Run]:
        """Seed by seed, so that all is there once before anything is repeated."""
        found = []
        for seed in range(max(*self.seeds.values(), self.variant_seeds)):
            for retrieval, count in self.seeds.items():
                for corpus in self.corpora:
                    kinds = self.objectives if seed < count else ()
                    if retrieval == "dense" and corpus in self.variant_corpora and seed < self.variant_seeds:
                        kinds = (*kinds, *self.variants)
                    found += [Run(corpus, retrieval, kind, seed) for kind in kinds]
        return found


@dataclass(frozen=True)
class Run:
    """One training."""

    corpus: str
    retrieval: str
    kind: str
    seed: int


def mondo_hpo_do() -> Iterator[Concept]:
    """Mondo, HPO and DO joined through exact mappings and shared CUIs; each CUI an alternative id of what it maps to."""
    options = [ReadOptions(only_prefixes={prefix}) for prefix in ("MONDO", "HP", "DOID")]
    places = ("biolexica/phenotype.ssslm.tsv.gz", "hpo/hp.json", "doid/doid.obo.gz")
    given = [
        list(read(DATA / "terminologies" / place, options=option))
        for place, option in zip(places, options, strict=True)
    ]
    mappings = [
        mapping
        for name in ("umls", "doid")
        for mapping in read_sssom(DATA / f"terminologies/mondo/mondo_exactmatch_{name}.sssom.tsv").mappings
    ]
    mappings += [
        Sssom(concept.id, "skos:exactMatch", id)
        for concept in (*given[1], *given[2])
        for id in concept.xrefs
        if id.startswith("UMLS:")
    ]
    concepts = list(merge(given, mappings=mappings))
    current = {c.id: (c.id,) if c.name else c.replaced_by for c in concepts}
    cuis: dict[str, dict[str, None]] = {}
    for mapping in mappings:
        if mapping.object.startswith("UMLS:"):
            cuis.setdefault(mapping.object, {}).update(dict.fromkeys(current.get(mapping.subject, ())))
    yield from (concept for concept in concepts if not concept.id.startswith("UMLS:"))
    yield from (Concept(cui, "", replaced_by=tuple(ids)) for cui, ids in cuis.items() if ids)


def build(plan: Plan, name: str) -> None:
    """A terminology with its name encoder and indexes, unless it is there."""
    place = plan.work / name
    if (place / "index" / "dense").is_dir():
        return
    say(f"building {name}")
    source = DATA / "terminologies/medic/medic_06Jul2012.txt"
    concepts = read(source) if name.startswith("medic-") else mondo_hpo_do()
    terminology = write_terminology(concepts, place, sources=[{"path": name}])
    settings = {
        "task": "synonyms",
        "output": str(names_of(plan, name)),
        "data": {"terminologies": [str(place)]},
        "encoder": {
            "kind": "ngram",
            "buckets": plan.names["buckets"],
            "dimensions": plan.names["dimensions"],
            "quantisation": "int8",
        },
        "objective": {"kind": "info-nce", "temperature": 0.05},
    }
    task = SynonymsTask.prepare(settings_from(settings, SynonymsTask.Settings))
    say(
        f"  {plan.names['steps']} steps on its names: {fit(task, plan.names['steps']):.0f} s of processor time"
    )
    task.save(names_of(plan, name), card=f"# Names of {name}\n", training={"seed": 0})
    build_indexes(terminology, ("sparse", "dense"), encoder=names_of(plan, name), threads=1)


def names_of(plan: Plan, name: str) -> Path:
    """Where the name encoder of a terminology lies."""
    return plan.work / f"{name}-names"


def mentions_of(corpus: str, part: str) -> list[Mention]:
    """The mentions of "train" or "dev". MedMentions' own dev is not open with CUIs: a fifth of its train documents."""
    if corpus == "medmentions":
        mentions, _ = read_mentions([DATA / _MEDMENTIONS], format="mentions")
        train, dev = split_documents(mentions, share=0.2, seed=2023)
        return train if part == "train" else dev
    return read_mentions([DATA / file_of(corpus, part)], types=types_of(corpus))[0]


def write_medmentions(part: str, place: Path) -> None:
    """The lines of "train" or "dev" of MedMentions."""
    documents = {mention.document.id for mention in mentions_of("medmentions", part)}
    with gzip.open(DATA / _MEDMENTIONS, "rt", encoding="utf-8") as lines, open_output(place) as stream:
        stream.writelines(line for line in lines if json.loads(line)["document"] in documents)


def file_of(corpus: str, part: str) -> str:
    """Where "train" or "dev" of a corpus with documents lies, below `DATA`."""
    if corpus == "ncbi":
        return f"corpora/ncbi-disease/NCBI{ {'train': 'train', 'dev': 'develop'}[part] }set_corpus.txt"
    return f"corpora/bc5cdr/CDR_{ {'train': 'Training', 'dev': 'Development'}[part] }Set.PubTator.txt"


def types_of(corpus: str) -> list[str]:
    """Of the mentions that count; none for all."""
    return ["Disease"] if corpus == "bc5cdr-disease" else []


def fit(task: Any, steps: int) -> float:
    """So many steps at a constant rate; returns the seconds of processor time they took."""
    optimiser, began = task.optimiser(), time.process_time()
    task.module.train()
    for step in range(steps):
        loss = task.loss(step)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    task.module.eval()
    return time.process_time() - began


@dataclass(frozen=True)
class Found:
    """The parts of a corpus with their candidates, and what was left out of them."""

    train: LinkedCandidates
    held: LinkedCandidates
    dev: LinkedCandidates


@cache
def found(plan_file: Path, corpus: str, retrieval: str) -> Found:
    """Candidates of one retrieval; kept in the work folder, since all seeds and objectives share them."""
    plan = read_settings(plan_file, Plan)
    settings = f"{plan.terminology(corpus).name}-{plan.candidates}-{plan.held_out:g}"
    kept = plan.work / f"candidates-{corpus}-{retrieval}-{settings}.pickle"
    if kept.exists():
        made: Found = pickle.loads(kept.read_bytes())
        return made
    say(f"candidates: {corpus} {retrieval}")
    linker = Linker.open(
        [plan.terminology(corpus)], pipeline=Pipeline(retrievers=(retrieval,), reranker=None), threads=1
    )
    own, held = split_documents(mentions_of(corpus, "train"), share=plan.held_out, seed=0)
    parts = (
        linked_candidates(some, linker, k=plan.candidates) for some in (own, held, mentions_of(corpus, "dev"))
    )
    made = Found(*parts)
    with replacing(kept) as draft:
        draft.write_bytes(pickle.dumps(made))
    return made
