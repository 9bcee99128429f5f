"""Learns the score below which a mention is NIL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from linnet.active.training_data import Progress, TrainingData, checked
from linnet.io.files import open_output
from linnet.link.learned import THRESHOLD
from linnet.link.pipeline import Pipeline
from linnet.terminology import Terminology
from linnet.types import Link, Mention

__all__ = ["LearnThreshold"]

_FEWEST = 20  # mentions; with fewer the default stays, which was chosen on thousands
_FEWEST_NIL = 3


class LearnThreshold:
    """The score that the best candidate needs; below it, a mention is NIL."""

    quick = True

    def available(self) -> bool:
        """Always."""
        return True

    def unsuitable(self, pipeline: Pipeline, terminology: Terminology) -> str:
        """See `Learner`: it learns for any."""
        return ""

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Choose the score that makes most annotated mentions right, with candidates of the terminology alone: with the
        learned names, each of these mentions would be an exact match."""
        progress(0.0, "Choosing the threshold for NIL")
        mentions = [mention for document in data.documents for mention in checked(document).mentions]
        nil = sum(not mention.concepts for mention in mentions)
        if len(mentions) < _FEWEST or nil < _FEWEST_NIL:
            return f"the default threshold: {nil:,} of {len(mentions):,} checked mentions are NIL, too few to choose another"
        best = _best_threshold(mentions, data.linker.link(mentions, k=1), data.linker.pipeline.min_score)
        with open_output(folder / THRESHOLD) as stream:
            stream.write(json.dumps({"min_score": best}) + "\n")
        return f"NIL below a score of {best:.2f}"


def _best_threshold(mentions: Sequence[Mention], links: Sequence[Link], default: float) -> float:
    """The grid's value with most right mentions; on a tie, the one nearest to the default."""
    scored = []
    for mention, link in zip(mentions, links, strict=True):
        top = link.candidates[0] if link.candidates else None
        right = top is not None and top.concept in mention.concepts
        scored.append((top.score if top else 0.0, right, not mention.concepts))

    def correct(threshold: float) -> int:
        return sum(right if score >= threshold else nil for score, right, nil in scored)

    grid = [step / 20 for step in range(21)]
    return max(grid, key=lambda value: (correct(value), -abs(value - default), -value))
