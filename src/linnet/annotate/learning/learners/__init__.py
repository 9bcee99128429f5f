"""What can be retrained: one file per learner.

To add one, write a class with `available`, `quick` and `learn` in a file of its own, add one line to `learners`, and let
`linnet.annotate.learning.model` use what it writes. The first line of its docstring is what people choose by.
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
        """Whether it is retrained where nobody says what is."""

    def available(self) -> bool:
        """Whether what it needs is installed."""

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Write what it learnt below `folder`, a version's; returns what that is, for people. The same for the same
        data. Called again on the same folder after an interruption, it goes on or begins anew."""


learners: dict[str, Learner] = {
    "encoder": LearnEncoder(),  # first: the others search with it
    "names": LearnNames(),
    "recogniser": LearnRecogniser(),
    "stops": LearnStops(),
    "threshold": LearnThreshold(),
}


def choose_learners(names: Iterable[str]) -> list[str]:
    """The learners asked for, in the order they run; for none, those that are available and quick.

    Raises UnknownNameError, also for one that is not available here.
    """
    wanted = list(names)
    usable = [name for name, learner in learners.items() if learner.available()]
    for name in wanted:
        if name not in usable:
            raise UnknownNameError("learner", name, usable)
    return [name for name in usable if name in wanted or (not wanted and learners[name].quick)]
