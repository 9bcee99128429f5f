"""Jobs, model versions and how good they are."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from linnet.annotate.api.schemas.base import Body, Line, Offset, Reply

__all__ = [
    "Curve",
    "CurvePoint",
    "Job",
    "JobKind",
    "JobState",
    "Metrics",
    "ModelVersion",
    "NewJob",
    "Rollback",
    "Scores",
]


class JobKind(StrEnum):
    """prepare: build the terminology's search and indexes. predict: new predictions in all open documents.
    train: a new model version, then predict. correct: a version without what was removed from what is learnt, then predict."""

    PREPARE = "prepare"
    PREDICT = "predict"
    TRAIN = "train"
    CORRECT = "correct"


class JobState(StrEnum):
    """queued and running jobs survive the death of server and trainer; failed ones say why."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class NewJob(Body):
    """A job to start.

    learners  of `train`: what is retrained, names of `GET /api/learners`; [] for all that are available and fast
    """

    kind: JobKind
    learners: Annotated[list[Line], Field(max_length=20)] = Field(default_factory=list)


class Job(Reply):
    """A job.

    progress  0 to 1         message  what it is doing, or did
    reason    why it failed  attempts how often it was begun: more than once where it was interrupted
    version   of `train`, when done: the number of the model version it made
    """

    id: int
    project: int
    kind: JobKind
    state: JobState
    progress: float
    message: str
    reason: str
    attempts: int
    created: datetime
    created_by: str
    started: datetime | None
    ended: datetime | None
    version: int | None


class Scores(Reply):
    """Precision, recall and F1, 0 to 1, of annotations found in running text (micro-averaged)."""

    precision: float
    recall: float
    f1: float


class Metrics(Reply):
    """How good a model is on held-out documents that are accepted.

    documents, mentions  measured on
    spans      mentions found: equal spans
    weak       overlapping spans with the right concept (weak annotation match)
    strong     equal spans with the right concept
    linking    share of the annotated mentions whose concepts are right when the span is given
    """

    documents: int
    mentions: int
    spans: Scores
    weak: Scores
    strong: Scores
    linking: float


class ModelVersion(Reply):
    """A version of a project's model. 0 is the terminology alone.

    before, after  the version it was trained from, and itself, on the same held-out documents; None where none are
                   accepted
    documents, mentions  it was trained on
    learned        what each learner says it learnt
    """

    number: int
    parent: int | None
    created: datetime
    created_by: str
    digest: str
    documents: int
    mentions: int
    learned: dict[str, str]
    before: Metrics | None
    after: Metrics | None
    current: bool


class Rollback(Body):
    """The version to predict with from now on; open documents get its predictions."""

    number: Offset


class CurvePoint(Reply):
    """A model version on the learning curve, measured when it was made."""

    version: int
    created: datetime
    documents: int
    mentions: int
    metrics: Metrics


class Curve(Reply):
    """Points in the order of versions."""

    points: list[CurvePoint]
