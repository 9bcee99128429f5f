"""One step of a simulation: a model learns from what is annotated, is measured, and predicts the rest."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from linnet.annotate.learning.confidence import confidence
from linnet.annotate.learning.learners import Learner, learners
from linnet.annotate.learning.learners.recogniser import LearnRecogniser
from linnet.annotate.learning.lesson import Lesson
from linnet.annotate.learning.model import Model, base_linker, open_model
from linnet.annotate.learning.spans import f1_scores
from linnet.annotate.simulate.plan import Plan
from linnet.annotate.simulate.step import Prediction, Step
from linnet.annotate.simulate.studies import Study
from linnet.evaluate.accuracy import strict
from linnet.evaluate.gold import Gold, golds_of, predicted_of
from linnet.evaluate.system import blank
from linnet.link import Linker
from linnet.link.indexing import build_indexes, build_name_parts
from linnet.types import Document

__all__ = ["LEAN", "SCORES", "Teacher", "scores"]

# linking     share of the gold mentions with a concept whose concepts are found, their spans given: protocol `strict`
# end to end  F1 of annotations whose spans overlap and whose concepts are equal: weak annotation match
# spans       F1 of equal spans, whatever they mean
SCORES = ("linking", "end to end", "spans")

# A fifth of the time that a project's takes. After 290 documents of BC5CDR train it finds mentions of other documents with
# an F1 of 0.81.
LEAN = LearnRecogniser(
    epochs=8,
    steps=(50, 600),
    tagger={"width": 64, "projected": 64, "joined": 64, "learning_rate": 0.006},
)


@dataclass(frozen=True)
class Teacher:
    """Makes steps of one study. Not changed by use.

    linker  the terminology alone
    """

    study: Study
    plan: Plan
    linker: Linker

    @classmethod
    def open(cls, study: Study, plan: Plan) -> Teacher:
        """With the terminology's indexes, built where they are missing."""
        pipeline = plan.pipeline(study.terminology)
        build_indexes(
            study.terminology, pipeline.retrievers, encoder=pipeline.encoder, update=True, threads=1
        )
        build_name_parts(study.terminology, pipeline, update=True, threads=1)
        linker = base_linker(study.terminology, pipeline, types=study.types, threads=1)
        return cls(study, plan, linker)

    def step(self, labelled: Sequence[str], *, seed: int, predict: bool) -> Step:
        """Learn from the documents of these ids, as far as they are annotated, and measure.

        seed     of what learners draw
        predict  in the documents that are not labelled

        The documents are learnt from in the order of the study, whatever the order they were annotated in.
        """
        chosen = set(labelled)
        documents = [document for document in self.study.pool if document.id in chosen]
        with tempfile.TemporaryDirectory(prefix="linnet-simulate-", ignore_cleanup_errors=True) as place:
            folder = Path(place)
            learned: dict[str, str] = {}
            if documents:
                lesson = Lesson(self.study.terminology, self.study.types, documents, (), self.linker)
                for name in self.plan.learners:
                    learned[name] = self._learner(name, seed).learn(lesson, folder, lambda *_: None)
            model = open_model(
                self.study.terminology,
                folder,
                types=self.study.types,
                pipeline=self.plan.pipeline(self.study.terminology),
            )
            rest = [document for document in self.study.pool if document.id not in chosen]
            return Step(
                tuple(labelled),
                sum(len(document.mentions) for document in documents),
                scores(model, self.study.measured),
                learned,
                _predicted(model, rest) if predict else None,
            )

    def _learner(self, name: str, seed: int) -> Learner:
        if name != "recogniser":
            return learners[name]
        return replace(LEAN if self.plan.lean else LearnRecogniser(), seed=seed)


def scores(model: Model, documents: Sequence[Document]) -> dict[str, float]:
    """`SCORES` of a model on annotated documents."""
    golds = golds_of(mention for document in documents for mention in document.mentions)
    found = [
        Gold(
            document=one.document.id,
            start=link.mention.start,
            end=link.mention.end,
            text=link.mention.text,
            concepts=frozenset(link.concepts),
        )
        for one in model.predict(documents)
        for link in one.links
    ]
    asked = [mention for document in blank(documents) for mention in document.mentions]
    answers = predicted_of(model.linker.link(asked, k=1))
    linked = [place for place, gold in enumerate(golds) if gold.concepts]
    right = strict([golds[place] for place in linked], [answers[place] for place in linked])
    return {
        "linking": sum(right) / len(right) if right else 0.0,
        "end to end": f1_scores(golds, found, weak=True, concepts=True)["f1"],
        "spans": f1_scores(golds, found, weak=False, concepts=False)["f1"],
    }


def _predicted(model: Model, documents: Sequence[Document]) -> dict[str, tuple[Prediction, ...]]:
    return {
        one.document.id: tuple((link.mention.text, round(confidence(link), 4)) for link in one.links)
        for one in model.predict(documents)
    }
