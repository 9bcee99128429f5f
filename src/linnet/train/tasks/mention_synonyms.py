"""Fine-tuning on a corpus: each mention and every name of its concept, compared within the batch (SapBERT)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from linnet.arrays import Ints
from linnet.errors import DataError
from linnet.io.settings_files import check_at_least
from linnet.terminology import Terminology
from linnet.train.corpus import CorpusSettings, LinkedMentions
from linnet.train.epochs import Epochs
from linnet.train.learners import build_learner
from linnet.train.learners.learner import Learner
from linnet.train.synonyms import Synonyms
from linnet.train.task import RunSettings
from linnet.train.tasks.encoder_task import NamePairsSettings, NamePairsTask
from linnet.words.text import fold

__all__ = ["MentionSynonyms", "MentionSynonymsTask"]


class MentionSynonyms(Synonyms):
    """`Synonyms` whose pairs are a mention's text and a name of its concept."""

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
        number = {text: position for position, text in enumerate(self.texts)}
        pairs = [
            (number[mention], number[name], label)
            for label, (own, texts) in enumerate(zip(names, mentioned.values(), strict=True))
            for mention in dict.fromkeys(texts)
            for name in dict.fromkeys(own)
            if mention != name
        ]
        rows = np.array(pairs, np.int64).reshape(-1, 3)
        self.pairs, self.labels = rows[:, :2], rows[:, 2]


@dataclass(frozen=True, kw_only=True)
class MentionSynonymsData(CorpusSettings):
    """The section `[data]`, besides the keys of `CorpusSettings`.

    pairs  of a batch (SapBERT: 128, that is 256 texts)
    """

    pairs: int = 128

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 2, "pairs")


@dataclass(frozen=True, kw_only=True)
class MentionSynonymsSettings(NamePairsSettings):
    """A run file with task = "mention-synonyms"."""

    data: MentionSynonymsData


class MentionSynonymsTask(NamePairsTask):
    """Batches of (mention, name) pairs."""

    Settings: ClassVar[type[RunSettings]] = MentionSynonymsSettings

    def __init__(
        self,
        settings: MentionSynonymsSettings,
        learner: Learner,
        synonyms: MentionSynonyms,
        data: Mapping[str, str],
    ) -> None:
        super().__init__(settings, learner, synonyms, data)
        self._epochs = Epochs(len(synonyms.pairs), batch=settings.data.pairs, seed=settings.seed)

    @classmethod
    def prepare(cls, settings: MentionSynonymsSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no mention can be used."""
        terminology, linked, data = settings.data.linked()
        synonyms = MentionSynonyms(terminology, linked)
        learner = build_learner(settings.encoder, synonyms.texts, seed=settings.seed)
        task = cls(settings, learner, synonyms, data)
        task.facts = {"mentions": linked.describe()}
        task.validate_on(settings.evaluation, seed=settings.seed)
        return task

    def steps_of_pass(self) -> int:
        """Batches of an epoch."""
        return self._epochs.batches

    def batch(self, step: int) -> tuple[Ints, Ints]:
        """See `NamePairsTask.batch`; each pair once in an epoch."""
        rows = self._epochs.rows(step)
        return self.synonyms.pairs[rows], self.synonyms.labels[rows]
