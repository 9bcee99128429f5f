"""A copy of the terminology for a learnt encoder, which indexes it again."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from linnet.active.metrics import linking_accuracy
from linnet.active.training_data import Progress, TrainingData
from linnet.io import artifact
from linnet.link import Linker
from linnet.link.indexing import build_indexes
from linnet.link.learned import ENCODER, TERMINOLOGY
from linnet.terminology import Terminology
from linnet.types import Document

__all__ = ["CHECKED_EVERY", "divided", "keep_better"]

CHECKED_EVERY = 5
"""Every fifth document compares an encoder with the previous one."""


def divided(documents: list[Document]) -> tuple[list[Document], list[Document]]:
    """The documents to learn from, and those to compare encoders on."""
    learnt = [document for position, document in enumerate(documents) if (position + 1) % CHECKED_EVERY]
    return learnt, documents[CHECKED_EVERY - 1 :: CHECKED_EVERY]


def keep_better(
    data: TrainingData, folder: Path, draft: Path, *, kind: str, checked: list[Document], progress: Progress
) -> tuple[bool, str]:
    """Index the terminology with a trained encoder; keep both in the version's folder if it links better than the one before.

    draft    directory of the encoder
    kind     of the index that it is for
    checked  documents that it was not trained on

    Returns whether it was kept, and the scores in words.
    """
    progress(0.0, "Indexing the terminology with the new encoder")
    terminology = _beside(data.terminology, folder / TERMINOLOGY, without=kind)
    build_indexes(terminology, [kind], encoder=draft, threads=1)
    progress(0.7, "Comparing the encoder with the previous one")
    pipeline = replace(data.linker.pipeline, encoder=str(draft))
    learned = Linker.open([terminology], pipeline=pipeline, concept_types=data.types or None, threads=1)
    before, after = linking_accuracy(data.linker, checked), linking_accuracy(learned, checked)
    scores = f"{after:.3f} of the mentions of {len(checked):,} accepted documents linked right, {before:.3f} before"
    if after <= before:
        shutil.rmtree(draft)
        shutil.rmtree(folder / TERMINOLOGY)
        return False, scores
    draft.rename(folder / ENCODER)
    return True, scores


def _beside(terminology: Terminology, path: Path, *, without: str) -> Terminology:
    """A copy of the terminology for another index; links its files instead of copying where possible.

    without  the kind of the index
    """
    shutil.rmtree(path, ignore_errors=True)
    for file in terminology.path.rglob("*"):
        below = file.relative_to(terminology.path)
        if file.is_file() and below.parts[:2] not in (("index", without), ("index", "search")):
            goal = path / below
            goal.parent.mkdir(parents=True, exist_ok=True)
            artifact.link_or_copy(file, goal)
    return Terminology.open(path)
