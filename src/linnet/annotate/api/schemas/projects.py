"""Projects, choices for them, and their progress."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from linnet.annotate.api.schemas.attributes import Attribute, Attributes
from linnet.annotate.api.schemas.base import Body, Integer, Label, Line, Reply, Text
from linnet.annotate.api.schemas.members import Role

__all__ = [
    "Choice",
    "Format",
    "LearnerChoice",
    "Mode",
    "NewProject",
    "PredictionCounts",
    "Progress",
    "Project",
    "ProjectChange",
    "TerminologyChoice",
    "TypesChange",
]

Share = Annotated[float, Field(ge=0, le=0.9)]
Probability = Annotated[float, Field(ge=0, le=1)]
People = Annotated[Integer, Field(ge=0, le=20)]
Types = Annotated[list[Line], Field(max_length=100)]


class Mode(StrEnum):
    """shared: all annotators work on the same annotations. independent: each has their own sheet of every document,
    which only curators see as well; agreement compares sheets."""

    SHARED = "shared"
    INDEPENDENT = "independent"


class NewProject(Body):
    """A project to create.

    terminology  name from `GET /api/terminologies`
    types        semantic types to link to; [] for all; if left out, those that the recogniser was trained to find (`found` of the
                 terminology), or all
    labels       types of mentions ("Disease"); [] for the types linked to
    learners     that train, of those that `GET /api/terminologies` lists for the terminology; [] for the quick ones
    recogniser   what finds mentions, of those that `GET /api/terminologies` lists; "" for the first
    pipeline     how mentions are linked, of those that `GET /api/terminologies` lists; "" for the first, the terminology's own
    min_probability  of predictions, 0 to 1; less probable ones are not shown
    held_out     share of uploaded documents held out for measuring; training never uses them
    per_document how many people annotate each document; 0 for everybody. In a shared project at most 1, because all work on the same
                 annotations
    attributes   of mentions; [] for none
    """

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
    """Changes of a project; omitted values stay.

    types     to link to from now on, [] for all: a job predicts again, users' annotations stay
    labels    if left out, they follow the types, provided they were the types before
    strategy  a new one reorders the queue
    recogniser, min_probability  a job predicts again
    pipeline  a job predicts again, once the index that the pipeline searches is built: `ready` says whether search waits for it
    per_document  open documents are assigned to as many people, those who have begun them included; 0 for everybody
    attributes  all of them; annotations keep those left out. Other guesses: a job predicts again
    """

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


class TypesChange(Reply):
    """Number of mentions that a change of types affects: those linked to concepts of none of the new types.

    gold, user  stay, in exports too, but no longer teach names
    predicted   are replaced by new predictions, unless the document is accepted
    concepts    number of concepts that these mentions are linked to
    """

    gold: int
    user: int
    predicted: int
    concepts: int


class PredictionCounts(Reply):
    """Predictions that the model made last on the documents that are not accepted by everyone, shown or not.

    by_probability  number in each twentieth: from 0 to below 0.05, …, from 0.95 to 1
    unknown         number without a probability; these are always shown
    """

    by_probability: list[int]
    unknown: int


class Progress(Reply):
    """Number of documents by state, and of annotations by layer.

    teaching   number of documents that training learns from: accepted by any user, and not held out
    gold, user, predicted  number of annotations; in an independent project, those on the user's own sheets
    """

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
    """A project.

    learners that train unless a job names others; [] for the quick ones
    recogniser  what finds mentions; "" for a project made before it could be chosen: the last that suits its terminology
    pipeline    how mentions are linked; "" for the terminology's own pipeline
    min_probability  of the predictions shown
    model    number of the current version; 0 is the terminology alone
    ready    whether the indexes of the terminology and the pipeline are built; search and predictions wait for them
    per_document  how many people annotate each document; 0 for everybody
    role     of the user who asks; admins are managers everywhere
    """

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
    role: Role
    progress: Progress


class Choice(Reply):
    """An entry of a list to choose from."""

    name: str
    description: str


class LearnerChoice(Choice):
    """A learner. quick: whether it trains where none is chosen."""

    quick: bool


class Format(Choice):
    """A corpus format: whether it can be uploaded and exported, and the ending of its exported file."""

    reads: bool
    writes: bool
    ending: str


class TerminologyChoice(Choice):
    """A compiled terminology on the server.

    learners     names of those that can learn for it
    recognisers  what may find mentions for it, the best first
    found        types that the first of `recognisers` was trained to find, which new projects link to; [] for all
    pipelines    how mentions may be linked to it, its own first
    """

    concepts: int
    names: int
    types: list[str]
    learners: list[str]
    recognisers: list[Choice]
    found: list[str]
    pipelines: list[Choice]
    digest: str
