"""The corpora and the joined terminology that the experiments on papers share."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness import DATA

from linnet.io.files import open_output
from linnet.terminology.enrich import enrich
from linnet.terminology.merge import merge
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.sssom import Mapping, read_sssom
from linnet.train.corpus import read_mentions
from linnet.train.tasks.dual import split_documents
from linnet.types import Concept, Mention

__all__ = [
    "TITLES",
    "exact_matches",
    "file_of",
    "mentions_of",
    "mondo_hpo_do",
    "types_of",
    "with_parents",
    "write_medmentions",
]

TITLES = {
    "ncbi": "NCBI disease",
    "bc5cdr-disease": "BC5CDR disease",
    "bc5cdr-chemical": "BC5CDR chemical",
    "tmvar3": "tmVar3 disease",
    "medmentions": "MedMentions (Mondo/HPO/DO)",
}
_MEDMENTIONS = "corpora/medmentions-st21pv/train.jsonl.gz"
_NCBI = {"train": "NCBItrainset_corpus.txt", "dev": "NCBIdevelopset_corpus.txt"}
_BC5CDR = {"train": "CDR_TrainingSet.PubTator.txt", "dev": "CDR_DevelopmentSet.PubTator.txt"}
_TYPES = {"bc5cdr-disease": ("Disease",), "bc5cdr-chemical": ("Chemical",), "tmvar3": ("Disease",)}


def file_of(corpus: str, part: str) -> str:
    """Where "train" or "dev" of a corpus with documents lies, below `DATA`; tmVar3 has one file."""
    if corpus == "tmvar3":
        return "corpora/tmvar3/tmVar3.PubTator"
    return f"corpora/ncbi-disease/{_NCBI[part]}" if corpus == "ncbi" else f"corpora/bc5cdr/{_BC5CDR[part]}"


def types_of(corpus: str) -> tuple[str, ...]:
    """Of the mentions that count; empty for all."""
    return _TYPES.get(corpus, ())


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


def exact_matches(*names: str) -> list[Mapping]:
    """Mondo's exact mappings to vocabularies."""
    files = (DATA / f"terminologies/mondo/mondo_exactmatch_{name}.sssom.tsv" for name in names)
    return [mapping for file in files for mapping in read_sssom(file).mappings]


def mondo_hpo_do() -> Iterator[Concept]:
    """Mondo, HPO and DO joined through exact mappings and shared CUIs; each CUI an alternative id of what it maps to."""
    sources = {"MONDO": "biolexica/phenotype.ssslm.tsv.gz", "HP": "hpo/hp.json", "DOID": "doid/doid.obo.gz"}
    given = [
        list(read(DATA / "terminologies" / place, options=ReadOptions(only_prefixes={prefix})))
        for prefix, place in sources.items()
    ]
    mappings = exact_matches("umls", "doid") + [
        Mapping(concept.id, "skos:exactMatch", id)
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


def with_parents(
    concepts: Sequence[Concept], mesh: Sequence[Concept] | None = None
) -> tuple[Sequence[Concept], list[tuple[str, int, int, int]]]:
    """Concepts with the parents that MeSH, Mondo and DO have, through equal ids and exact mappings.

    mesh  its concepts, where they are read already

    Second come, for each source, its name, concepts in common, concepts that gained parents, and those that then have some.
    """
    terms = DATA / "terminologies"
    mesh = mesh or list(read(terms / "mesh2024/desc2024.rebuilt.xml.gz"))
    do = read(terms / "doid/doid.obo.gz", options=ReadOptions(only_prefixes={"DOID"}))
    mappings, gained = exact_matches("mesh", "omim", "doid"), []
    for name, extra in (("MeSH", mesh), ("Mondo", list(_mondo())), ("DO", list(do))):
        grown = enrich(concepts, extra, mappings=mappings)
        concepts = grown.concepts
        gained.append((name, grown.matched, grown.parents, sum(bool(c.parents) for c in concepts)))
    return concepts, gained


def _mondo() -> Iterator[Concept]:
    """Mondo's ids and parents; the names are of no use here."""
    parents: dict[str, list[str]] = {}
    with (DATA / "terminologies/mondo/edges.tsv").open(encoding="utf-8") as file:
        for row in csv.reader(file, delimiter="\t"):
            if row[1] == "rdfs:subClassOf" and row[0].startswith("MONDO:") and row[2].startswith("MONDO:"):
                parents.setdefault(row[0], []).append(row[2])
                parents.setdefault(row[2], [])
    return (Concept(id, id, parents=tuple(above)) for id, above in parents.items())
