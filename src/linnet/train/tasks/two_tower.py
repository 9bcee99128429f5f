"""Mentions in context and entities with their definition into one space, each the other's among a batch (TrainX)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.artifact import digest
from linnet.encode import unit
from linnet.errors import RequestError
from linnet.terminology import Terminology
from linnet.train.corpus import LinkedMentions, TableColumns, linked_mentions, read_mentions
from linnet.train.epochs import Epochs
from linnet.train.learners.two_tower import TwoTowerLearner, TwoTowerSettings
from linnet.train.objectives import InBatch
from linnet.train.objectives.build import build_objective, one_of
from linnet.train.task import RunSettings

__all__ = ["NearestEntities", "TwoTowerTask"]

_TOGETHER = 2048  # entities encoded at a time in evaluation
_KS = (1, 64)


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    terminology  whose concepts are the entities, by preferred name and definition
    corpora      whose mentions are learnt, types: only of these types
    columns      of corpora that are tables
    mentions     of a batch, each with its entity (TrainX: 128)
    """

    terminology: Path
    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)
    mentions: int = 128

    def __post_init__(self) -> None:
        if self.mentions < 2:
            raise ValueError(f"'mentions' is {self.mentions}; expected 2 or more, which are compared.")


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """The section `[evaluation]`: nearest concepts of the terminology to the mentions of `corpora`.

    types     only mentions of these types        columns  of corpora that are tables
    concepts  look among the mentions' own concepts and so many others, drawn; None for all
    """

    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)
    concepts: int | None = None


@dataclass(frozen=True, kw_only=True)
class TwoTowerRunSettings(RunSettings):
    """A run file with task = "two-tower"."""

    encoder: TwoTowerSettings = field(default_factory=TwoTowerSettings)
    data: DataSettings
    objective: Annotated[Mapping[str, Any], one_of(InBatch)] = field(
        default_factory=lambda: {"kind": "in-batch"}
    )
    evaluation: EvaluationSettings | None = None


class TwoTowerTask:
    """Batches of mentions and their entities."""

    Settings: ClassVar[type[RunSettings]] = TwoTowerRunSettings
    batch_key: ClassVar[str] = "data.mentions"

    def __init__(
        self,
        settings: TwoTowerRunSettings,
        learner: TwoTowerLearner,
        terminology: Terminology,
        linked: LinkedMentions,
        data: Mapping[str, str],
    ) -> None:
        self.settings, self.module, self.data = settings, learner, data
        self._terminology, self._linked = terminology, linked
        self._mentions = learner.marked.mentions(linked.mentions)
        concepts, self._entity = np.unique(linked.concepts, return_inverse=True)
        names, definitions = _described(terminology, concepts)
        self._entities = learner.marked.entities(names, definitions)
        self._defined = sum(map(bool, definitions))
        self._epochs = Epochs(len(self._mentions), batch=settings.data.mentions, seed=settings.seed)
        self._objective = build_objective(settings.objective)
        if not isinstance(self._objective, InBatch):
            raise RequestError(
                f'The task "two-tower" compares within a batch; [objective] asks for '
                f'{type(self._objective).__name__}. Write: kind = "in-batch"'
            )
        self._nearest: NearestEntities | None = None

    @classmethod
    def prepare(cls, settings: TwoTowerRunSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no mention can be used, or all are of one concept."""
        wanted = settings.data
        terminology = Terminology.open(wanted.terminology)
        mentions, of_corpora = read_mentions(wanted.corpora, types=wanted.types, columns=wanted.columns)
        linked = linked_mentions(mentions, terminology)
        if len(np.unique(linked.concepts)) < 2:
            raise RequestError(
                f"All {linked.describe()} are of one concept; there is nothing to tell apart. Add corpora."
            )
        names, definitions = _described(terminology, np.arange(len(terminology)))
        contexts = dict.fromkeys(mention.document.text for mention in linked.mentions)
        texts = chain(names, definitions, contexts)
        learner = TwoTowerLearner(settings.encoder, texts, seed=settings.seed)
        data = {"terminology": terminology.digest, "corpora": of_corpora, "start": learner.digest}
        task = cls(settings, learner, terminology, linked, data)
        asked = settings.evaluation
        if asked is not None:
            development, read = read_mentions(asked.corpora, types=asked.types, columns=asked.columns)
            task._nearest = NearestEntities(
                terminology,
                linked_mentions(development, terminology),
                concepts=asked.concepts,
                seed=settings.seed,
            )
            task.data = {**data, "evaluation": digest(read)}
        return task

    def optimiser(self) -> torch.optim.Optimizer:
        """The learner's."""
        return self.module.optimiser()

    def loss(self, step: int) -> Tensor:
        """Of batch `step`, see `Epochs`."""
        picked = self._epochs.rows(step)
        # An entity that several mentions of the batch have is encoded once.
        distinct, where = np.unique(self._entity[picked], return_inverse=True)
        mentions = self.module.mention_vectors([self._mentions[i] for i in picked])
        entities = self.module.entity_vectors([self._entities[i] for i in distinct])
        labels = torch.from_numpy(where).to(mentions.device)
        loss: Tensor = self._objective(mentions, entities[labels], labels)
        return loss

    def evaluate(self) -> dict[str, float]:
        """acc@1 and acc@64 of the nearest concepts by cosine."""
        return self._nearest(self.module) if self._nearest else {}

    def state(self) -> dict[str, Tensor]:
        """Nothing."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Nothing."""

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write both towers; says how many of the concepts learnt from have a definition."""
        facts = {
            "mentions": self._linked.describe(),
            "concepts": len(self._entities),
            "with_definition": self._defined,
        }
        self.module.save(directory, card=card, training={**training, **facts})


class NearestEntities:
    """Development mentions and the concepts they are looked for among."""

    def __init__(
        self, terminology: Terminology, linked: LinkedMentions, *, concepts: int | None, seed: int
    ) -> None:
        rows = np.arange(len(terminology))
        if concepts is not None:
            own = np.unique(linked.concepts)
            others = np.setdiff1d(rows, own)
            drawn = np.random.default_rng(seed).choice(others, size=min(concepts, len(others)), replace=False)
            rows = np.sort(np.concatenate([own, drawn]))
        self._mentions = linked.mentions
        self._gold = np.searchsorted(rows, linked.concepts)
        self._names, self._definitions = _described(terminology, rows)

    def __call__(self, encoder: Any) -> dict[str, float]:
        """acc@k, 0 to 1; of concepts equally near, the wrong come first."""
        parts = [
            encoder.encode_entities(
                self._names[start : start + _TOGETHER], self._definitions[start : start + _TOGETHER]
            )
            for start in range(0, len(self._names), _TOGETHER)
        ]
        entities = unit(np.concatenate(parts))
        ranks = []
        for start in range(0, len(self._mentions), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            scores = unit(encoder.encode_mentions(self._mentions[part])) @ entities.T
            own = np.take_along_axis(scores, self._gold[part, None], 1)
            ranks.append((~(scores < own)).sum(1))
        return {f"acc@{k}": float(np.mean(np.concatenate(ranks) <= k)) for k in _KS}


def _described(terminology: Terminology, rows: Sequence[int] | Ints) -> tuple[list[str], list[str]]:
    """Preferred names and definitions."""
    return [terminology.name(int(row)) for row in rows], [terminology.definition(int(row)) for row in rows]
