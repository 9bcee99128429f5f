"""Self-alignment: names of one concept brought together, names of different concepts pushed apart (SapBERT)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.io.settings_files import check_at_least
from linnet.terminology import Terminology
from linnet.train.epochs import Epochs
from linnet.train.learners import build_learner
from linnet.train.learners.learner import Learner
from linnet.train.passes import Passes
from linnet.train.synonyms import Synonyms
from linnet.train.task import RunSettings
from linnet.train.tasks.encoder_task import NamePairsSettings, NamePairsTask
from linnet.train.tasks.neighbourhoods import Neighbourhoods

__all__ = ["SynonymsSettings", "SynonymsTask"]


@dataclass(frozen=True, kw_only=True)
class SynonymsData:
    """The section `[data]`.

    terminologies  whose names are learnt; concepts that share an id across terminologies are one concept
    emphasised     terminologies whose concepts are drawn `emphasis` times as often
    pairs          of names in a batch (SapBERT: 256)
    pairing        "combinations": a pass has `most` pairs of a concept, the same ones in each pass.
                   "once": a pass has each name in one pair, drawn anew for each pass
    most           pairs learnt of a concept (SapBERT: 50)
    hard           share of the batches, 0 to 1, that hold neighbouring concepts, so that negatives are hard
    clusters       number of neighbourhoods ("combinations" only)
    refresh        steps between searches for neighbours with the current encoder
    """

    terminologies: tuple[Path, ...]
    emphasised: tuple[Path, ...] = ()
    emphasis: int = 3
    pairs: int = 256
    pairing: Literal["combinations", "once"] = "combinations"
    most: int = 50
    hard: float = 0.0
    clusters: int = 400
    refresh: int = 1000

    def __post_init__(self) -> None:
        check_at_least(self, 1, "pairs", "most", "emphasis", "clusters", "refresh")
        if not 0 <= self.hard <= 1:
            raise ValueError(f"'hard' is {self.hard}; expected 0 to 1.")
        if self.pairing == "once" and self.emphasised:
            raise ValueError(
                "'emphasised' draws pairs more often, but with pairing = \"once\" each name comes once."
            )


@dataclass(frozen=True, kw_only=True)
class SynonymsSettings(NamePairsSettings):
    """A run file with task = "synonyms"."""

    data: SynonymsData


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
        wanted = settings.data
        self._order = order
        self._hard = Neighbourhoods(synonyms.labels[order], wanted.clusters)
        self._epochs = Epochs(len(order), batch=wanted.pairs, seed=settings.seed)
        self._passes: Passes | None = None
        if wanted.pairing == "once":
            self._passes = Passes(
                synonyms.name_texts,
                synonyms.name_concepts,
                size=wanted.pairs,
                seed=settings.seed,
                hard=wanted.hard,
                section=wanted.refresh,
            )

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

    def steps_of_pass(self) -> int:
        """Batches of a pass, see `SynonymsData.pairing`."""
        return self._epochs.batches if self._passes is None else self._passes.batches

    def batch(self, step: int) -> tuple[Ints, Ints]:
        """See `NamePairsTask.batch`."""
        if self._passes is not None:
            return self._passes.batch(step, self._vectors)
        rows = self.batch_pairs(step)
        return self.synonyms.pairs[rows], self.synonyms.labels[rows]

    def batch_pairs(self, step: int) -> Ints:
        """(B,) rows of `synonyms.pairs`, of neighbouring concepts in a share of the batches."""
        wanted = self.settings.data
        rng = np.random.default_rng([self.settings.seed, step])
        if wanted.hard:
            if step % wanted.refresh == 0:
                self._hard.draw(
                    lambda concepts: self._vectors(self.synonyms.first_texts[concepts]),
                    seed=self.settings.seed + step,
                )
            if rng.random() < wanted.hard:
                return self._order[self._hard.near(wanted.pairs, rng)]
        return self._order[self._epochs.rows(step)]

    @torch.no_grad()
    def _vectors(self, texts: Ints) -> Any:
        """(n, D) vectors of texts as they are now, without dropout."""
        training = self.module.training
        self.module.eval()
        vectors = [self._encode(texts[i : i + 8192]).cpu().numpy() for i in range(0, len(texts), 8192)]
        self.module.train(training)
        # PyTorch (issue 112583, open until 2.11) would use weights that were cast without gradients for the loss too.
        torch.clear_autocast_cache()
        return np.concatenate(vectors) if vectors else np.zeros((0, 1), np.float32)

    def state(self) -> dict[str, Tensor]:
        """The neighbourhoods."""
        return (self._passes or self._hard).state()

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where `state` was taken."""
        (self._passes or self._hard).load_state(state)
