"""The corpora that self-aligned encoders are scored on and fine-tuned with, and the names among which mentions are looked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from harness import DATA
from transformer_runs import ROOT

from linnet import corpora
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import read
from linnet.train.corpus import LinkedMentions, linked_mentions, read_mentions
from linnet.train.validation import NearestNames
from linnet.types import Concept, Mention
from linnet.words.text import fold, simplify

__all__ = ["CORPORA", "DISEASES", "MEDIC", "Corpora", "Corpus"]

MEDIC = "terminologies/medic/medic_06Jul2012.txt"


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Files of a corpus, below LINNET_DATA.

    types  only mentions of these types count
    names  "medic", or "own": the concepts and names that the corpus's table has beside its phrases, or the directory of a
           terminology, below the repository's root
    costly whether its names take so long to encode that only the transformer as it is, the pass, and what is fine-tuned on
           this corpus are scored on it
    """

    title: str
    train: str
    dev: str
    types: tuple[str, ...] = ()
    names: str | Path = "medic"
    costly: bool = False


DISEASES = {
    "ncbi": Corpus(
        title="NCBI",
        train="corpora/ncbi-disease/NCBItrainset_corpus.txt",
        dev="corpora/ncbi-disease/NCBIdevelopset_corpus.txt",
    ),
    "bc5cdr": Corpus(
        title="BC5CDR disease",
        train="corpora/bc5cdr/CDR_TrainingSet.PubTator.txt",
        dev="corpora/bc5cdr/CDR_DevelopmentSet.PubTator.txt",
        types=("Disease",),
    ),
}
CORPORA = {
    **DISEASES,
    "askapatient": Corpus(
        title="AskAPatient",
        train="corpora/askapatient/fold0.train.tsv",
        dev="corpora/askapatient/fold0.dev.tsv",
        names="own",
    ),
    "chemicals": Corpus(
        title="BC5CDR chemical",
        train="corpora/bc5cdr/CDR_TrainingSet.PubTator.txt",
        dev="corpora/bc5cdr/CDR_DevelopmentSet.PubTator.txt",
        types=("Chemical",),
        names=Path(
            "bench-out/chemicals"
        ),  # MeSH 2024, descriptors and supplementary records: benchmarks/bench.py --build
        costly=True,
    ),
}


class Corpora:
    """Corpora by key. Terminologies are built once and kept in a directory."""

    def __init__(self, work: Path, given: Mapping[str, Corpus] = CORPORA, *, data: Path = DATA) -> None:
        """work: directory of the terminologies; given: key → corpus; data: what LINNET_DATA names"""
        self.work, self.given, self._data = work, given, data

    def terminology(self, key: str) -> Terminology:
        """The terminology that a corpus is linked to."""
        names = self.given[key].names
        if isinstance(names, Path):
            return Terminology.open(ROOT / names)
        place = self.work / ("medic" if names == "medic" else key)
        if place.is_dir():
            return Terminology.open(place)
        return write_terminology(self._concepts(key), place, sources=[{"path": place.name}])

    def with_train(self, key: str) -> Terminology:
        """The same terminology with the training mentions of the corpus as further names of their concepts."""
        plain = self.terminology(key)
        place = self.work / f"{key}-train"
        if place.is_dir():
            return Terminology.open(place)
        linked, texts = self.linked(key, "train"), dict[str, list[str]]()
        for text, row in zip(linked.texts, linked.concepts.tolist(), strict=True):
            texts.setdefault(plain.ids[row], []).append(text)
        concepts = (_with_names(concept, texts.pop(concept.id, ())) for concept in self._concepts(key))
        return write_terminology(concepts, place, sources=[{"path": plain.path.name}, {"path": key}])

    def _concepts(self, key: str) -> Iterable[Concept]:
        if isinstance(self.given[key].names, Path):
            return iter(self.terminology(key))  # retired ids too
        if self.given[key].names == "medic":
            return read(self._data / MEDIC)
        names: dict[str, dict[str, None]] = {}
        for part in (self.given[key].train, self.given[key].dev):
            for document in corpora.read(self._data / part, annotated=True):
                for mention in document.mentions:
                    for id in mention.concepts:
                        names.setdefault(id, {})[document.extra["table"]["row"]["name"]] = None
        return [Concept(id, name, tuple(others)) for id, (name, *others) in names.items()]

    def _mentions(self, key: str, part: str) -> list[Mention]:
        corpus = self.given[key]
        file = corpus.train if part == "train" else corpus.dev
        return read_mentions([self._data / file], types=corpus.types)[0]

    @cache  # noqa: B019 - there is one for a process
    def linked(self, key: str, part: str) -> LinkedMentions:
        """The usable mentions of "train" or "dev"."""
        return linked_mentions(self._mentions(key, part), self.terminology(key))

    @cache  # noqa: B019
    def nearest(self, key: str, part: str, *, with_train: bool = False) -> NearestNames:
        """The same, looked for among all names, those that the training mentions give included or not."""
        among = self.with_train(key) if with_train else self.terminology(key)
        return NearestNames(among, self._mentions(key, part))

    def documents(self, key: str) -> list[str]:
        """Document of each dev mention; a phrase of a table is a document."""
        return [mention.document.id for mention in self.linked(key, "dev").mentions]

    def unseen(self, key: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """(M,) dev mentions whose text, abbreviations spelt out, is that of no training mention."""
        known = set(map(simplify, self.linked(key, "train").texts))
        return np.array([simplify(text) not in known for text in self.linked(key, "dev").texts])

    def training_data(self, key: str) -> dict[str, Any]:
        """Of the section `[data]` of a run file: where the training mentions are."""
        return {
            "corpora": [f"${{LINNET_DATA}}/{self.given[key].train}"],
            "types": list(self.given[key].types),
        }


def _with_names(concept: Concept, texts: Iterable[str]) -> Concept:
    """The concept with those texts as names that, case ignored, are no names of it yet."""
    known = set(map(fold, concept.all_names))
    new = {fold(text): text for text in texts if fold(text) not in known}
    return replace(concept, names=(*concept.names, *new.values()))
