"""Other corpora and terminologies for the reranker `context` to learn from: the left-out sets of `benchmarks/generalisation`.

    LINNET_DATA=… python experiments/other_corpora.py experiments/data/other

Writes an annotated corpus NAME.jsonl for each, and the terminologies: as a corpus is annotated, and those whose own names are
asked. Whoever measures on one of these sets needs a reranker that was trained without it: `benchmarks/generalisation` makes
one for each.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from harness import parser_of

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
from benchmarks.generalisation import recipes  # noqa: E402
from benchmarks.generalisation.sets import sets  # noqa: E402
from benchmarks.generalisation.terminologies import build  # noqa: E402
from linnet import corpora  # noqa: E402
from linnet.terminology import write_terminology  # noqa: E402
from linnet.train.crossfit import GROUP  # noqa: E402

CORPORA = ("tmvar-diseases", "nlm-chem", "hpo-notes", "medmentions", "medmentions-dev", "askapatient")
ANNOTATED_WITH = ("medic-2021", "mesh", "hpo-2025", "diseases-and-phenotypes")
ASKED = {"mondo": recipes.mondo, "cells": recipes.cells, "genes": recipes.genes}  # and two of those above


def main() -> None:
    """Write what is not there yet."""
    parser = parser_of(__doc__)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    if "LINNET_DATA" not in os.environ:
        parser.error("LINNET_DATA is not set; expected the folder of the real data. Set it: LINNET_DATA=DIR")
    data, kept = Path(os.environ["LINNET_DATA"]), ROOT / "bench-out" / "generalisation"
    given.out.mkdir(parents=True, exist_ok=True)
    for name in ANNOTATED_WITH:
        place = given.out / name
        if not place.exists():
            built = build(name, data / "terminologies", kept / "terminologies").terminology
            shutil.copytree(built.path, place.with_suffix(".part"), dirs_exist_ok=True)
            place.with_suffix(".part").rename(place)
    for name, concepts in ASKED.items():
        if not (given.out / name).exists():
            write_terminology(concepts(data / "terminologies"), given.out / name, sources=[])
    for name in CORPORA:
        dev_set = sets[name](data, kept)
        # Mentions of one document come one by one, and its paragraphs too: they are dealt into folds together.
        documents = [
            replace(
                document,
                id=f"{document.id}-{number}",
                extra={**document.extra, GROUP: dev_set.unit_of(document)},
            )
            for number, document in enumerate(dev_set.documents)
        ]
        corpora.write(documents, given.out / f"{name}.jsonl", format="jsonl")
        print(f"{name}: {sum(len(document.mentions) for document in documents):,} mentions")


if __name__ == "__main__":
    main()
