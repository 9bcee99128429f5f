"""The run file of the dual encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from linnet.settings_files import NameOrPath
from linnet.train.corpus import TableColumns
from linnet.train.crossfit import Source
from linnet.train.learners.static_dual import StaticDualSettings
from linnet.train.learners.transformer_dual import TransformerDualSettings
from linnet.train.objectives import Prototype, TripletAll
from linnet.train.objectives.build import one_of
from linnet.train.task import RunSettings

__all__ = ["DataSettings", "DualSettings", "EvaluationSettings"]


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    terminology  of the concepts, with the indexes that `retrievers` name
    corpora      annotated with its concepts        types  only mentions of these types
    columns      of corpora that are tables
    also         more of the three, learnt together: corpora that mean another terminology's concepts, or other types
    retrievers   that find the candidates           encoder  of "dense" among them, None for the index's own
    candidates   of a mention
    names        of a concept that its encoder reads
    clusters     of a batch
    largest      mentions of a cluster that a batch holds        documents  clusters of a concept
                 None for all, as the paper; its release: 20 and 200
    refresh      steps for which vectors of candidates are kept for finding hard negatives; 1 for always fresh ones
    held_out     share of the documents that is not trained on: it decides the weight of retrieval's score, and when
                 training is at its best where no other corpora are named under `[evaluation]`
    """

    terminology: Path
    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)
    also: tuple[Source, ...] = ()
    retrievers: tuple[str, ...] = ("exact", "dense")
    encoder: NameOrPath | None = None
    candidates: int = 64
    names: int = 20
    clusters: int = 32
    largest: int | None = None
    documents: int | None = None
    refresh: int = 1
    held_out: float = 0.1

    def __post_init__(self) -> None:
        for name in ("candidates", "names", "clusters", "refresh"):
            if getattr(self, name) < 1:
                raise ValueError(f"'{name}' is {getattr(self, name)}; expected 1 or more.")
        if not 0 <= self.held_out < 1:
            raise ValueError(f"'held_out' is {self.held_out}; expected 0 to less than 1.")


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """The section `[evaluation]`.

    corpora  development data of the first terminology, reranked after the same retrieval
    weight   of retrieval's score in the model; None to choose it on the documents held out
    within   in the model: mentions whose first two candidates are further apart than this are not reranked
    """

    corpora: tuple[Path, ...] = ()
    weight: float | None = None
    within: float | None = None


@dataclass(frozen=True, kw_only=True)
class DualSettings(RunSettings):
    """A run file with task = "dual". The objective's `radius` may be "auto": the mean radius of clusters at the start."""

    data: DataSettings
    name: str = "dual"
    encoder: StaticDualSettings | TransformerDualSettings = field(default_factory=StaticDualSettings)
    objective: Annotated[Mapping[str, Any], one_of(TripletAll, Prototype, found_later=("radius",))] = field(
        default_factory=lambda: {"kind": "prototype-soft-radius"}
    )
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    def __post_init__(self) -> None:
        RunSettings.__post_init__(self)
        if self.data.held_out == 0 and self.evaluation.weight is None:
            raise ValueError(
                "'evaluation.weight' is missing; expected a number where 'data.held_out' is 0, as nothing is left to choose it on."
            )
