"""The default recogniser with terminologies whose files give no types: the names alone, and beside the tagger.

    python experiments/recogniser_vocabularies.py WORK      (LINNET_DATA says where corpora and terminologies are)

The Disease Ontology, as its file is and without the concepts that it imports; ORDO; UNII. They are built and indexed in WORK.
Their vocabularies say that they hold diseases, or chemicals (`linnet.semantic_groups.single_kind`). A mention is right if its
offsets are; the concept is not judged, since the corpora are annotated with other terminologies. The tagger has learnt from the
training sets of NCBI and BC5CDR, from nothing of tmVar3.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from recogniser_phenotypes import f1
from result_tables import markdown, percent

from linnet import corpora
from linnet.corpora import Notes
from linnet.evaluate.interval import bootstrap
from linnet.link.indexing import build_indexes
from linnet.link.member import Member
from linnet.recognise import COMBINED, DICTIONARY, TerminologyNames, open_recogniser
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.overrides import read_overrides
from linnet.terminology.readers import ReadOptions, read
from linnet.types import Document

LINNET_DATA = Path(os.environ.get("LINNET_DATA", "../shared/data"))
DOID = "doid/doid.obo.gz"
# What it is called → its file, the prefixes that are read (none: all), and the type of the mentions that are found with it.
TERMINOLOGIES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "Disease Ontology, whole file": (DOID, (), "Disease"),
    "Disease Ontology, its own concepts": (DOID, ("DOID",), "Disease"),
    "ORDO": ("mondo_sources/ordo.obo.gz", (), "Disease"),
    "UNII": ("other/unii_names.tsv.gz", (), "Chemical"),
}
# Corpus → its file, and its types of mentions; none where all are diseases.
CORPORA: dict[str, tuple[str, tuple[str, ...]]] = {
    "NCBI dev": ("ncbi-disease/NCBIdevelopset_corpus.txt", ()),
    "BC5CDR dev": ("bc5cdr/CDR_DevelopmentSet.PubTator.txt", ("Disease", "Chemical")),
    "tmVar3": ("tmvar3/tmVar3.PubTator", ("Disease",)),
}


def main(work: Path) -> None:
    """Print precision, recall and F1 of the names, and of the default."""
    rows = []
    for title, (file, prefixes, type) in TERMINOLOGIES.items():
        names = _names(work / title.lower().replace(" ", "-").replace(",", ""), file, prefixes)
        for corpus, (path, types) in CORPORA.items():
            if (types and type not in types) or (not types and type != "Disease"):
                continue
            documents = list(corpora.read(LINNET_DATA / "corpora" / path, note=Notes().add))
            cells = [
                cell
                for name in (DICTIONARY, COMBINED)
                for cell in _scores(name, names, documents, type if types else None)
            ]
            rows.append((title, corpus, *cells))
    print(markdown(("terminology", "mentions of", "names: P", "R", "F1", "default: P", "R", "F1"), rows))


def _names(place: Path, file: str, prefixes: tuple[str, ...]) -> TerminologyNames:
    if not (place / "terminology.json").is_file():
        source = LINNET_DATA / "terminologies" / file
        write_terminology(read(source, options=ReadOptions(only_prefixes=prefixes or None)), place)
    build_indexes(Terminology.open(place), ["exact"], update=True)
    terminology = Terminology.open(place)
    return Member(terminology, [], overrides=read_overrides(terminology)).names()


def _scores(
    recogniser: str, names: TerminologyNames, documents: Sequence[Document], type: str | None
) -> list[str]:
    """Of all that is found, of whatever type."""
    bare = [document.with_mentions(()) for document in documents]
    counts = []
    for document, answer in zip(documents, open_recogniser(recogniser, [names]).recognise(bare), strict=True):
        gold = {(m.start, m.end) for m in document.mentions if type in (None, m.type)}
        found = {(m.start, m.end) for m in answer.mentions}
        counts.append((len(gold & found), len(found), len(gold)))
    table = np.array(counts, float)
    right, found_, gold_ = table.sum(axis=0)
    limits = bootstrap(table, f1)
    between = f" ({percent(limits[0])} to {percent(limits[1])})" if limits else ""
    return [
        percent(right / found_),
        percent(right / gold_),
        percent(float(f1(table.sum(axis=0, keepdims=True))[0])) + between,
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
