"""What the DILBERT experiment links: its plan, terminologies with a hierarchy, corpora, clinical-trial records."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from kept import results_folder
from progress import say

from linnet.evaluate.gold import Gold, golds_of
from linnet.read.abbreviations import expanded_texts
from linnet.read.doses import strip_doses
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.enrich import enrich
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.sssom import read_sssom
from linnet.train.corpus import read_mentions
from linnet.types import Concept, Mention

ROOT = Path(__file__).absolute().parents[1]
DATA = Path(os.environ.get("LINNET_DATA", "../shared/data"))
TERMS = DATA / "terminologies"
FILES = {
    ("bc5cdr", "train"): "bc5cdr/CDR_TrainingSet.PubTator.txt",
    ("bc5cdr", "dev"): "bc5cdr/CDR_DevelopmentSet.PubTator.txt",
    ("ncbi", "train"): "ncbi-disease/NCBItrainset_corpus.txt",
    ("ncbi", "dev"): "ncbi-disease/NCBIdevelopset_corpus.txt",
    ("tmvar3", "dev"): "tmvar3/tmVar3.PubTator",
}
# Corpus → its file, types and terminology.
CORPORA = {
    "bc5cdr-disease": ("bc5cdr", ["Disease"], "medic"),
    "ncbi": ("ncbi", [], "medic"),
    "tmvar3": ("tmvar3", ["Disease"], "medic"),
    "bc5cdr-chemical": ("bc5cdr", ["Chemical"], "chemicals"),
}
# What is linked of a clinical trial → its terminology, and what the registry calls it.
TRIALS = {"conditions": "conditions", "interventions": "chemicals"}
# Bare strings of registries and hospital tables → their terminology.
STRINGS = {"strings": "conditions"}
DRUGS = {"DRUG", "BIOLOGICAL", "COMBINATION_PRODUCT"}  # the paper's three, §3


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """How triplets are drawn, and how many names of parents or siblings are added."""

    strategy: str
    k: int = 2


@dataclass(frozen=True, kw_only=True)
class Nil:
    """The experiment with concepts taken out of the terminology.

    corpora      whose dev mentions are linked
    removed      share of the refined dev mentions whose concept is taken out
    removals     how often concepts are drawn, each with an encoder of its own
    splits       of the mentions into those that choose the threshold and the others, for each removal
    tuning       mentions that choose it
    held_out     share of the training documents, not trained on, for the threshold that is chosen on train
    """

    corpora: tuple[str, ...]
    removed: float
    removals: int
    splits: int
    tuning: int
    held_out: float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The run file.

    encoder     keys of [encoder] of the n-gram encoder
    steps       of a stage: resampling goes on from one stage of `random` for another, the others are trained for both
    choices     margins and learning rates that are compared inside train, and in how many folds
    """

    work: Path
    results: Path
    seeds: Mapping[str, int]
    transfer: Mapping[str, tuple[str, ...]]
    strategies: Mapping[str, Strategy]
    encoder: Mapping[str, Any]
    triplets: int
    steps: int
    margin: float
    choices: Mapping[str, tuple[float, ...]]
    folds: int
    nil: Nil

    def file(self, *parts: object) -> Path:
        """Where the result of a run lies."""
        return results_folder(self) / ("-".join(map(str, parts)) + ".json")


# ── terminologies ────────────────────────────────────────────────────────────────────────────────────────────


def build(plan: Plan) -> None:
    """The terminologies, and how their concepts came by parents, unless they are there.

    medic       MEDIC of July 2012, which has no hierarchy, with that of MeSH, Mondo and DO
    chemicals   MeSH's tree D and supplementary chemicals
    conditions  MeSH's trees C, E and F, where the paper found the conditions of trials
    """
    if (plan.work / "hierarchy.json").exists():
        return
    say("reading MeSH")
    mesh = list(read(TERMS / "mesh2024/desc2024.rebuilt.xml.gz"))
    supplementary = list(read(TERMS / "mesh2024/supp2024.rebuilt.xml.gz"))
    say("writing terminologies")
    source = [{"path": "MeSH 2024"}]
    _write(
        plan, "conditions", (c for c in mesh if {"Disease", "Procedure", "Psychology"} & set(c.types)), source
    )
    chemicals = [c for c in (*mesh, *supplementary) if {"Chemical", "Protein"} & {*c.types}]
    ids = {c.id for c in chemicals}
    chemicals = [replace(c, parents=tuple(p for p in c.parents if p in ids)) for c in chemicals]
    moved = csv.DictReader((TERMS / "mesh2024/scr_to_descriptor.tsv").open(encoding="utf-8"), delimiter="\t")
    for row in moved:
        old, new = (f"MESH:{id}" for id in list(row.values())[:2])
        if new in ids and old not in ids:
            chemicals.append(Concept(old, "", replaced_by=(new,)))
    _write(plan, "chemicals", chemicals, source)
    concepts: Sequence[Concept] = list(read(TERMS / "medic/medic_06Jul2012.txt"))
    mappings = [
        mapping
        for name in ("mesh", "omim", "doid")
        for mapping in read_sssom(TERMS / f"mondo/mondo_exactmatch_{name}.sssom.tsv").mappings
    ]
    do = read(TERMS / "doid/doid.obo.gz", options=ReadOptions(only_prefixes={"DOID"}))
    gained = []
    for name, extra in (("MeSH", mesh), ("Mondo", list(_mondo())), ("DO", list(do))):
        grown = enrich(concepts, extra, mappings=mappings)
        concepts = grown.concepts
        gained.append((name, grown.matched, grown.parents, sum(bool(c.parents) for c in concepts)))
    _write(plan, "medic", concepts, [{"path": "MEDIC, July 2012"}, {"path": "MeSH, Mondo and DO: parents"}])
    (plan.work / "hierarchy.json").write_text(json.dumps(gained))


