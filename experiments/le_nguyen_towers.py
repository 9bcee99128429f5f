"""Distances of dev mentions to their candidates by a transformer: as it came, or as the two towers of a model directory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from linnet.arrays import Floats
from linnet.encode.model import open_model
from linnet.rerank.dual_inputs import describe_concept
from linnet.rerank.dual_towers import DualTowers
from linnet.terminology import Terminology
from linnet.train.clusters import LinkedCandidates
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings

__all__ = ["distances_to_names", "distances_to_towers"]

_NAMES = 20  # of a concept
Each = Callable[[int, Any], Floats]
"""Number of a mention and (n,) places of concepts → (n,) distances."""


def distances_to_towers(model: Path, dev: LinkedCandidates, terminology: Terminology) -> Floats:
    """(M, k) Euclidean distances by a dual encoder's graphs, as linking has them; inf for no candidate."""
    opened = open_model(model, kind="dual")
    towers = DualTowers.open(model, opened, threads=torch.get_num_threads())
    rows = _rows(dev)
    described = [
        describe_concept(terminology, row, names=int(opened.options["names"])) for row in rows.tolist()
    ]
    mentions, entities = towers.mentions(dev.contexts), towers.entities(described)
    return _distances(
        dev, rows, lambda number, places: np.linalg.norm(entities[places] - mentions[number], axis=1)
    )


def distances_to_names(start: Path, dev: LinkedCandidates, terminology: Terminology) -> Floats:
    """(M, k) 1 − cosine of the mention's text and the nearest name of the candidate, mean-pooled, without context."""
    learner = TransformerLearner(TransformerSettings(start=start, pooling="mean"), (), seed=0).eval()
    rows = _rows(dev)
    names = [describe_concept(terminology, row, names=_NAMES).names for row in rows.tolist()]
    mentions = _unit(learner, [context.text for context in dev.contexts])
    vectors = _unit(learner, [name for own in names for name in own])
    ends = np.cumsum([len(own) for own in names])

    def nearest(number: int, places: Any) -> Floats:
        cosines = [
            vectors[ends[place] - len(names[place]) : ends[place]] @ mentions[number] for place in places
        ]
        return np.array([1 - own.max(initial=-1) for own in cosines], np.float32)

    return _distances(dev, rows, nearest)


def _rows(dev: LinkedCandidates) -> Any:
    """(n,) concepts that are candidates, ascending."""
    return np.unique(dev.candidates[dev.candidates >= 0])


def _distances(dev: LinkedCandidates, rows: Any, each: Each) -> Floats:
    distances = np.full(dev.candidates.shape, np.inf, np.float32)
    for number, candidates in enumerate(dev.candidates):
        present = candidates >= 0
        distances[number, present] = each(number, np.searchsorted(rows, candidates[present]))
    return distances


@torch.no_grad()
def _unit(learner: TransformerLearner, texts: Sequence[str]) -> Floats:
    """(N, D) of length 1; each distinct text is encoded once."""
    distinct = list(dict.fromkeys(texts))
    blocks = [learner(distinct[start : start + 4096]) for start in range(0, len(distinct), 4096)]
    vectors = torch.nn.functional.normalize(torch.cat(blocks), dim=1).numpy()
    number = {text: place for place, text in enumerate(distinct)}
    unit: Floats = vectors[[number[text] for text in texts]]
    return unit
