"""Learners, one per file.

To add one, write a class with `available`, `quick` and `learn` in its own file, add a line to `learners`, and let
`linnet.active.model` use what it writes. Users see the first line of its docstring.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from linnet.active.learners.encoder import LearnEncoder
from linnet.active.learners.names import LearnNames
from linnet.active.learners.recogniser import LearnRecogniser
from linnet.active.learners.stops import LearnStops
from linnet.active.learners.threshold import LearnThreshold
from linnet.active.learners.two_tower import LearnTwoTower
from linnet.active.training_data import Progress, TrainingData
from linnet.errors import RequestError, UnknownNameError
from linnet.link.pipeline import Pipeline
from linnet.terminology import Terminology

__all__ = ["Learner", "choose_learners", "learners", "refuse_unsuitable", "suitable_learners"]


class Learner(Protocol):
    """Learns one thing from annotated documents."""

    @property
    def quick(self) -> bool:
        """Whether it runs by default."""

    def available(self) -> bool:
        """Whether its requirements are installed."""

    def unsuitable(self, pipeline: Pipeline, terminology: Terminology) -> str:
        """Why it can learn nothing for a terminology with this pipeline; "" if it can."""

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Write what it learns into `folder`, a version's; returns a summary for users. Deterministic. Called again on
        the same folder after an interruption, it resumes or starts over."""


learners: dict[str, Learner] = {
    "encoder": LearnEncoder(),  # first, because the others search with it
    "two-tower": LearnTwoTower(),
    "names": LearnNames(),
    "recogniser": LearnRecogniser(),
    "stops": LearnStops(),
    "threshold": LearnThreshold(),
}


def choose_learners(names: Iterable[str]) -> list[str]:
    """The named learners in the order they run; without names, the available and quick ones.

    Raises UnknownNameError, also for a learner that is not available here, and RequestError for two that exclude each other.
    """
    wanted = list(names)
    if {"encoder", "two-tower"} <= set(wanted):
        raise RequestError("A version has one encoder: choose 'encoder' or 'two-tower', not both.")
    usable = [name for name, learner in learners.items() if learner.available()]
    for name in wanted:
        if name not in usable:
            raise UnknownNameError("learner", name, usable)
    return [name for name in usable if name in wanted or (not wanted and learners[name].quick)]


def suitable_learners(pipeline: Pipeline, terminology: Terminology) -> list[str]:
    """The available learners that can learn for a terminology with this pipeline, in the order they run."""
    return [
        name
        for name, learner in learners.items()
        if learner.available() and not learner.unsuitable(pipeline, terminology)
    ]


def refuse_unsuitable(names: Iterable[str], pipeline: Pipeline, terminology: Terminology) -> None:
    """Raise RequestError for the first of these learners that can learn nothing for a terminology with this pipeline."""
    for name in names:
        if reason := learners[name].unsuitable(pipeline, terminology):
            raise RequestError(f"'{name}' cannot learn here: {reason}.")