def _mondo() -> Iterator[Concept]:
    """Mondo's ids and parents; the names are of no use here."""
    parents: dict[str, list[str]] = {}
    with (TERMS / "mondo/edges.tsv").open(encoding="utf-8") as file:
        for row in csv.reader(file, delimiter="\t"):
            if row[1] == "rdfs:subClassOf" and row[0].startswith("MONDO:") and row[2].startswith("MONDO:"):
                parents.setdefault(row[0], []).append(row[2])
                parents.setdefault(row[2], [])
    return (Concept(id, id, parents=tuple(above)) for id, above in parents.items())


def _write(plan: Plan, name: str, concepts: Any, sources: list[dict[str, str]]) -> Terminology:
    built = write_terminology(concepts, plan.work / name, sources=sources)
    say(f"{name}: {len(built):,} concepts, {len(built.names):,} names")
    return built


def without(plan: Plan, name: str, removed: frozenset[str], place: Path) -> Terminology:
    """The terminology without some concepts, and without the ids that stood for them."""
    if not (place / "terminology.json").exists():
        concepts = []
        for concept in terminology(plan.work / name):
            kept = tuple(id for id in concept.replaced_by if id not in removed)
            if concept.id not in removed and (concept.name or kept):
                parents = tuple(id for id in concept.parents if id not in removed)
                concepts.append(replace(concept, parents=parents, replaced_by=kept))
        write_terminology(concepts, place, sources=[{"path": f"{name}, {len(removed)} concepts removed"}])
    return Terminology.open(place)


@cache
def terminology(place: Path) -> Terminology:
    """Opened once."""
    return Terminology.open(place)


# ── what is linked ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Asked:
    """Mentions to link: (N,) what an encoder reads, and what is right."""

    texts: list[str]
    golds: list[Gold]

    @property
    def documents(self) -> list[str]:
        """(N,)"""
        return [gold.document for gold in self.golds]


@cache
def mentions_of(corpus: str, part: str) -> tuple[Mention, ...]:
    """The mentions of "train" or "dev"."""
    name, types, _ = CORPORA[corpus]
    return tuple(read_mentions([DATA / "corpora" / FILES[name, part]], types=types)[0])


@cache
def asked(name: str) -> Asked:
    """Mentions of the dev part of a corpus, abbreviations spelt out; the entries of clinical trials; or bare strings.

    An entry's gold is whatever terms the registry gave the whole trial, automatically: weak. Entries of trials without
    such a term of the terminology are left out.
    """
    if name in TRIALS:
        return _trials(name)
    if name in STRINGS:
        return _strings()
    mentions = mentions_of(name, "dev")
    return Asked(list(expanded_texts(mentions)), golds_of(mentions))


def _trials(what: str) -> Asked:
    texts, golds = [], []
    with (DATA / "corpora/clinical-trials/trials.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            if what == "conditions":
                entries, terms = row["conditions"], row["condition_mesh"]
            else:
                entries = [entry["name"] for entry in row["interventions"] if entry["type"] in DRUGS]
                terms = row["intervention_mesh"]
            ids = frozenset(f"MESH:{id}" for id, _ in terms)
            for entry in entries:
                texts.append(strip_doses(entry))
                golds.append(Gold(row["nct"], 0, len(entry), entry, what, ids))
    return Asked(texts, golds)


def _strings() -> Asked:
    """Those of benchmarks/generalisation/ that a person or a language model annotated: hospital, mixed, and registry to tune on."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks.generalisation import strings

    sources = (strings.hospital(DATA), strings.mixed(DATA), strings.registry(DATA, part="tune"))
    texts, golds = [], []
    for source in sources:
        for one in source.strings:
            texts.append(one.text)
            document = f"{source.name}-{one.number}"
            golds.append(Gold(document, 0, len(one.text), one.text, "string", frozenset(one.concepts)))
    return Asked(texts, golds)


def place_of(target: str) -> str:
    """The directory of the terminology that something is linked to."""
    return TRIALS.get(target) or STRINGS.get(target) or CORPORA[target][2]


def fold_of(documents: Sequence[str], *, folds: int, seed: int) -> np.ndarray[Any, Any]:
    """(N,) to which of so many parts each mention's document belongs."""
    names = sorted(set(documents))
    drawn = np.random.default_rng(seed).permutation(len(names)) % folds
    place = dict(zip(names, drawn.tolist(), strict=True))
    return np.array([place[name] for name in documents])
