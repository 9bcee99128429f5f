"""Projects, choices for them, and their progress."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, model_validator

from linnet.annotate.api.schemas.attributes import Attribute, Attributes
from linnet.annotate.api.schemas.base import NO_BOOLEAN, Body, Label, Line, Reply, Text
from linnet.annotate.domain.states import Mode, ProjectRole

__all__ = [
    "Choice",
    "LearnerChoice",
    "NewProject",
    "Progress",
    "Project",
    "ProjectChange",
    "TerminologyChoice",
]

Share = Annotated[float, Field(ge=0, le=0.9)]
Probability = Annotated[float, Field(ge=0, le=1)]
People = Annotated[int, Field(ge=0, le=20), NO_BOOLEAN]
Types = Annotated[list[Line], Field(max_length=100)]


class NewProject(Body):
    """A project to create."""

    name: Line
    description: Annotated[Text, Field(max_length=10_000)] = ""
    terminology: Line
    mode: Mode = Mode.SHARED
    types: Types | None = None
    labels: Types = Field(default_factory=list)
    strategy: Line = "most-doubt"
    learners: Annotated[list[Line], Field(max_length=20)] = Field(default_factory=list)
    recogniser: Label = ""
    pipeline: Label = ""
    min_probability: Probability = 0.0
    held_out: Share = 0.2
    attributes: Attributes = Field(default_factory=list)
    per_document: People = 0

    @model_validator(mode="after")
    def _one_if_shared(self) -> Self:
        if self.mode is Mode.SHARED and self.per_document > 1:
            raise ValueError(
                "in a shared project a document has one annotator at most, because all work on the same annotations: choose 0 or 1, or "
                "make the project independent"
            )
        return self


class ProjectChange(Body):
    """Changes of a project; omitted values stay."""

    name: Line | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    types: Types | None = None
    labels: Types | None = None
    strategy: Line | None = None
    recogniser: Line | None = None
    pipeline: Label | None = None
    min_probability: Probability | None = None
    held_out: Share | None = None
    per_document: People | None = None
    attributes: Attributes | None = None


class Progress(Reply):
    """Number of documents by state, and of annotations by layer."""

    documents: int
    open: int
    accepted: int
    skipped: int
    held_out: int
    teaching: int
    gold: int
    user: int
    predicted: int


class Project(Reply):
    """A project."""

    id: int
    name: str
    description: str
    terminology: str
    terminology_digest: str
    mode: Mode
    types: list[str]
    labels: list[str]
    strategy: str
    learners: list[str]
    recogniser: str
    pipeline: str
    min_probability: float
    held_out: float
    per_document: int
    attributes: list[Attribute]
    model: int
    ready: bool
    created: datetime
    created_by: str
    role: ProjectRole
    progress: Progress


class Choice(Reply):
    """An entry of a list to choose from."""

    name: str
    description: str


class LearnerChoice(Choice):
    """A learner. quick: whether it trains where none is chosen."""

    quick: bool


class TerminologyChoice(Choice):
    """A compiled terminology on the server."""

    concepts: int
    names: int
    types: list[str]
    learners: list[str]
    recognisers: list[Choice]
    found: list[str]
    pipelines: list[Choice]
    digest: str
