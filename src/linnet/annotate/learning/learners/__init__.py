"""Learners, one per file.

To add one, write a class with `available`, `quick` and `learn` in its own file, add a line to `learners`, and let
`linnet.annotate.learning.model` use what it writes. Users see the first line of its docstring.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from linnet.annotate.learning.learners.encoder import LearnEncoder
from linnet.annotate.learning.learners.names import LearnNames
from linnet.annotate.learning.learners.recogniser import LearnRecogniser
from linnet.annotate.learning.learners.stops import LearnStops
from linnet.annotate.learning.learners.threshold import LearnThreshold
from linnet.annotate.learning.training_data import Progress, TrainingData
from linnet.errors import UnknownNameError

__all__ = ["Learner", "choose_learners", "learners"]


class Learner(Protocol):
    """Learns one thing from annotated documents."""

    @property
    def quick(self) -> bool:
        """Whether it runs by default."""

    def available(self) -> bool:
        """Whether its requirements are installed."""

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Write what it learns into `folder`, a version's; returns a summary for users. Deterministic. Called again on
        the same folder after an interruption, it resumes or starts over."""


learners: dict[str, Learner] = {
    "encoder": LearnEncoder(),  # first, because the others search with it
    "names": LearnNames(),
    "recogniser": LearnRecogniser(),
    "stops": LearnStops(),
    "threshold": LearnThreshold(),
}


def choose_learners(names: Iterable[str]) -> list[str]:
    """The named learners in the order they run; without names, the available and quick ones.

    Raises UnknownNameError, also for a learner that is not available here.
    """
    wanted = list(names)
    usable = [name for name, learner in learners.items() if learner.available()]
    for name in wanted:
        if name not in usable:
            raise UnknownNameError("learner", name, usable)
    return [name for name in usable if name in wanted or (not wanted and learners[name].quick)]
