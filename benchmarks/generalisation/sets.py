"""Every dev set by name: `sets[name](data, out)` makes it from the real data, by seed where it is a sample.

Nothing of the data is stored but in `out`. The notes say what the encoder `ngram` has seen, which has learnt from names of open
terminologies and from MedMentions. A set that the reranker `context` learns from is linked with one that was trained without it.
"""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from benchmarks.generalisation import strings
from benchmarks.generalisation.cross_references import concepts_by_reference
from benchmarks.generalisation.dev_set import DevSet, mention_document, only
from benchmarks.generalisation.terminologies import Built, build
from linnet import corpora
from linnet.corpora import Notes
from linnet.io.files import read_lines
from linnet.types import Document

__all__ = ["sets"]

_SEED = 15


def _built(name: str, data: Path, out: Path) -> Built:
    return build(name, data / "terminologies", out / "terminologies")


def _corpus(*places: Path) -> list[Document]:
    return [document for place in places for document in corpora.read(place, note=Notes().add)]


def _tmvar(data: Path, out: Path) -> DevSet:
    return DevSet(
        "tmvar-diseases",
        "tmVar3, diseases → MEDIC 2021+",
        _built("medic-2021", data, out).terminology,
        only(_corpus(data / "corpora/tmvar3/tmVar3.PubTator"), "Disease"),
        "303 abstracts that no other corpus has. MEDIC 2021+ has 98.9 % of the gold ids, MeSH 2024 96.0 %. The "
        "encoder knows MeSH's names, not MEDIC's.",
    )


def _nlm_chem(data: Path, out: Path) -> DevSet:
    return DevSet(
        "nlm-chem",
        "NLM-Chem, chemicals → MeSH 2024",
        _built("mesh", data, out).terminology,
        only(_corpus(data / "corpora/nlm-chem/half.PubTator"), "Chemical"),
        "25 full texts, each paragraph a document; intervals draw full texts. The encoder knows MeSH 2024, "
        "not these texts.",
        unit="text",
    )


def _hpo_notes(data: Path, out: Path) -> DevSet:
    folder = data / "corpora/hpo-notes"
    return DevSet(
        "hpo-notes",
        "HPO notes → HPO 2025",
        _built("hpo-2025", data, out).terminology,
        only(_corpus(folder / "id-68.jsonl", folder / "genereviews.jsonl")),
        "68 clinical notes and 10 reviews. The encoder knows HPO's names.",
    )


def _medmentions(data: Path, out: Path) -> DevSet:
    terminology = _built("diseases-and-phenotypes", data, out).terminology
    concepts = concepts_by_reference(data / "terminologies", terminology, prefix="UMLS")
    rows = [json.loads(line) for _, line in read_lines(data / "corpora/medmentions-st21pv/train.jsonl.gz")]
    mapped = [row for row in rows if row["concept"] in concepts]
    drawn = set(_drawn((row["document"] for row in mapped), 600))
    documents = (
        mention_document(
            row["text"],
            [concepts[row["concept"]]],
            id=row["document"],
            left=row["left"],
            right=row["right"],
        )
        for row in mapped
        if row["document"] in drawn
    )
    return DevSet(
        "medmentions",
        "MedMentions ST21pv → HPO, DO and Mondo",
        terminology,
        tuple(documents),
        "600 documents; UMLS concepts with one counterpart in HPO, DO and Mondo joined. **Not left out for the encoder**, "
        "which has learnt from these very mentions (those of one CUI are names of one concept).",
        seen=True,
    )


def _medmentions_dev(data: Path, out: Path) -> DevSet:
    terminology = _built("diseases-and-phenotypes", data, out).terminology
    concepts = concepts_by_reference(data / "terminologies", terminology, prefix="UMLS")
    documents = []
    for _, line in read_lines(data / "corpora/medmentions-dev/sentences.jsonl.gz"):
        row = json.loads(line)
        for mention in row["mentions"]:
            concept = concepts.get(f"UMLS:{mention['cui']}")
            if concept is not None:
                left, right = row["text"][: mention["start"]], row["text"][mention["end"] :]
                documents.append(
                    mention_document(mention["text"], [concept], id=row["id"], left=left, right=right)
                )
    drawn = set(_drawn((document.id for document in documents), 1500))
    return DevSet(
        "medmentions-dev",
        "MedMentions dev → HPO, DO and Mondo",
        terminology,
        tuple(document for document in documents if document.id in drawn),
        "1,500 lower-cased sentences of documents that the encoder has not seen either; every semantic type that has "
        "a counterpart, each sentence a document.",
        unit="sentence",
    )


