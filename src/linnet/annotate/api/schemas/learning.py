"""Jobs, model versions and their scores."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from linnet.annotate.api.schemas.base import Body, Line, Offset, Reply
from linnet.annotate.domain.states import JobKind, JobState

__all__ = [
    "Curve",
    "CurvePoint",
    "Job",
    "Metrics",
    "ModelVersion",
    "NewJob",
    "Rollback",
    "Scores",
]


class NewJob(Body):
    """A job to start."""

    kind: JobKind
    learners: Annotated[list[Line], Field(max_length=20)] = Field(default_factory=list)


class Job(Reply):
    """A job."""

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
    """Micro-averaged precision, recall and F1, 0 to 1, of annotations found in text."""

    precision: float
    recall: float
    f1: float
    interval: tuple[float, float] | None = None


class Metrics(Reply):
    """Scores of a model on the mentions of accepted held-out documents that a person changed, confirmed or made, or that were uploaded."""

    documents: int
    mentions: int
    unchanged: int | None = None
    spans: Scores
    weak: Scores
    strong: Scores
    linking: float
    linking_interval: tuple[float, float] | None = None


class ModelVersion(Reply):
    """A version of a project's model. 0 is the terminology alone."""

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
    """The version to use from now on; documents that are not accepted get its predictions."""

    number: Offset


class CurvePoint(Reply):
    """A model version on the learning curve, with the scores from when it was made."""

    version: int
    created: datetime
    documents: int
    mentions: int
    metrics: Metrics


class Curve(Reply):
    """Points by version."""

    points: list[CurvePoint]
