"""One step of a simulation: a model learns from the annotated documents, is measured, and predicts the rest."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from linnet.active.confidence import confidence
from linnet.active.learners import Learner, learners
from linnet.active.learners.recogniser import LearnRecogniser
from linnet.active.metrics import f1_scores, golds_in, link_golds, predicted_golds
from linnet.active.model import Model, base_linker, open_model
from linnet.active.simulation.plan import Plan
from linnet.active.simulation.step import Prediction, Step
from linnet.active.simulation.studies import Study
from linnet.active.training_data import TrainingData
from linnet.evaluate.accuracy import strict
from linnet.evaluate.gold import predicted_of
from linnet.link import Linker
from linnet.link.indexing import build_indexes, build_name_features, build_second_index
from linnet.link.second_index import second_index
from linnet.types import Document

__all__ = ["LEAN", "SCORES", "Teacher", "scores"]

# linking     share of the gold mentions with a concept that are linked right, given their spans: protocol `strict`
# end to end  F1 of annotations with overlapping spans and equal concepts: weak annotation match
# spans       F1 of equal spans, whatever their concepts
SCORES = ("linking", "end to end", "spans")

# Trains in a fifth of a project's time. After 290 documents of BC5CDR train, it finds the mentions of other documents with
# F1 0.81.
LEAN = LearnRecogniser(
    epochs=8,
    steps=(50, 600),
    tagger={"width": 64, "projected": 64, "joined": 64, "learning_rate": 0.006},
)


@dataclass(frozen=True)
class Teacher:
    """Makes the steps of a study. Immutable.

    linker  of the terminology alone
    """

    study: Study
    plan: Plan
    linker: Linker

    @classmethod
    def open(cls, study: Study, plan: Plan) -> Teacher:
        """Open it with the terminology's indexes; missing ones are built."""
        pipeline = plan.pipeline(study.terminology)
        build_indexes(
            study.terminology, pipeline.retrievers, encoder=pipeline.encoder, update=True, threads=1
        )
        build_name_features(study.terminology, pipeline, update=True, threads=1)
        build_second_index(study.terminology, second_index(pipeline.reranker), update=True, threads=1)
        linker = base_linker(study.terminology, pipeline, types=study.types, threads=1)
        return cls(study, plan, linker)

    def step(self, labelled: Sequence[str], *, seed: int, predict: bool) -> Step:
        """Learn from the documents with these ids, and measure.

        seed     of the learners
        predict  also predict in the other documents

        Learns from the documents in the order of the study, not of annotation.
        """
        chosen = set(labelled)
        documents = [document for document in self.study.pool if document.id in chosen]
        with tempfile.TemporaryDirectory(prefix="linnet-simulate-", ignore_cleanup_errors=True) as place:
            folder = Path(place)
            learned: dict[str, str] = {}
            if documents:
                data = TrainingData(self.study.terminology, self.study.types, documents, (), self.linker)
                for name in self.plan.learners:
                    learned[name] = self._learner(name, seed).learn(data, folder, lambda *_: None)
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
    golds, predicted = golds_in(documents), predicted_golds(model, documents)
    answers = predicted_of(link_golds(model.linker, documents))
    linked = [place for place, gold in enumerate(golds) if gold.concepts]
    right = strict([golds[place] for place in linked], [answers[place] for place in linked])
    return {
        "linking": sum(right) / len(right) if right else 0.0,
        "end to end": f1_scores(golds, predicted, weak=True, concepts=True)["f1"],
        "spans": f1_scores(golds, predicted, weak=False, concepts=False)["f1"],
    }


def _predicted(model: Model, documents: Sequence[Document]) -> dict[str, tuple[Prediction, ...]]:
    return {
        predicted.document.id: tuple(
            (link.mention.text, round(confidence(link), 4)) for link in predicted.links
        )
        for predicted in model.predict(documents)
    }
