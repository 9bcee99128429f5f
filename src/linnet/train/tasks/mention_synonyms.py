"""Fine-tuning on a corpus: each mention and every name of its concept, compared within the batch (SapBERT)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from linnet.errors import DataError, RequestError
from linnet.terminology import Terminology
from linnet.text import fold
from linnet.train.corpus import LinkedMentions, TableColumns, linked_mentions, read_mentions
from linnet.train.epochs import Epochs
from linnet.train.learners import build_learner
from linnet.train.learners.learner import Learner
from linnet.train.learners.ngram import NgramSettings
from linnet.train.learners.transformer import TransformerSettings
from linnet.train.objectives.build import build_objective, one_of
from linnet.train.objectives.names import NameObjective
from linnet.train.synonyms import Synonyms
from linnet.train.task import RunSettings
from linnet.train.validation import EvaluationSettings, NearestNames, open_validation

__all__ = ["MentionSynonyms", "MentionSynonymsTask"]


class MentionSynonyms(Synonyms):
    """Pairs of a mention's text and a name of its concept; what is otherwise asked of `Synonyms` is answered likewise."""

    def __init__(self, terminology: Terminology, linked: LinkedMentions) -> None:
        """Raises DataError where every mention is written exactly as the only name of its concept."""
        mentioned: dict[int, list[str]] = {}
        for text, concept in zip(linked.texts, linked.concepts.tolist(), strict=True):
            mentioned.setdefault(concept, []).append(fold(text))
        names = [
            list(map(fold, terminology.names.take(terminology.name_rows(concept)))) for concept in mentioned
        ]
        groups = [[*own, *texts] for own, texts in zip(names, mentioned.values(), strict=True)]
        try:
            super().__init__(groups, most=1)
        except DataError:
            raise DataError(
                f"{linked.describe()}: each is written as the only name of its concept, so there is nothing to learn. "
                "Add corpora, or use a terminology with synonyms."
            ) from None
        number = {text: place for place, text in enumerate(self.texts)}
        found = [
            (number[mention], number[name], label)
            for label, (own, texts) in enumerate(zip(names, mentioned.values(), strict=True))
            for mention in dict.fromkeys(texts)
            for name in dict.fromkeys(own)
            if mention != name
        ]
        rows = np.array(found, np.int64).reshape(-1, 3)
        self.pairs, self.labels = rows[:, :2], rows[:, 2]


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    terminology  whose names are learnt       corpora  whose mentions are learnt, types: only of these types
    columns      of corpora that are tables
    pairs        of a batch (SapBERT: 128, that is 256 texts)
    """

    terminology: Path
    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)
    pairs: int = 128

    def __post_init__(self) -> None:
        if self.pairs < 2:
            raise ValueError(f"'pairs' is {self.pairs}; expected 2 or more, which are compared.")


@dataclass(frozen=True, kw_only=True)
class MentionSynonymsSettings(RunSettings):
    """A run file with task = "mention-synonyms"."""

    encoder: NgramSettings | TransformerSettings
    data: DataSettings
    objective: Annotated[Mapping[str, Any], one_of(NameObjective)] = field(
        default_factory=lambda: {"kind": "multi-similarity"}
    )
    evaluation: EvaluationSettings | None = None


class MentionSynonymsTask:
    """Batches of (mention, name) pairs; other pairs' texts are the negatives."""

    Settings: ClassVar[type[RunSettings]] = MentionSynonymsSettings
    batch_key: ClassVar[str] = "data.pairs"

    def __init__(
        self,
        settings: MentionSynonymsSettings,
        learner: Learner,
        synonyms: MentionSynonyms,
        facts: Mapping[str, Any],
        data: Mapping[str, str],
    ) -> None:
        """facts: on the mentions, kept with the model."""
        self.settings, self.module, self.data = settings, learner, data
        self._synonyms, self._facts = synonyms, facts
        self._encode = learner.numbered(synonyms.texts)
        self._epochs = Epochs(len(synonyms.pairs), batch=settings.data.pairs, seed=settings.seed)
        self._objective = build_objective(settings.objective)
        if not isinstance(self._objective, NameObjective):
            raise RequestError(
                'The task "mention-synonyms" compares names within a batch; [objective] asks for '
                f'{type(self._objective).__name__}. Write for example: kind = "multi-similarity"'
            )
        self._nearest: NearestNames | None = None

    @classmethod
    def prepare(cls, settings: MentionSynonymsSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no mention can be used."""
        wanted = settings.data
        terminology = Terminology.open(wanted.terminology)
        mentions, of_corpora = read_mentions(wanted.corpora, types=wanted.types, columns=wanted.columns)
        linked = linked_mentions(mentions, terminology)
        synonyms = MentionSynonyms(terminology, linked)
        learner = build_learner(settings.encoder, synonyms.texts, seed=settings.seed)
        data = {"terminology": terminology.digest, "corpora": of_corpora}
        task = cls(settings, learner, synonyms, {"mentions": linked.describe()}, data)
        if settings.evaluation is not None:
            task._nearest, read = open_validation(settings.evaluation, seed=settings.seed)
            task.data = {**data, "evaluation": read}
        return task

    def optimiser(self) -> torch.optim.Optimizer:
        """The learner's."""
        return self.module.optimiser()

    def loss(self, step: int) -> Tensor:
        """Of batch `step`, see `Epochs`."""
        picked = self._epochs.rows(step)
        texts, of = self._synonyms.pairs[picked].ravel(), np.repeat(self._synonyms.labels[picked], 2)
        vectors = self._encode(texts)
        homonyms = torch.from_numpy(self._synonyms.homonyms(texts, of)).to(vectors.device)
        loss: Tensor = self._objective(vectors, torch.from_numpy(of).to(vectors.device), homonyms)
        return loss

    def evaluate(self) -> dict[str, float]:
        """acc@1 and acc@64 of the nearest names by cosine."""
        return self._nearest(lambda texts: self.module(texts).cpu().numpy()) if self._nearest else {}

    def state(self) -> dict[str, Tensor]:
        """Nothing."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Nothing."""

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the encoder."""
        self.module.save(directory, card=card, training={**training, **self._facts})
