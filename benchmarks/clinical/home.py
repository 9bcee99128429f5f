"""What the recogniser and the linker do on the corpora that they were made for: abstracts, and notes of phenotypes.

Exact spans, whatever the concepts, on the development sets of NCBI Disease and BC5CDR; weak F1 on the HPO notes, as `linnet evaluate
--protocol end-to-end` gives it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import linnet
from linnet import corpora
from linnet.evaluate.job import Answering, report_on
from linnet.link import Linker
from linnet.types import Document

__all__ = ["Counts", "exact_spans", "phenotypes", "speed", "terminologies"]

Counts = list[list[int]]
"""Right, found and gold of each document."""
_NCBI, _BC5CDR = "ncbi-disease/NCBIdevelopset_corpus.txt", "bc5cdr/CDR_DevelopmentSet.PubTator.txt"
# Title → corpus, terminology, type of the corpus' mentions (None: all), and of linnet's.
_SETS = {
    "NCBI diseases": (_NCBI, "medic", None, "Disease"),
    "BC5CDR diseases": (_BC5CDR, "medic", "Disease", "Disease"),
    "BC5CDR chemicals": (_BC5CDR, "mesh", "Chemical", "Chemical"),
}
_PHENOTYPES = {"HPO notes": "id-68.jsonl", "GeneReviews": "genereviews.jsonl"}
_TIMED = 300  # abstracts


def terminologies(mesh: Path, data: Path, out: Path) -> dict[str, Path]:
    """The terminologies by name; built in `out` where they are not."""
    folders = {"mesh": mesh, "medic": out / "medic", "hpo": out / "hpo"}
    sources = data / "terminologies"
    if not folders["medic"].exists():
        linnet.build(sources / "medic/medic_06Jul2012.txt", folders["medic"], format="medic")
    if not folders["hpo"].exists():
        linnet.build(sources / "hpo/hp-2025-01-16.obo.gz", folders["hpo"], prefixes=["HP"])
    return folders


def exact_spans(folders: Mapping[str, Path], data: Path, recogniser: str | None = None) -> dict[str, Counts]:
    """The counts of each set."""
    options: dict[str, Any] = {"recogniser": recogniser} if recogniser else {}
    linkers = {name: linnet.load(folders[name], **options) for name in ("medic", "mesh")}
    counts = {}
    for title, (file, terminology, kind, label) in _SETS.items():
        documents = list(corpora.read(data / "corpora" / file))
        recognised = linkers[terminology].recogniser.recognise([d.with_mentions([]) for d in documents])
        counts[title] = [
            _count(document, found, kind, label)
            for document, found in zip(documents, recognised, strict=True)
        ]
    return counts


def _count(gold: Document, found: Document, kind: str | None, label: str) -> list[int]:
    golds = {(m.start, m.end) for m in gold.mentions if kind in (None, m.type)}
    spans = {(m.start, m.end) for m in found.mentions if m.type == label}
    return [len(golds & spans), len(spans), len(golds)]


def phenotypes(hpo: Path, data: Path) -> dict[str, float]:
    """Weak F1 of each set, in per cent."""
    answering, figures = Answering("linnet", linnet.load(hpo)), {}
    for title, file in _PHENOTYPES.items():
        report = report_on(data / "corpora/hpo-notes" / file, answering, protocols=["end-to-end"])
        [weak] = [score.value for score in report.results[0].scores if score.name == "weak F1"]
        figures[title] = 100 * (weak or 0.0)
    return figures


def speed(linker: Linker, data: Path) -> dict[str, float]:
    """Abstracts a second of processor time: recognised, and recognised and linked. Set OMP_NUM_THREADS to 1 for one thread."""
    documents = [d.with_mentions([]) for d in corpora.read(data / "corpora" / _BC5CDR)]
    warm, timed = documents[:50], documents[50 : 50 + _TIMED]
    figures = {}
    for title, work in (
        ("recognised", linker.recogniser.recognise),
        ("recognised and linked", lambda texts: list(linker.annotate_many(texts))),
    ):
        work(warm)
        started = time.process_time()
        work(timed)
        figures[title] = len(timed) / (time.process_time() - started)
    return figures
