"""Self-alignment: names of one concept brought together, names of different concepts pushed apart (SapBERT)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.terminology import Terminology
from linnet.train.epochs import Epochs
from linnet.train.learners import build_learner
from linnet.train.learners.learner import Learner
from linnet.train.synonyms import Synonyms
from linnet.train.task import RunSettings
from linnet.train.tasks.encoder_task import NamePairsSettings, NamePairsTask
from linnet.train.tasks.neighbourhoods import Neighbourhoods

__all__ = ["SynonymsSettings", "SynonymsTask"]


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    terminologies  whose names are learnt; concepts that share an id across terminologies are one concept
    emphasised     terminologies whose concepts are drawn `emphasis` times as often
    pairs          of names in a batch (SapBERT: 256)
    most           pairs learnt of a concept (SapBERT: 50)
    hard           share of the batches, 0 to 1, that hold neighbouring concepts, so that negatives are hard
    clusters       number of neighbourhoods
    refresh        steps between clusterings of the neighbourhoods with the current encoder
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
class SynonymsSettings(NamePairsSettings):
    """A run file with task = "synonyms"."""

    data: DataSettings


class SynonymsTask(NamePairsTask):
    """Batches of synonym pairs."""

    Settings: ClassVar[type[RunSettings]] = SynonymsSettings
    settings: SynonymsSettings

    def __init__(
        self,
        settings: SynonymsSettings,
        learner: Learner,
        synonyms: Synonyms,
        order: Ints,
        data: Mapping[str, str],
    ) -> None:
        """order: pairs to draw from; an emphasised pair occurs several times."""
        super().__init__(settings, learner, synonyms, data)
        self._order = order
        self._hard = Neighbourhoods(synonyms.labels[order], settings.data.clusters)
        self._epochs = Epochs(len(order), batch=settings.data.pairs, seed=settings.seed)

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
        task.validate_on(settings.evaluation)
        return task

    def batch_pairs(self, step: int) -> Ints:
        """(B,) rows of `synonyms.pairs`, of neighbouring concepts in a share of the batches."""
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
        vectors = torch.cat([self._encode(first[i : i + 8192]) for i in range(0, len(first), 8192)])
        return vectors.cpu().numpy()

    def state(self) -> dict[str, Tensor]:
        """The neighbourhoods."""
        return self._hard.state()

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where `state` was taken."""
        self._hard.load_state(state)
