"""Scoring of systems on the same gold: current ids on both sides, then every protocol."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.evaluate.check import check_vocabularies
from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.protocols import AUGMENTED, Context, Protocol, Result, score
from linnet.evaluate.resolution import resolve_answers, resolve_gold
from linnet.evaluate.scored_types import of_scored_types
from linnet.evaluate.subsets import Seen
from linnet.evaluate.system import System
from linnet.evaluate.vocabulary import Vocabulary

__all__ = ["Judge", "Judged"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A system's answers and the gold, both with current ids, and the results.

    results   one per protocol, in their order
    unscored  notes on the system's annotations of running text that do not count
    """

    golds: list[Gold]
    predictions: list[Predicted]
    results: list[Result]
    unscored: list[str]


@dataclass(frozen=True, slots=True)
class Judge:
    """What all systems are scored by.

    golds          of the corpus, ids as written
    protocols      to score by
    seen           surfaces and concepts of the training data, None without training data
    types          that are scored, () for all
    in_corpus      types of the corpus, scored or not
    allow_missing  score even answers whose vocabularies are not those of the gold, see `check_vocabularies`
    """

    golds: Sequence[Gold]
    protocols: Sequence[Protocol]
    vocabulary: Vocabulary
    seen: Seen | None
    types: Collection[str]
    in_corpus: Collection[str]
    allow_missing: bool

    @property
    def known(self) -> Callable[[str], bool] | None:
        """Whether a terminology has an id; None without terminologies."""
        return self.vocabulary.known if self.vocabulary else None

    def judge(self, system: System) -> Judged:
        """Score a system under every protocol.

        Raises RequestError for answers to other mentions, answers with ids of other vocabularies (`check_vocabularies`), and
        a protocol that lacks what it needs.
        """
        if len(system.predictions) != len(self.golds):
            raise RequestError(
                f"'{system.name}' answers {len(system.predictions):,} mentions; the corpus has {len(self.golds):,}. "
                "Evaluate it on the same documents and types."
            )
        golds, predictions = self._resolved(system.predictions)
        if not self.allow_missing:
            check_vocabularies(golds, predictions, system=system.name)
        annotations, unscored = self._annotations(system)
        context = Context(self.known, self.seen, annotations)
        results = []
        for protocol in self.protocols:
            answered = self._augmented(system, protocol) if protocol.augmented else (golds, predictions)
            results.append(score(protocol, *answered, context))
        return Judged(golds, predictions, results, unscored)

    def _augmented(self, system: System, protocol: Protocol) -> tuple[list[Gold], list[Predicted]]:
        """The gold and the answers with the training mentions as names."""
        if system.augmented is None:
            raise RequestError(
                f"Protocol '{protocol.name}' needs a second run with the training mentions as names; "
                f"'{system.name}' has one run. Leave out '{AUGMENTED}', or give a terminology and training data.",
                Step.GIVE_TRAINING_DATA(),
            )
        return self._resolved(system.augmented)

    def _annotations(self, system: System) -> tuple[list[Gold] | None, list[str]]:
        """The system's annotations of running text that count, None if not requested, and a note on the others."""
        if system.annotations is None:
            return None, []
        scored, unscored = of_scored_types(
            system.annotations, self.types, in_corpus=self.in_corpus, system=system.name
        )
        return resolve_gold(scored, [()] * len(scored), self.vocabulary.resolve), unscored

    def _resolved(self, predictions: Sequence[Predicted]) -> tuple[list[Gold], list[Predicted]]:
        """The gold and the answers with current ids."""
        answers = resolve_answers(predictions, self.vocabulary.resolve)
        proposed = [
            (*sorted(answer.concepts), *(id for part in (answer, *answer.parts) for id in part.order()))
            for answer in answers
        ]
        return resolve_gold(self.golds, proposed, self.vocabulary.resolve), answers
