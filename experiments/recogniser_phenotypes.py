"""Names of phenotypes in text, beside the tagger's word for them: how sure it has to be before a name counts.

    python experiments/recogniser_phenotypes.py experiments/data      (LINNET_DATA says where the corpora are)

It needs what `recogniser_data.py` makes, and indexes DATA/open-phenotypes, HPO 2025. A mention is right if its offsets are. The
notes are among what the tagger has learnt from; the abstracts of MedMentions are not. There, names that equal or overlap a
mention whose concept has no counterpart in HPO are not counted: whether they are phenotypes is not known.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import recogniser_data
from harness import DATA as LINNET_DATA
from result_tables import markdown, recognition

from linnet import corpora
from linnet.corpora import Notes
from linnet.encode.named_models import SHIPPED
from linnet.io.files import read_lines
from linnet.link.indexing import build_indexes
from linnet.link.member import Member
from linnet.link.terminology_group import TerminologyGroup
from linnet.recognise import Recogniser
from linnet.recognise.default_recogniser import PHENOTYPE
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.recognise.tagger import Tagger
from linnet.recognise.tagger_beside_names import PhenotypeRecogniser
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.overrides import read_overrides
from linnet.terminology.readers import ReadOptions, read
from linnet.types import Document

HPO = LINNET_DATA / "terminologies/hpo/hp-2025-01-16.obo.gz"
LIMITS = (0.001, 0.003, PHENOTYPE, 0.03, 0.1, 0.25)
ABSTRACTS, SEED = 400, 15
GOLD, UNKNOWN = "Phenotype", "Unknown"


def main(data: Path) -> None:
    """Print a table: precision, recall and F1 of names, of names without qualifiers, and with limits."""
    names = _names(data / "open-phenotypes")
    tagger = Tagger.open(SHIPPED / "recogniser")
    bare = DictionaryRecogniser(names)
    clean = DictionaryRecogniser([terminology.without_qualifiers() for terminology in names])
    systems: dict[str, Recogniser] = {
        "names": bare,
        "without what only qualifies": clean,
        **{f"and from {limit:g}": PhenotypeRecogniser(tagger, clean, named=limit) for limit in LIMITS},
    }
    sets = {"notes": list(_notes()), "MedMentions": list(_medmentions(data))}
    rows = [
        [name, *(cell for documents in sets.values() for cell in _scores(system, documents))]
        for name, system in systems.items()
    ]
    print({name: len(documents) for name, documents in sets.items()})
    print(markdown(["", *(f"{name}, {f}" for name in sets for f in ("P", "R", "F1 (95 % interval)"))], rows))


def _names(place: Path) -> Any:
    if not (place / "terminology.json").is_file():
        concepts = read(HPO, options=ReadOptions(only_prefixes={"HP"}))
        write_terminology((concept for concept in concepts if concept.name), place)
    build_indexes(Terminology.open(place), ["exact"], update=True)
    terminology = Terminology.open(place)
    return TerminologyGroup([Member(terminology, [], overrides=read_overrides(terminology))]).names()


def _notes() -> Iterator[Document]:
    for file in ("id-68.jsonl", "genereviews.jsonl"):
        yield from corpora.read(LINNET_DATA / "corpora/hpo-notes" / file, note=Notes().add)


def _medmentions(data: Path) -> Iterator[Document]:
    """Abstracts, drawn by seed, with a phenotype and not among those that the tagger has learnt from."""
    learnt = {
        json.loads(line)["id"].removeprefix("MM-")
        for _, line in read_lines(data / "recogniser/medmentions.jsonl")
    }
    joined = Terminology.open(data / "open")
    documents: dict[str, list[dict[str, str]]] = defaultdict(list)
    for _, line in read_lines(LINNET_DATA / "corpora/medmentions-st21pv/train.jsonl.gz"):
        row = json.loads(line)
        documents[row["document"]].append(row)
    cuis = {row["concept"] for rows in documents.values() for row in rows}
    types = {cui: GOLD if _is_phenotype(joined, cui) else UNKNOWN for cui in cuis}
    with_some = sorted(
        id
        for id, rows in documents.items()
        if id not in learnt and any(types[row["concept"]] == GOLD for row in rows)
    )
    for id in sorted(random.Random(SEED).sample(with_some, ABSTRACTS)):
        yield recogniser_data.together(id, documents[id], types)


def _is_phenotype(joined: Terminology, cui: str) -> bool:
    return any("HP" in {s.upper() for s in joined.sources(joined.row(id))} for id in joined.resolve(cui))


def _scores(recogniser: Recogniser, documents: Sequence[Document]) -> list[str]:
    counts = []
    for document, answer in zip(documents, recogniser.recognise(documents), strict=True):
        gold = {(m.start, m.end) for m in document.mentions if m.type != UNKNOWN}
        unknown = [(m.start, m.end) for m in document.mentions if m.type == UNKNOWN]
        found = {
            (m.start, m.end)
            for m in answer.mentions
            if (m.start, m.end) in gold or not any(m.start < b and a < m.end for a, b in unknown)
        }
        counts.append((len(gold & found), len(found), len(gold)))
    return recognition(np.array(counts, float))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
