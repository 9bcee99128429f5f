"""How sure a project's tagger has to be before it is believed: names alone, a tagger alone, and a tagger beside names.

    python experiments/tagger_beside_names.py [ncbi] [bc5cdr]                (LINNET_DATA says where the corpora are)

Inside the training sets: a fifth of the documents, drawn by seed, is measured on; shares of the others are learnt from, as a
project of `linnet annotate` learns, with the small tagger of its simulations. There is no reranker, for the shipped one learnt
from these documents, and no threshold for NIL. Half an hour a corpus on one core. Prints, for each corpus, the mean over
seeds of what is gained over names alone, in points of F1, and the worst of the seeds.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from result_tables import markdown

from linnet.active.learners import learners
from linnet.active.metrics import measure
from linnet.active.model import Model, base_linker, open_model
from linnet.active.simulation.studies import Study, named_corpora, named_study
from linnet.active.simulation.teacher import LEAN
from linnet.active.training_data import TrainingData
from linnet.link import Linker
from linnet.link.indexing import build_indexes
from linnet.link.learned import RECOGNISER
from linnet.link.pipeline import Pipeline
from linnet.recognise import Recogniser, open_recogniser
from linnet.recognise.joined import JoinedRecogniser, confident_first
from linnet.types import Document

PLACE = Path(__file__).parent / "data" / "tagger"
SEEDS = range(6)
SHARES = (0.3, 0.6, 1.0)
SURE = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
METRICS = ("weak", "strong", "spans")
PIPELINE = Pipeline(recogniser="dictionary", reranker=None, min_score=0.0)
Gains = dict[tuple[float, str], list[Any]]  # share and system → by seed (3,) gains in METRICS


def main(names: Sequence[str]) -> None:
    """Print a table for each corpus."""
    for name in names:
        study = named_study(name, PLACE, report=print)
        build_indexes(study.terminology, PIPELINE.retrievers, update=True, threads=1)
        linker = base_linker(study.terminology, PIPELINE, types=study.types, threads=1)
        found: Gains = {}
        for seed in SEEDS:
            for share in SHARES:
                scores = dict(trial(study, linker, seed, share))
                for system, figures in scores.items():
                    found.setdefault((share, system), []).append(figures - scores["names"])
        print(f"\n{name}: weak, strong, spans (the worst seed, strong)\n")
        print(table(found))


def trial(study: Study, linker: Linker, seed: int, share: float) -> Iterator[tuple[str, Any]]:
    """Each system and its (3,) F1, in METRICS, on the fifth that is kept."""
    documents = list(study.pool)
    random.Random(seed).shuffle(documents)
    fifth = len(documents) // 5
    measured, pool = documents[:fifth], documents[fifth:]
    chosen = {document.id for document in pool[: round(share * len(pool))]}
    taught = [document for document in study.pool if document.id in chosen]
    data = TrainingData(study.terminology, study.types, taught, (), linker)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in ("names", "stops", "threshold"):
            learners[name].learn(data, folder, lambda *_: None)
        model = open_model(study.terminology, folder, types=study.types, pipeline=PIPELINE)
        yield "names", f1(model, measured)
        replace(LEAN, seed=seed).learn(data, folder, lambda *_: None)
        tagger = open_recogniser(folder / RECOGNISER, model.linker.group.names())
        yield "tagger alone", f1(recognising_by(model, tagger), measured)
        for sure in SURE:
            both = JoinedRecogniser(tagger, model.linker.recogniser, confident_first(sure))
            yield f"beside names, sure from {sure:.2f}", f1(recognising_by(model, both), measured)


def recognising_by(model: Model, recogniser: Recogniser) -> Model:
    """The same model, whose mentions another recogniser finds."""
    linker = model.linker
    return Model(Linker(linker.group, linker.pipeline, threads=1, recogniser=lambda _: recogniser))


def f1(model: Model, documents: Sequence[Document]) -> Any:
    """(3,) in METRICS."""
    scores = measure(model, documents)
    assert scores is not None
    return np.array([scores[name]["f1"] for name in METRICS])


def table(found: Gains) -> str:
    """A row for each system, a column for each share."""
    rows = []
    for system in dict.fromkeys(system for _, system in found):
        cells = []
        for share in SHARES:
            gains = 100 * np.array(found[share, system])
            mean = ", ".join(f"{value:+.1f}" for value in gains.mean(axis=0))
            cells.append(f"{mean} ({gains[:, 1].min():+.1f})")
        rows.append([system, *cells])
    return markdown(["", *(f"{100 * share:g} % of the documents" for share in SHARES)], rows)


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(named_corpora)
    if set(chosen) - named_corpora.keys():
        sys.exit(__doc__)
    main(chosen)
