"""Makes the terminologies that the default encoders learn from, of open sources only.

    python experiments/open_terminologies.py OUT       (LINNET_DATA says where the sources are)

OUT/open       names of diseases, phenotypes, chemicals, genes, anatomy and processes, joined through SSSOM mappings and
               HPO's cross references to UMLS; mentions of MedMentions ST21pv train that share a CUI are names of one concept
OUT/diseases   those of its concepts that are diseases or phenotypes
OUT/mentions   mentions of NCBI and BC5CDR train as names of their concepts, joined to nothing

MEDIC and CTD are not among them, nor anything under a share-alike licence; `SOURCES` says what each is and whose.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from linnet import corpora
from linnet.evaluate import augmentation_pairs
from linnet.io.files import read_lines
from linnet.read.abbreviations import spelt_out
from linnet.terminology import write_terminology
from linnet.terminology.merge import merge
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.sssom import Mapping, read_sssom
from linnet.types import Concept

DATA = Path(os.environ.get("LINNET_DATA", "../shared/data"))
TERMS = DATA / "terminologies"
TRAIN = ("ncbi-disease/NCBItrainset_corpus.txt", "bc5cdr/CDR_TrainingSet.PubTator.txt")
DISEASES = {"DOID", "MONDO", "HP", "ORPHA", "NCIT", "SYMP", "MEDDRA", "OMIM"}
HPO = "hpo/hp-2025-01-16.obo.gz"
MOST_MENTIONS = 40  # distinct mentions of a CUI, the most frequent ones

# Place, reader's options and licence, in order of precedence.
SOURCES: list[tuple[str, ReadOptions, str]] = [
    ("mesh2024/desc2024.rebuilt.xml.gz", ReadOptions(), "MeSH: NLM, public domain"),
    ("mesh2024/supp2024.rebuilt.xml.gz", ReadOptions(), "MeSH: NLM, public domain"),
    ("doid/doid.obo.gz", ReadOptions(only_prefixes={"DOID"}), "DO: CC0"),
    (HPO, ReadOptions(only_prefixes={"HP"}), "HPO licence"),
    ("mondo_sources/ncit-disease-2018-06-08.json.gz", ReadOptions(only_prefixes={"NCIT"}), "NCIt: CC-BY-4.0"),
    ("mondo_sources/ordo-2_6-2018-07-12.json.gz", ReadOptions(), "ORDO: CC-BY-4.0"),
    ("biolexica/phenotype.ssslm.tsv.gz", ReadOptions(), "DO CC0, NCIt CC-BY, Mondo CC-BY, HPO, SYMP CC0"),
    ("biolexica/anatomy.ssslm.tsv.gz", ReadOptions(), "Uberon, CL, BTO, Cellosaurus: CC-BY"),
    ("reach/PubChem.tsv.gz", ReadOptions(columns={"name": 1, "id": 2}, prefix="PUBCHEM", header=False), "PubChem: public domain"),
    ("reach/bio_process.tsv.gz", ReadOptions(columns={"name": 1, "id": 2}, header=False, prefix="MESH"), "GO: CC-BY-4.0"),
    ("other/mp_chebi_import.obo", ReadOptions(only_prefixes={"CHEBI"}), "ChEBI: CC-BY-4.0"),
    ("other/Homo_sapiens.gene_info.gz", ReadOptions(), "NCBI Gene: public domain"),
]  # fmt: skip


def main(out: Path) -> None:
    """Build both terminologies."""
    given = []
    for place, options, _ in SOURCES:
        concepts = list(_united(read(TERMS / place, format=_format(place), options=options)))
        print(f"{place}: {sum(bool(c.name) for c in concepts):,} concepts", file=sys.stderr)
        given.append(concepts)
    given.append(list(_medmentions()))
    merged = merge(given, mappings=_mappings())
    sources = [{"path": place, "licence": licence} for place, _, licence in SOURCES]
    sources.append({"path": "MedMentions ST21pv train", "licence": "CC0"})
    built = write_terminology(merged, out / "open", sources=sources)
    print(f"{len(built):,} concepts, {len(built.names):,} names; {merged.joined:,} joined", file=sys.stderr)
    diseases = [
        c for c in merged if c.name and ("Disease" in c.types or c.id.split(":")[0].upper() in DISEASES)
    ]
    print(f"{len(diseases):,} are diseases or phenotypes", file=sys.stderr)
    write_terminology(diseases, out / "diseases", sources=sources)
    train = [{"path": place, "licence": "public"} for place in TRAIN]
    write_terminology(_train_mentions(), out / "mentions", sources=train)


def _format(place: str) -> str | None:
    return "table" if place.startswith("reach/") else None


def _united(concepts: Iterator[Concept]) -> Iterator[Concept]:
    """A table with one name a row gives a concept once, whatever it does."""
    seen: set[str] = set()
    for concept in concepts:
        if concept.id not in seen:
            seen.add(concept.id)
            yield concept


def _medmentions() -> Iterator[Concept]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for _, line in read_lines(DATA / "corpora/medmentions-st21pv/train.jsonl.gz"):
        row = json.loads(line)
        counts[row["concept"]][row["text"]] += 1
    for id, texts in counts.items():
        first, *others = (text for text, _ in texts.most_common(MOST_MENTIONS))
        yield Concept(id, first, tuple(others), sources=("MedMentions",))


def _mappings() -> Iterator[Mapping]:
    for name in ("mesh", "doid", "ncit", "omim", "orphanet", "umls"):
        yield from read_sssom(TERMS / f"mondo/mondo_exactmatch_{name}.sssom.tsv").mappings
    for concept in read(TERMS / HPO, options=ReadOptions(only_prefixes={"HP"})):
        for id in concept.xrefs:
            if id.startswith("UMLS:"):
                yield Mapping(concept.id, "skos:exactMatch", id)


def _train_mentions() -> Iterator[Concept]:
    documents = [document for file in TRAIN for document in corpora.read(DATA / "corpora" / file)]
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for text, id in augmentation_pairs(documents, expand=spelt_out):
        names[id][text] = None
    for id, texts in sorted(names.items()):
        first, *others = texts
        yield Concept(id, first, tuple(others))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
