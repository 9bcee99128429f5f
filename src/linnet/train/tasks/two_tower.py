"""Mentions in context and entities with their definition into one space, each the other's among a batch (TrainX)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.encode import unit
from linnet.errors import RequestError
from linnet.io.artifact import digest
from linnet.io.settings_files import check_at_least
from linnet.terminology import Terminology
from linnet.train.corpus import CorpusSettings, LinkedMentions, TableColumns, linked_mentions, read_mentions
from linnet.train.epochs import Epochs
from linnet.train.learners.two_tower import TwoTowerLearner, TwoTowerSettings
from linnet.train.objectives import InBatch
from linnet.train.objectives.build import allowed_objectives, build_objective
from linnet.train.sampling import own_and_others
from linnet.train.task import RunSettings, Task

__all__ = ["NearestEntities", "TwoTowerTask"]

_TOGETHER = 2048  # entities encoded at a time in evaluation
_KS = (1, 64)


@dataclass(frozen=True, kw_only=True)
class TwoTowerData(CorpusSettings):
    """The section `[data]`, besides the keys of `CorpusSettings`. Entities are concepts: preferred name and definition.

    mentions  of a batch, each with its entity (TrainX: 128)
    """

    mentions: int = 128

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 2, "mentions")


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """The section `[evaluation]`: the terminology's concepts nearest to the mentions of `corpora`.

    types     only mentions of these types        columns  of corpora that are tables
    concepts  number of other concepts, drawn, to search beside the mentions' own; None for all
    """

    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)
    concepts: int | None = None


@dataclass(frozen=True, kw_only=True)
class TwoTowerRunSettings(RunSettings):
    """A run file with task = "two-tower"."""

    encoder: TwoTowerSettings = field(default_factory=TwoTowerSettings)
    data: TwoTowerData
    objective: Annotated[Mapping[str, Any], allowed_objectives(InBatch)] = field(
        default_factory=lambda: {"kind": "in-batch"}
    )
    evaluation: EvaluationSettings | None = None


class TwoTowerTask(Task):
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
        self.settings, self.data, self._linked = settings, data, linked
        self.module: TwoTowerLearner = learner
        self._mentions = learner.marked.mentions(linked.mentions)
        concepts, self._entity = np.unique(linked.concepts, return_inverse=True)
        names, definitions = _described(terminology, concepts)
        self._entities = learner.marked.entities(names, definitions)
        self._defined = sum(map(bool, definitions))
        self._epochs = Epochs(len(self._mentions), batch=settings.data.mentions, seed=settings.seed)
        self._objective: InBatch = build_objective(settings.objective)
        self._nearest: NearestEntities | None = None

    @classmethod
    def prepare(cls, settings: TwoTowerRunSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no mention can be used, RequestError where all are of one concept."""
        terminology, linked, data = settings.data.linked()
        if len(np.unique(linked.concepts)) < 2:
            raise RequestError(
                f"All {linked.describe()} are of one concept, so there is nothing to learn. Add corpora."
            )
        names, definitions = _described(terminology, np.arange(len(terminology)))
        contexts = dict.fromkeys(mention.document.text for mention in linked.mentions)
        texts = chain(names, definitions, contexts)
        learner = TwoTowerLearner(settings.encoder, texts, seed=settings.seed)
        task = cls(settings, learner, terminology, linked, data)
        dev = settings.evaluation
        if dev is not None:
            mentions, of_corpora = read_mentions(dev.corpora, types=dev.types, columns=dev.columns)
            dev_linked = linked_mentions(mentions, terminology)
            task._nearest = NearestEntities(
                terminology, dev_linked, concepts=dev.concepts, seed=settings.seed
            )
            task.data = {**data, "evaluation": digest(of_corpora)}
        return task

    def steps_of_pass(self) -> int:
        """Batches of an epoch."""
        return self._epochs.batches

    def loss(self, step: int) -> Tensor:
        """Of batch `step`, see `Epochs`."""
        picked = self._epochs.rows(step)
        # An entity that several mentions share is encoded once.
        distinct, where = np.unique(self._entity[picked], return_inverse=True)
        mentions = self.module.mention_vectors([self._mentions[i] for i in picked])
        entities = self.module.entity_vectors([self._entities[i] for i in distinct])
        labels = torch.from_numpy(where).to(mentions.device)
        return self._objective(mentions, entities[labels], labels)

    def evaluate(self) -> dict[str, float]:
        """acc@1 and acc@64 of the nearest concepts by cosine."""
        return self._nearest(self.module) if self._nearest else {}

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write both towers, and how many of the learnt concepts have a definition."""
        facts = {
            "mentions": self._linked.describe(),
            "concepts": len(self._entities),
            "with_definition": self._defined,
        }
        self.module.save(directory, card=card, training={**training, **facts})


class NearestEntities:
    """Development mentions, and the concepts to rank for each."""

    def __init__(
        self, terminology: Terminology, linked: LinkedMentions, *, concepts: int | None, seed: int
    ) -> None:
        own = np.isin(np.arange(len(terminology)), linked.concepts)
        rows = own_and_others(own, concepts, np.random.default_rng(seed))
        self._mentions = linked.mentions
        self._gold = np.searchsorted(rows, linked.concepts)
        self._names, self._definitions = _described(terminology, rows)

    def __call__(self, encoder: Any) -> dict[str, float]:
        """acc@k, 0 to 1. Wrong concepts win ties."""
        blocks = [
            encoder.encode_entities(self._names[block], self._definitions[block])
            for block in _blocks(len(self._names))
        ]
        entities = unit(np.concatenate(blocks))
        ranks = []
        for block in _blocks(len(self._mentions)):
            scores = unit(encoder.encode_mentions(self._mentions[block])) @ entities.T
            own = np.take_along_axis(scores, self._gold[block, None], 1)
            ranks.append((~(scores < own)).sum(1))
        return {f"acc@{k}": float(np.mean(np.concatenate(ranks) <= k)) for k in _KS}


def _blocks(count: int) -> Iterator[slice]:
    return (slice(start, start + _TOGETHER) for start in range(0, count, _TOGETHER))


def _described(terminology: Terminology, rows: Sequence[int] | Ints) -> tuple[list[str], list[str]]:
    """Preferred names and definitions."""
    return [terminology.name(int(row)) for row in rows], [terminology.definition(int(row)) for row in rows]
