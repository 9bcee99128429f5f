"""The run file of the dual encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from linnet.io.settings_files import NameOrPath, check_at_least, check_share
from linnet.train.corpus import CorpusSettings
from linnet.train.learners.transformer_dual import TransformerDualSettings
from linnet.train.objectives import Prototype, TripletAll
from linnet.train.objectives.build import allowed_objectives
from linnet.train.task import RunSettings

__all__ = ["DualData", "DualSettings", "EvaluationSettings"]


@dataclass(frozen=True, kw_only=True)
class DualData(CorpusSettings):
    """The section `[data]`, besides the keys of `CorpusSettings`. The terminology needs the indexes of `retrievers`.

    also         further corpora to learn together, with other terminologies or types
    retrievers   of the candidates                  encoder  of "dense", None for the index's own
    candidates   of a mention
    names        of a concept that its encoder reads
    expand_context
                 whether abbreviations are expanded in a mention's context too
    clusters     of a batch
    largest      mentions of a cluster in a batch                documents  clusters of a concept
                 None for all, as in the paper; its release: 20 and 200
    refresh      steps between updates of the candidates' vectors, which give the hard negatives; 1 for always current
    reencoded    of the wrong candidates that are nearest by vectors of the last update, so many are encoded anew in every step,
                 and the nearest of these is the hard negative; 0 to take the nearest by the old vectors. Where `refresh` is 1,
                 all are always encoded
    held_out     share of the documents held out to choose the weight of retrieval's score, and the best training step
                 if `[evaluation]` names no corpora
    """

    also: tuple[CorpusSettings, ...] = ()
    retrievers: tuple[str, ...] = ("exact", "dense")
    encoder: NameOrPath | None = None
    candidates: int = 64
    names: int = 20
    expand_context: bool = False
    clusters: int = 32
    largest: int | None = None
    documents: int | None = None
    refresh: int = 1
    reencoded: int = 0
    held_out: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "candidates", "names", "clusters", "refresh")
        check_at_least(self, 0, "reencoded")
        check_share(self, "held_out")


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """The section `[evaluation]`.

    corpora  development data for the first terminology, reranked after the same retrieval
    weight   of retrieval's score in the model; None to choose it on the documents held out
    within   in the model: largest difference of the first two candidates' scores at which a mention is reranked
    """

    corpora: tuple[Path, ...] = ()
    weight: float | None = None
    within: float | None = None


@dataclass(frozen=True, kw_only=True)
class DualSettings(RunSettings):
    """A run file with task = "dual". The objective's `radius` may be "auto": the clusters' initial mean radius."""

    data: DualData
    name: str = "dual"
    encoder: TransformerDualSettings
    objective: Annotated[
        Mapping[str, Any], allowed_objectives(TripletAll, Prototype, automatic=("radius",))
    ] = field(default_factory=lambda: {"kind": "prototype-soft-radius"})
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.data.held_out == 0 and self.evaluation.weight is None:
            raise ValueError(
                "'evaluation.weight' is missing; expected a number, as no documents are held out to choose it ('data.held_out' is 0)."
            )
