"""Scores of a trained recogniser on the development sets, beside the dictionary recogniser's: a table in docs/results.

    python experiments/recogniser.py experiments/models/recogniser [docs/results]      (LINNET_DATA says where the corpora are)

Mentions are right if offsets and type are; then mentions are linked, found by one or the other recogniser, with linnet's
hand-written glossary in exact look-up and without. The terminologies are built in bench-out/typed/ as the page's commands do.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import DATA as LINNET_DATA
from harness import write_page
from result_tables import markdown, percent, recognition

from linnet import corpora
from linnet.encode.model import open_model
from linnet.evaluate.calibration import expected_calibration_error
from linnet.evaluate.job import Answering, report_on
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.link.member import Member
from linnet.link.terminology_group import TerminologyGroup
from linnet.recognise import Recogniser, open_recogniser
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.overrides import read_overrides
from linnet.terminology.readers import ReadOptions, detect, read_several
from linnet.types import Document

DATA = LINNET_DATA / "corpora"
BUILT = Path(__file__).parents[1] / "bench-out/typed"
# Files below terminologies/, and how they are read: MEDIC's file gives no types; of MeSH the tree of chemicals.
SOURCES = {
    "medic": (["medic/medic_06Jul2012.txt"], ReadOptions(type="Disease")),
    "chemicals": (
        ["mesh2024/desc2024.rebuilt.xml.gz", "mesh2024/supp2024.rebuilt.xml.gz"],
        ReadOptions(trees=frozenset({"D"})),
    ),
}
# Corpus, its types (None: all are of this type) and the terminology of the dictionary recogniser.
DEV = [
    ("NCBI disease", "ncbi-disease/NCBIdevelopset_corpus.txt", None, "Disease", "medic"),
    ("BC5CDR disease", "bc5cdr/CDR_DevelopmentSet.PubTator.txt", "Disease", "Disease", "medic"),
    ("BC5CDR chemical", "bc5cdr/CDR_DevelopmentSet.PubTator.txt", "Chemical", "Chemical", "chemicals"),
]


def main(model: Path, results: Path | None) -> None:
    """Print the tables and, where a folder is given, write them."""
    for name in SOURCES:
        build(name)
    trained = open_recogniser(model, [])
    rows: list[Sequence[object]] = []
    judged: list[tuple[str, float, bool]] = []
    for name, file, kind, label, terminology in DEV:
        documents = list(corpora.read(DATA / file))
        for system, recogniser in (
            ("dictionary", dictionary(BUILT / terminology)),
            (model.name, trained),
        ):
            counts, found = score(recogniser, documents, gold_type=kind, found_type=label)
            rows.append([f"{name}, {system}", int(counts[:, 1].sum()), *recognition(counts)])
            if recogniser is trained:
                judged += [(f"{name} {document}", p, right) for document, p, right in found]
    error = expected_calibration_error(
        [p for _, p, _ in judged], [right for _, _, right in judged], [document for document, _, _ in judged]
    )
    between = f" ({100 * (error.low or 0):.1f} to {100 * (error.high or 0):.1f})"
    size = sum(file.stat().st_size for file in model.rglob("*") if file.is_file()) / 1e6
    linked = [
        [
            f"{name}, {system}",
            *end_to_end(file, kind, terminology, recogniser, glossary=True),
            *end_to_end(file, kind, terminology, recogniser, glossary=False),
        ]
        for name, file, kind, _, terminology in DEV
        for system, recogniser in (("dictionary", "dictionary"), (model.name, str(model)))
    ]
    shares = [f"{match} F1 (95 % interval)" for match in ("weak", "strong")]
    tables = {
        "linked": markdown(["", *shares, "weak, no glossary", "strong, no glossary"], linked),
        "table": markdown(["", "found", "precision", "recall", "F1 (95 % interval)"], rows),
        "error": percent(error.value or 0.0) + between,
        "count": f"{len(judged):,}",
        "size": f"{size:.1f}",
        "digest": open_model(model).digest,
    }
    for name, table in tables.items():
        print(f"{name}:\n{table}")
    if results is not None:
        write_page(results / "recogniser.md", None, tables, timed=True)


def build(name: str) -> None:
    """A terminology with its indexes, unless it is there."""
    place = BUILT / name
    if not (place / "terminology.json").is_file():
        files, options = SOURCES[name]
        paths = [LINNET_DATA / "terminologies" / file for file in files]
        formats = [detect(path) for path in paths]
        write_terminology(read_several(paths, formats=formats, options=options), place)
    build_indexes(Terminology.open(place), ["exact", "dense"], update=True)


def dictionary(place: Path) -> Recogniser:
    """The dictionary recogniser of a terminology."""
    terminology = Terminology.open(place)
    return open_recogniser(
        "dictionary",
        TerminologyGroup([Member(terminology, [], overrides=read_overrides(terminology))]).names(),
    )


def end_to_end(
    file: str, kind: str | None, terminology: str, recogniser: str, *, glossary: bool
) -> list[str]:
    """F1 of weak and of strong annotation match, with their intervals."""
    pipeline = Pipeline(recogniser=recogniser, reranker=None, glossary=glossary)
    linker = Linker.open([BUILT / terminology], pipeline=pipeline)
    types = [] if kind is None else [kind]
    report = report_on(DATA / file, Answering("linnet", linker), protocols=["end-to-end"], types=types)
    scores = {score.name: score for score in report.results[0].scores}
    return [
        f"{percent(one.value or 0.0)} ({percent(one.low or 0.0)} to {percent(one.high or 0.0)})"
        for one in (scores["weak F1"], scores["strong F1"])
    ]


def score(
    recogniser: Recogniser, documents: Sequence[Document], *, gold_type: str | None, found_type: str
) -> tuple[Any, list[tuple[str, float, bool]]]:
    """(documents, 3) right, found and gold mentions; document, confidence and verdict of every mention found."""
    counts, judged = [], []
    for document, answer in zip(documents, recogniser.recognise(documents), strict=True):
        gold = {(m.start, m.end) for m in document.mentions if gold_type in (None, m.type)}
        found = {(m.start, m.end): m.confidence or 0.0 for m in answer.mentions if m.type == found_type}
        counts.append((len(gold & found.keys()), len(found), len(gold)))
        judged += [(document.id, p, span in gold) for span, p in found.items()]
    return np.array(counts, float), judged


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) == 3 else None)
