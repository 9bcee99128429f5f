"""Runs a simulation: batch after batch for each strategy and seed. Each step is saved when it is done.

    FOLDER/plan.json                        the plan of the steps
    FOLDER/nothing.json.gz                  nothing annotated
    FOLDER/seed0/first.json.gz              the first batch, the same for all strategies of a seed
    FOLDER/seed0/least-confident/40.json.gz after 40 % of the mentions
    FOLDER/seed0/all.json.gz                everything annotated, the same for all strategies, too

An interrupted run resumes; strategies and seeds can be added to a folder; several processes may work on different seeds of
the same folder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from linnet import __version__
from linnet.active.simulation.plan import Plan, keep_plan
from linnet.active.simulation.step import Step, read_step, write_step
from linnet.active.simulation.studies import Study
from linnet.active.simulation.teacher import Teacher
from linnet.active.strategies import Pool, Unlabelled, blind, order, strategies
from linnet.encode import encoder_digest
from linnet.encode.model import open_model
from linnet.encode.named_models import model_place
from linnet.errors import UnknownNameError

__all__ = ["Point", "Simulation"]

_FIRST = "random"  # there are no predictions yet for other strategies


class Point(NamedTuple):
    """A step of a strategy and seed; `place` 0 is before the first batch."""

    strategy: str
    seed: int
    place: int
    step: Step


@dataclass
class Simulation:
    """The steps of one study, in their own folder.

    Raises UnknownNameError for a strategy, and what `keep_plan` raises for a folder with other results.
    """

    study: Study
    plan: Plan
    strategies: Sequence[str]
    seeds: Sequence[int]
    folder: Path
    _teacher: Teacher | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        for name in self.strategies:
            if name not in strategies:
                raise UnknownNameError("strategy", name, strategies)
        keep_plan(self.folder, self.plan, self.study, self._versions())

    def _versions(self) -> dict[str, str]:
        """Digests of the models that answers depend on, and linnet's version."""
        pipeline = self.plan.pipeline(self.study.terminology)
        versions = {
            "encoder": encoder_digest(pipeline.encoder or "ngram"),
            "linnet": __version__,
        }
        if pipeline.reranker is not None:
            versions["reranker digest"] = open_model(model_place(pipeline.reranker), checked=False).digest
        return versions

    @property
    def total(self) -> int:
        """Number of points that `points` gives."""
        return len(self.strategies) * len(self.seeds) * (len(self.plan.shares) + 1)

    def points(self) -> Iterator[Point]:
        """All points, by seed, strategy and batch. Reads saved steps."""
        for seed in self.seeds:
            for strategy in self.strategies:
                step: Step | None = None
                for position in range(len(self.plan.shares) + 1):
                    step = self._next(strategy, seed, position, step)
                    yield Point(strategy, seed, position, step)

    def _next(self, strategy: str, seed: int, position: int, before: Step | None) -> Step:
        path = self._path(strategy, seed, position)
        last = position == len(self.plan.shares)
        predict = position > 0 and not last and (position == 1 or strategy not in blind)
        if path.is_file():
            return read_step(path)
        labelled = [] if before is None else self._labelled(strategy, seed, position, before)
        if self._teacher is None:
            self._teacher = Teacher.open(self.study, self.plan)
        step = self._teacher.step(labelled, seed=seed, predict=predict)
        write_step(path, step)
        return step

    def _path(self, strategy: str, seed: int, position: int) -> Path:
        if not position:
            return self.folder / "nothing.json.gz"
        share = self.plan.shares[position - 1]
        if position == 1:
            return self.folder / f"seed{seed}" / "first.json.gz"
        if share == 1:
            return self.folder / f"seed{seed}" / "all.json.gz"
        return self.folder / f"seed{seed}" / strategy / f"{100 * share:g}.json.gz"

    def _labelled(self, strategy: str, seed: int, position: int, before: Step) -> list[str]:
        """Ids of all documents that are annotated at this place."""
        share = self.plan.shares[position - 1]
        labelled = list(before.labelled)
        known = set(labelled)
        waiting = {document.id: document for document in self.study.pool if document.id not in known}
        if share == 1:
            return [*labelled, *waiting]
        sizes = {document.id: len(document.mentions) for document in self.study.pool}
        wanted, there = share * sum(sizes.values()), before.mentions
        pool = self._pool(list(waiting), labelled, before.predictions or {}, seed)
        ids = list(waiting)
        for chosen in order(_FIRST if position == 1 else strategy, pool):
            if there >= wanted:
                break
            labelled.append(ids[chosen])
            there += sizes[ids[chosen]]
        return labelled

    def _pool(
        self,
        waiting: Sequence[str],
        labelled: Collection[str],
        predictions: Mapping[str, Sequence[tuple[str, float]]],
        seed: int,
    ) -> Pool:
        documents = {document.id: document for document in self.study.pool}
        return Pool(
            [
                Unlabelled(
                    id,
                    documents[id].text,
                    tuple(confidence for _, confidence in predictions.get(id, ())),
                    tuple(text for text, _ in predictions.get(id, ())),
                )
                for id in waiting
            ],
            [documents[id].text for id in labelled],
            {mention.text for id in labelled for mention in documents[id].mentions},
            seed=seed,
        )
