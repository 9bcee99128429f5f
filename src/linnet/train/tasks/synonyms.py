"""Self-alignment: names of one concept brought together, names of different concepts pushed apart (SapBERT)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.terminology import Terminology
from linnet.train.epochs import Epochs
from linnet.train.learners import build_learner
from linnet.train.learners.learner import Learner
from linnet.train.learners.ngram import NgramSettings
from linnet.train.learners.transformer import TransformerSettings
from linnet.train.objectives.build import build_objective, one_of
from linnet.train.objectives.names import NameObjective
from linnet.train.synonyms import Synonyms
from linnet.train.task import RunSettings
from linnet.train.tasks.neighbourhoods import Neighbourhoods
from linnet.train.validation import EvaluationSettings, NearestNames, open_validation

__all__ = ["SynonymsSettings", "SynonymsTask"]


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    terminologies  whose names are learnt from; what several have under one id is one concept
    emphasised     terminologies whose concepts are drawn `emphasis` times as often
    pairs          of a batch: so many times two names (SapBERT: 256)
    most           pairs of a concept that are learnt from (SapBERT: 50)
    hard           share of the batches whose concepts are near each other, so that negatives are hard; 0 to 1
    clusters       how many neighbourhoods there are for that
    refresh        steps after which neighbourhoods are drawn anew, with what has been learnt
    """

    terminologies: tuple[Path, ...]
    emphasised: tuple[Path, ...] = ()
    emphasis: int = 3
    pairs: int = 256
    most: int = 50
    hard: float = 0.0
    clusters: int = 400
    refresh: int = 1000


@dataclass(frozen=True, kw_only=True)
class SynonymsSettings(RunSettings):
    """A run file with task = "synonyms"."""

    encoder: NgramSettings | TransformerSettings
    data: DataSettings
    objective: Annotated[Mapping[str, Any], one_of(NameObjective)] = field(
        default_factory=lambda: {"kind": "multi-similarity"}
    )
    evaluation: EvaluationSettings | None = None


class SynonymsTask:
    """Batches of synonym pairs, compared within the batch."""

    Settings: ClassVar[type[RunSettings]] = SynonymsSettings
    batch_key: ClassVar[str] = "data.pairs"

    def __init__(
        self,
        settings: SynonymsSettings,
        learner: Learner,
        synonyms: Synonyms,
        order: Ints,
        data: Mapping[str, str],
    ) -> None:
        """order: pairs to draw from, one that counts more several times."""
        self.settings, self.module, self.data = settings, learner, data
        self.synonyms, self._order = synonyms, order
        self._encode = learner.numbered(synonyms.texts)
        self.objective = build_objective(settings.objective)
        self._hard = Neighbourhoods(synonyms.labels[order], settings.data.clusters)
        self._epochs = Epochs(len(order), batch=settings.data.pairs, seed=settings.seed)
        self._nearest: NearestNames | None = None

    @classmethod
    def prepare(cls, settings: SynonymsSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no concept has two names."""
        wanted = settings.data
        terminologies = [Terminology.open(path) for path in wanted.terminologies]
        synonyms = Synonyms.of(terminologies, most=wanted.most, seed=settings.seed)
        emphasised = [Terminology.open(path) for path in wanted.emphasised]
        ids = {id for terminology in emphasised for id in terminology.ids.take(range(len(terminology)))}
        often = np.fromiter((id in ids for id in synonyms.ids), bool, synonyms.concepts)
        times = np.where(often, wanted.emphasis, 1)[synonyms.labels]
        learner = build_learner(settings.encoder, synonyms.texts, seed=settings.seed)
        data = {str(t.path): t.digest for t in (*terminologies, *emphasised)}
        task = cls(settings, learner, synonyms, np.repeat(np.arange(len(times)), times), data)
        if settings.evaluation is not None:
            task._nearest, read = open_validation(settings.evaluation)
            task.data = {**data, "evaluation": read}
        return task

    def optimiser(self) -> torch.optim.Optimizer:
        """The learner's."""
        return self.module.optimiser()

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        pairs = self._pairs(step)
        texts = self.synonyms.pairs[pairs].ravel()
        labels = np.repeat(self.synonyms.labels[pairs], 2)
        homonyms = torch.from_numpy(self.synonyms.homonyms(texts, labels))
        vectors = self._encode(texts)
        device = vectors.device
        loss: Tensor = self.objective(vectors, torch.from_numpy(labels).to(device), homonyms.to(device))
        return loss

    def _pairs(self, step: int) -> Ints:
        wanted = self.settings.data
        rng = np.random.default_rng([self.settings.seed, step])
        if wanted.hard:
            if step % wanted.refresh == 0:
                self._hard.draw(self._concept_vectors, seed=self.settings.seed + step)
            if rng.random() < wanted.hard:
                return self._order[self._hard.near(wanted.pairs, rng)]
        return self._order[self._epochs.rows(step)]

    @torch.no_grad()
    def _concept_vectors(self, concepts: Ints) -> Any:
        """(n, D) vector of one name of each concept."""
        first = self.synonyms.first_texts[concepts]
        return (
            torch.cat([self._encode(first[i : i + 8192]) for i in range(0, len(first), 8192)]).cpu().numpy()
        )

    def evaluate(self) -> dict[str, float]:
        """acc@1 and acc@64 of the nearest names."""
        return self._nearest(lambda texts: self.module(texts).cpu().numpy()) if self._nearest else {}

    def state(self) -> dict[str, Tensor]:
        """The neighbourhoods."""
        return self._hard.state()

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where `state` was taken."""
        self._hard.load_state(state)

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the encoder."""
        self.module.save(directory, card=card, training=training)
