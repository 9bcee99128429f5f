"""What the DILBERT experiments link: terminologies with a hierarchy, corpora, clinical-trial records, bare strings."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import paper_corpora
from harness import DATA, HERE, say

from linnet.evaluate.gold import Gold, golds_of
from linnet.read.abbreviations import expanded_texts
from linnet.read.doses import strip_doses
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import read
from linnet.types import Concept, Mention

__all__ = [
    "STRINGS", "TITLES", "TRIALS", "Asked", "asked", "build", "fold_of", "mentions_of", "place_of", "terminology", "without",
]  # fmt: skip

_TERMS = DATA / "terminologies"
# What is linked of a clinical trial → its terminology, and what the registry calls it.
TRIALS = {"conditions": "conditions", "interventions": "chemicals"}
# Bare strings of registries and hospital tables → their terminology.
STRINGS = {"strings": "conditions"}
TITLES = {
    **paper_corpora.TITLES,
    "conditions": "conditions of trials",
    "strings": "bare strings",
    "interventions": "drugs of trials",
}
_DRUGS = {"DRUG", "BIOLOGICAL", "COMBINATION_PRODUCT"}  # the paper's three, §3


# ── terminologies ────────────────────────────────────────────────────────────────────────────────────────────


def build(work: Path) -> None:
    """The terminologies, and how their concepts came by parents, unless they are there.

    medic       MEDIC of July 2012, which has no hierarchy, with that of MeSH, Mondo and DO
    chemicals   MeSH's tree D and supplementary chemicals
    conditions  MeSH's trees C, E and F, where the paper found the conditions of trials
    """
    if (work / "hierarchy.json").exists():
        return
    work.mkdir(parents=True, exist_ok=True)
    say("reading MeSH")
    mesh = list(read(_TERMS / "mesh2024/desc2024.rebuilt.xml.gz"))
    source = [{"path": "MeSH 2024"}]
    conditions = (c for c in mesh if {"Disease", "Procedure", "Psychology"} & set(c.types))
    _write(work / "conditions", conditions, source)
    _write(work / "chemicals", _chemicals(mesh), source)
    concepts: Sequence[Concept] = list(read(_TERMS / "medic/medic_06Jul2012.txt"))
    concepts, gained = paper_corpora.with_parents(concepts, mesh)
    _write(work / "medic", concepts, [{"path": "MEDIC, July 2012"}, {"path": "MeSH, Mondo and DO: parents"}])
    (work / "hierarchy.json").write_text(json.dumps(gained))


def _chemicals(mesh: Sequence[Concept]) -> list[Concept]:
    supplementary = read(_TERMS / "mesh2024/supp2024.rebuilt.xml.gz")
    chemicals = [c for c in (*mesh, *supplementary) if {"Chemical", "Protein"} & {*c.types}]
    ids = {c.id for c in chemicals}
    chemicals = [replace(c, parents=tuple(p for p in c.parents if p in ids)) for c in chemicals]
    with (_TERMS / "mesh2024/scr_to_descriptor.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            old, new = (f"MESH:{id}" for id in list(row.values())[:2])
            if new in ids and old not in ids:
                chemicals.append(Concept(old, "", replaced_by=(new,)))
    return chemicals


def _write(place: Path, concepts: Any, sources: list[dict[str, str]]) -> None:
    built = write_terminology(concepts, place, sources=sources)
    say(f"{place.name}: {len(built):,} concepts, {len(built.names):,} names")


def without(whole: Terminology, removed: frozenset[str], place: Path) -> Terminology:
    """The terminology without some concepts, and without the ids that stood for them."""
    if not (place / "terminology.json").exists():
        concepts = []
        for concept in whole:
            kept = tuple(id for id in concept.replaced_by if id not in removed)
            if concept.id not in removed and (concept.name or kept):
                parents = tuple(id for id in concept.parents if id not in removed)
                concepts.append(replace(concept, parents=parents, replaced_by=kept))
        name = f"{whole.path.name}, {len(removed)} concepts removed"
        write_terminology(concepts, place, sources=[{"path": name}])
    return Terminology.open(place)


@cache
def terminology(place: Path) -> Terminology:
    """Opened once."""
    return Terminology.open(place)


def place_of(target: str) -> str:
    """The directory of the terminology that something is linked to."""
    return TRIALS.get(target) or STRINGS.get(target) or ("chemicals" if "chemical" in target else "medic")


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
    return tuple(paper_corpora.mentions_of(corpus, part))


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
                entries = [entry["name"] for entry in row["interventions"] if entry["type"] in _DRUGS]
                terms = row["intervention_mesh"]
            ids = frozenset(f"MESH:{id}" for id, _ in terms)
            for entry in entries:
                texts.append(strip_doses(entry))
                golds.append(Gold(row["nct"], 0, len(entry), entry, what, ids))
    return Asked(texts, golds)


def _strings() -> Asked:
    """Those of benchmarks/generalisation/ that a person or a language model annotated: hospital, mixed, and registry to tune on."""
    strings = _annotated()
    sources = (strings.hospital(DATA), strings.mixed(DATA), strings.registry(DATA, part="tune"))
    golds = [_gold(source, one) for source in sources for one in source.strings]
    return Asked([gold.text for gold in golds], golds)


def annotated_drugs() -> Asked:
    """Entries of trials, of the paper's types and of one concept or none, that benchmarks/generalisation/ has annotated to tune on."""
    registry = _annotated().registry(DATA, part="tune")
    with (DATA / "corpora/clinical-trials/trials.jsonl").open(encoding="utf-8") as file:
        entries = [entry for row in map(json.loads, file) for entry in row["interventions"]]
    drugs = {entry["name"].strip() for entry in entries if entry["type"] in _DRUGS}
    golds = [_gold(registry, one) for one in registry.strings if one.text.strip() in drugs]
    golds = [gold for gold in golds if len(gold.concepts) < 2]
    return Asked([strip_doses(gold.text) for gold in golds], golds)


def _annotated() -> Any:
    if str(HERE.parent) not in sys.path:
        sys.path.append(str(HERE.parent))
    from benchmarks.generalisation import strings

    return strings


def _gold(source: Any, one: Any) -> Gold:
    return Gold(f"{source.name}-{one.number}", 0, len(one.text), one.text, "string", frozenset(one.concepts))


def fold_of(documents: Sequence[str], *, folds: int, seed: int) -> np.ndarray[Any, Any]:
    """(N,) to which of so many parts each mention's document belongs."""
    names = sorted(set(documents))
    drawn = np.random.default_rng(seed).permutation(len(names)) % folds
    place = dict(zip(names, drawn.tolist(), strict=True))
    return np.array([place[name] for name in documents])