def _ask_a_patient(data: Path, out: Path) -> DevSet:
    terminology = _built("diseases-and-phenotypes", data, out).terminology
    concepts = concepts_by_reference(data / "terminologies", terminology, prefix="SNOMEDCT")
    golds: dict[str, set[str | None]] = defaultdict(set)
    for part in ("train", "dev"):
        path = data / f"corpora/askapatient/fold0.{part}.tsv"
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
                code = row["concept"].partition(":")[2]
                golds[row["phrase"].strip()].add(concepts.get(f"SNOMEDCT:{code}"))
    single = {phrase: min(ids) for phrase, ids in golds.items() if len(ids) == 1 and None not in ids}  # type: ignore[type-var]
    drawn = _drawn(single, 1500)
    documents = (mention_document(phrase, [str(single[phrase])], id=phrase) for phrase in drawn)
    return DevSet(
        "askapatient",
        "AskAPatient → HPO, DO and Mondo",
        terminology,
        tuple(documents),
        "1,500 distinct phrases of patients that are annotated with one concept, which has one counterpart in HPO, DO and "
        "Mondo joined. No model has seen them.",
        unit="string",
    )


def _drawn(ids: Iterable[str], count: int) -> list[str]:
    distinct = sorted(set(ids))
    return sorted(random.Random(_SEED).sample(distinct, min(count, len(distinct))))


def _held_out(data: Path, out: Path, *, name: str, title: str, seen: bool, note: str) -> DevSet:
    built = _built(f"{name}-held-out", data, out)
    documents = (mention_document(text, [concept], id=concept) for text, concept in built.held_out)
    return DevSet(
        f"{name}-synonyms",
        f"{title}, names held out",
        built.terminology,
        tuple(documents),
        f"{note} {len(built.held_out):,} names, one a concept.",
        unit="string",
        seen=seen,
    )


_SEEN = "The encoder has learnt from these names."
_HELD = {
    "mesh": ("MeSH 2024", True, _SEEN),
    "hpo": ("HPO 2025", True, _SEEN),
    "mondo": ("Mondo", True, _SEEN),
    "cells": (
        "Cell Ontology",
        False,
        "The encoder has learnt from 15 % of these names.",
    ),
    "genes": ("Human genes", True, f"{_SEEN} Only names of protein-coding genes are asked."),
}


def _of_strings(data: Path, out: Path, *, read: Callable[[Path], strings.Strings]) -> DevSet:
    rows = read(data)
    documents = (
        mention_document(row.text, row.concepts, id=f"{rows.name}-{row.number}") for row in rows.strings
    )
    return DevSet(
        rows.name,
        rows.title,
        _built("mesh", data, out).terminology,
        tuple(documents),
        rows.note,
        unit="string",
        labels=tuple(row.difficulty for row in rows.strings),
    )


sets: dict[str, Callable[[Path, Path], DevSet]] = {
    "registry-tune": partial(_of_strings, read=partial(strings.registry, part="tune")),
    "registry-score": partial(_of_strings, read=partial(strings.registry, part="score")),
    "hospital": partial(_of_strings, read=strings.hospital),
    "mixed-strings": partial(_of_strings, read=strings.mixed),
    "tmvar-diseases": _tmvar,
    "nlm-chem": _nlm_chem,
    "hpo-notes": _hpo_notes,
    "medmentions": _medmentions,
    "medmentions-dev": _medmentions_dev,
    "askapatient": _ask_a_patient,
    **{
        f"{name}-synonyms": partial(_held_out, name=name, title=title, seen=seen, note=note)
        for name, (title, seen, note) in _HELD.items()
    },
}
