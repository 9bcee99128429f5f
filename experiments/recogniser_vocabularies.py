"""The default recogniser with terminologies of other types, or of none: the names alone, and beside the tagger.

    python experiments/recogniser_vocabularies.py WORK [TERMINOLOGY…]      (LINNET_DATA says where corpora and terminologies are)

The Disease Ontology, as its file is and without the concepts that it imports; ORDO; MEDIC; UNII: their vocabularies say that they
hold diseases, or chemicals. And one of many kinds of concepts, with the types that these have in the UMLS and in SNOMED CT, which
are not open themselves; one of conditions, as OMOP calls diseases and findings, and as ICD-10-CM lists them. They are built and
indexed in WORK. A mention is right if its offsets are, among those whose type may mean what is asked for; the concept is not judged,
since the corpora are annotated with other terminologies. The tagger has learnt from the training sets of NCBI and BC5CDR, from
nothing of tmVar3.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from harness import DATA as LINNET_DATA
from result_tables import markdown, recognition

from linnet import corpora
from linnet.corpora import Notes
from linnet.link.indexing import build_indexes
from linnet.link.member import Member
from linnet.recognise import COMBINED, DICTIONARY, TerminologyNames, open_recogniser
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.overrides import read_overrides
from linnet.terminology.readers import ReadOptions, read
from linnet.types import Concept, Document
from linnet.words.semantic_groups import group_of_type

MEDIC = "medic/medic_06Jul2012.txt"
DOID, ORDO, UNII = "doid/doid.obo.gz", "mondo_sources/ordo.obo.gz", "other/unii_names.tsv.gz"
HPO, CELLS, GENES = "hpo/hp-2025-01-16.obo.gz", "other/cl-basic.obo", "other/Homo_sapiens.gene_info.gz"


class Source(NamedTuple):
    """A file, the prefixes that are read (none: all), the types that its concepts get (none: the file's), and the vocabulary that they
    are said to be of ("": their own)."""

    file: str
    prefixes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    vocabulary: str = ""


# What it is called → its sources, and the types of the mentions that are looked for.
TERMINOLOGIES: dict[str, tuple[tuple[Source, ...], tuple[str, ...]]] = {
    "Disease Ontology, whole file": ((Source(DOID),), ("Disease",)),
    "Disease Ontology, its own concepts": ((Source(DOID, ("DOID",)),), ("Disease",)),
    "ORDO": ((Source(ORDO),), ("Disease",)),
    "MEDIC": ((Source(MEDIC),), ("Disease",)),
    "as in ICD-10-CM: diseases and findings without types": (
        (Source(DOID, ("DOID",), vocabulary="ICD10CM"), Source(HPO, ("HP",), vocabulary="ICD10CM")),
        ("Disease",),
    ),
    "UNII": ((Source(UNII),), ("Chemical",)),
    "as in the UMLS: diseases, findings, substances, cells, genes": (
        (
            Source(DOID, ("DOID",), ("Disease or Syndrome", "T047")),
            Source(HPO, ("HP",), ("Finding", "T033")),
            Source(UNII, (), ("Pharmacologic Substance", "T121")),
            Source(CELLS, ("CL",), ("Cell", "T025")),
            Source(GENES, (), ("Gene or Genome", "T028")),
        ),
        ("Disease", "Chemical"),
    ),
    "as in SNOMED CT: disorders, findings, substances, cells": (
        (
            Source(DOID, ("DOID",), ("disorder",)),
            Source(HPO, ("HP",), ("finding",)),
            Source(UNII, (), ("substance",)),
            Source(CELLS, ("CL",), ("cell structure",)),
        ),
        ("Disease", "Chemical"),
    ),
    "as in OMOP: conditions": (
        (Source(DOID, ("DOID",), ("Condition",)), Source(HPO, ("HP",), ("Condition",))),
        ("Disease",),
    ),
}
# Corpus → its file, and its types of mentions; none where all are diseases.
CORPORA: dict[str, tuple[str, tuple[str, ...]]] = {
    "NCBI dev": ("ncbi-disease/NCBIdevelopset_corpus.txt", ()),
    "BC5CDR dev": ("bc5cdr/CDR_DevelopmentSet.PubTator.txt", ("Disease", "Chemical")),
    "tmVar3": ("tmvar3/tmVar3.PubTator", ("Disease",)),
}


def main(work: Path, *titles: str) -> None:
    """Print precision, recall and F1 of the names, and of the default, for these terminologies, none for all."""
    if unknown := [title for title in titles if title not in TERMINOLOGIES]:
        raise SystemExit(f"No terminology is called '{unknown[0]}'. There are: {'; '.join(TERMINOLOGIES)}")
    rows = []
    for title in titles or TERMINOLOGIES:
        sources, wanted = TERMINOLOGIES[title]
        names = _names(work / re.sub(r"\W+", "-", title.lower()), sources)
        for type, (corpus, (path, types)) in product(wanted, CORPORA.items()):
            if (types and type not in types) or (not types and type != "Disease"):
                continue
            documents = list(corpora.read(LINNET_DATA / "corpora" / path, note=Notes().add))
            cells = [
                cell
                for name in (DICTIONARY, COMBINED)
                for cell in _scores(name, names, documents, type, all_gold=not types)
            ]
            rows.append((title, f"{corpus}, {type.lower()}s", *cells))
    print(markdown(("terminology", "mentions of", "names: P", "R", "F1", "default: P", "R", "F1"), rows))


def _names(place: Path, sources: Sequence[Source]) -> TerminologyNames:
    if not (place / "terminology.json").is_file():
        write_terminology(chain.from_iterable(map(_concepts, sources)), place)
    build_indexes(Terminology.open(place), ["exact"], update=True)
    terminology = Terminology.open(place)
    return Member(terminology, [], overrides=read_overrides(terminology)).names()


def _concepts(source: Source) -> Iterator[Concept]:
    concepts = read(
        LINNET_DATA / "terminologies" / source.file,
        options=ReadOptions(only_prefixes=source.prefixes or None),
    )
    for concept in concepts:
        of = {"id": f"{source.vocabulary}:{concept.id}", "sources": ()} if source.vocabulary else {}
        yield replace(concept, types=source.types or concept.types, **of)


def _scores(
    recogniser: str, names: TerminologyNames, documents: Sequence[Document], type: str, *, all_gold: bool
) -> list[str]:
    """Of the mentions that are found whose type is none, or may mean `type`.

    all_gold  whether all mentions of the corpus are of this type, whatever it calls them
    """
    bare = [document.with_mentions(()) for document in documents]
    group = group_of_type([type])
    counts = []
    for document, answer in zip(documents, open_recogniser(recogniser, [names]).recognise(bare), strict=True):
        gold = {(m.start, m.end) for m in document.mentions if all_gold or m.type == type}
        found = {
            (m.start, m.end)
            for m in answer.mentions
            if not m.type or group_of_type([m.type]) & group or m.type == type
        }
        counts.append((len(gold & found), len(found), len(gold)))
    return recognition(np.array(counts, float))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
