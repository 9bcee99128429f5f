"""What the tasks that train an encoder of names share: settings, development scores, and the model they write."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.train.learners.learner import Learner
from linnet.train.learners.ngram import NgramSettings
from linnet.train.learners.transformer import TransformerSettings
from linnet.train.objectives.build import allowed_objectives, build_objective
from linnet.train.objectives.names import NameObjective
from linnet.train.synonyms import Synonyms
from linnet.train.task import RunSettings, Task
from linnet.train.validation import EvaluationSettings, NearestNames, open_validation

__all__ = ["EncoderRunSettings", "EncoderTask", "NamePairsSettings", "NamePairsTask"]


@dataclass(frozen=True, kw_only=True)
class EncoderRunSettings(RunSettings):
    """The sections `[encoder]` and `[evaluation]`."""

    encoder: NgramSettings | TransformerSettings
    evaluation: EvaluationSettings | None = None


@dataclass(frozen=True, kw_only=True)
class NamePairsSettings(EncoderRunSettings):
    """Besides, an objective over pairs of names."""

    objective: Annotated[Mapping[str, Any], allowed_objectives(NameObjective)] = field(
        default_factory=lambda: {"kind": "multi-similarity"}
    )


class EncoderTask(Task):
    """An encoder of names, scored by its nearest names.

    facts  written with the model, beside the run's own
    """

    module: Learner
    data: Mapping[str, str]
    facts: Mapping[str, Any] = {}
    _nearest: NearestNames | None = None

    def validate_on(
        self, settings: EvaluationSettings | None, *, metric: str = "cosine", seed: int = 0
    ) -> None:
        """Read what `[evaluation]` names, if anything."""
        if settings is not None:
            self._nearest, digest = open_validation(settings, metric=metric, seed=seed)
            self.data = {**self.data, "evaluation": digest}

    def evaluate(self) -> dict[str, float]:
        """acc@1 and acc@64 of the nearest names."""
        return self._nearest(lambda texts: self.module(texts).cpu().numpy()) if self._nearest else {}

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the encoder."""
        self.module.save(directory, card=card, training={**training, **self.facts})


class NamePairsTask(EncoderTask):
    """Batches of pairs of names of one concept; the names of the batch's other pairs are the negatives."""

    batch_key: ClassVar[str] = "data.pairs"

    def __init__(
        self, settings: NamePairsSettings, learner: Learner, synonyms: Synonyms, data: Mapping[str, str]
    ) -> None:
        self.settings, self.module, self.data = settings, learner, data
        self.synonyms = synonyms
        self._encode = learner.numbered(synonyms.texts)
        self.objective = build_objective(settings.objective)

    @abstractmethod
    def batch(self, step: int) -> tuple[Ints, Ints]:
        """(B, 2) texts and (B,) concept of the pairs of batch `step`."""

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        pairs, concepts = self.batch(step)
        texts, labels = pairs.ravel(), np.repeat(concepts, 2)
        homonyms = torch.from_numpy(self.synonyms.homonyms(texts, labels))
        vectors = self._encode(texts)
        device = vectors.device
        loss: Tensor = self.objective(vectors, torch.from_numpy(labels).to(device), homonyms.to(device))
        return loss
